"""Which do metrics prefer: a paraphrase with few shared words, or a non-paraphrase with many?

  python benchmarks/paraphrase_triples.py [--limit 300] [--metrics bertscore moverscore cosine chrf]

After figure 3 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis), on what MONGE_DATA (or ../shared/data
beside the checkout) holds. WMT19 English–German paraphrased references: A reference, B its paraphrase, C: A with its
nouns permuted (in German the words that are capitalised within the sentence); share of triples with m(A,B) > m(A,C).
PAWS (QQP part) has pairs, not triples: share of (paraphrase, non-paraphrase) pairs of pairs that the metric orders
rightly (AUC), with a bootstrap interval. Prints Markdown.
"""

import argparse
import ast
import csv
import os
import re
import sys
from pathlib import Path

import numpy as np

from monge.explain import fit_on, prefer_paraphrases
from monge.explain.factors import lexical_overlap
from monge.explain.plausibility import rank_auc
from monge.metrics import load_metric
from monge.report.tables import markdown_table
from monge.text import Segment

Triples = list[tuple[str, str, str]]


def read_paws(path: Path) -> list[tuple[str, str, bool]]:
    """Return pairs and whether they are paraphrases."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(_text(row["sentence1"]), _text(row["sentence2"]), row["label"] == "1") for row in rows]


def separate(name: str, pairs: list[tuple[str, str, bool]]) -> tuple[float, float, float]:
    """Return how well a metric tells paraphrases from the rest: AUC with a 95 % bootstrap interval over pairs."""
    segments = [Segment(first, (second,)) for first, second, _ in pairs]
    metric, _ = fit_on(load_metric(name), segments)
    scores = np.array([score.value for score in metric.score(segments)]) * (1 if metric.spec.higher_is_better else -1)
    gold = np.array([label for _, _, label in pairs])
    rng = np.random.default_rng(12345)
    draws = (rng.integers(0, len(pairs), len(pairs)) for _ in range(1000))
    low, high = np.percentile([rank_auc(gold[draw], scores[draw]) for draw in draws], [2.5, 97.5])
    return rank_auc(gold, scores), float(low), float(high)


def _text(cell: str) -> str:
    value = ast.literal_eval(cell) if cell[:2] in ("b'", 'b"') else cell
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def read_paraphrased(folder: Path) -> Triples:
    """Return German references with their paraphrases and with their own nouns permuted."""
    lines = [(folder / f"wmt19-ende-{name}.ref").read_text(encoding="utf-8").split("\n") for name in ("ar", "arp")]
    rng = np.random.default_rng(12345)
    triples = []
    for reference, paraphrase in zip(*lines, strict=True):
        nouns = [m.span() for m in re.finditer(r"(?<=[\w,] )[A-ZÄÖÜ]\w+", reference)]
        words = [reference[a:b] for a, b in nouns]
        if len(set(words)) < 2 or not paraphrase:
            continue
        order = [words[i] for i in rng.permutation(len(words))]
        if order != words:
            pieces, reached = [], 0
            for (start, end), word in zip(nouns, order, strict=True):
                pieces += [reference[reached:start], word]
                reached = end
            triples.append((reference, paraphrase, "".join([*pieces, reference[reached:]])))
    return triples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=300, help="triples of each set at most (default: 300)")
    parser.add_argument("--metrics", nargs="+", default=["moverscore", "bertscore", "emd", "cosine", "chrf", "bleu"])
    args = parser.parse_args()
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not data.is_dir():
        sys.exit("no data on this machine: set MONGE_DATA")
    triples = read_paraphrased(data / "wmt19_paraphrased_refs")
    triples = [triples[i] for i in np.linspace(0, len(triples) - 1, min(args.limit, len(triples))).astype(int)]
    pairs = read_paws(data / "paws_qqp" / "dev_and_test.tsv")
    near = np.mean([lexical_overlap(b, a) for a, b, _ in triples])
    far = np.mean([lexical_overlap(c, a) for a, _, c in triples])
    print(
        f"{len(triples)} triples (overlap with A: B {near:.2f}, C {far:.2f}), {len(pairs)} PAWS pairs", file=sys.stderr
    )
    rows = []
    for name in args.metrics:
        rate = prefer_paraphrases(load_metric(name), triples)
        cells = [(rate.share, *rate.interval), separate(name, pairs)]
        rows.append([name, *(f"{share:.2f} [{low:.2f}, {high:.2f}]" for share, low, high in cells)])
        print(rows[-1], file=sys.stderr, flush=True)
    print(markdown_table(["metric", "prefers the paraphrase (WMT19, German)", "AUC on PAWS-QQP"], rows))


if __name__ == "__main__":
    main()
