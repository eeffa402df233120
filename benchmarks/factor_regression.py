"""What metrics respond to: their scores regressed on semantics (human judgments), syntax, words and morphology.

  python benchmarks/factor_regression.py [--limit 1000] [--metrics bertscore moverscore cosine chrf bleu]

Repeats table 3 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis) on WMT17 (to English) and STS-B, read from
MONGE_DATA (or ../shared/data beside the checkout). Differences from the paper: WMT17 only (not 2015–2017), spaCy's
parser, GloVe vectors for morphology, monge's encoders. Prints Markdown; * marks p ≥ 0.05.
"""

import argparse
import csv
import html
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from monge.encoders import load_encoder
from monge.explanation.factors import measure_factors
from monge.explanation.regression import FactorRegression, regress_on_factors
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.report.tables import markdown_table
from monge.text import Segment

Judged = list[tuple[str, str, float]]

# table 3: metric → (SEM, SYN, LEX, MOR, R²) on WMT and on STS
PUBLISHED = {
    "MoverScore": ((0.28, 0.15, 0.64, -0.06, 0.76), (0.30, 0.24, 0.45, 0.04, 0.61)),
    "BERTScore": ((0.27, 0.16, 0.61, -0.01, 0.74), (0.12, 0.11, 0.67, 0.06, 0.69)),
    "SBERT": ((0.37, -0.02, 0.22, 0.22, 0.42), (0.73, -0.03, 0.14, -0.06, 0.60)),
}


def read_wmt17(folder: Path) -> Judged:
    """Return (hypothesis, reference, judgment); only HTML entities are resolved."""
    with (folder / "wmt17_da_seglevel_full560.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = {name.lower(): name for name in rows[0]}
    hypothesis, reference = (
        next(names[k] for k in keys if k in names) for keys in (("hyp", "hypothesis", "mt"), ("ref", "reference"))
    )
    human = next(names[k] for k in ("human", "score", "da") if k in names)
    return [(html.unescape(r[hypothesis]), html.unescape(r[reference]), float(r[human])) for r in rows]


def read_stsb(path: Path) -> Judged:
    """Return (sentence, sentence, similarity)."""
    with path.open(encoding="utf-8", newline="") as stream:
        return [(first, second, float(score)) for first, second, score in csv.reader(stream)]


def take(judged: Judged, limit: int) -> Judged:
    """Return *limit* pairs, spread evenly over the set."""
    return [judged[i] for i in np.linspace(0, len(judged) - 1, min(limit, len(judged))).astype(int)]


def regress(names: Sequence[str], judged: Judged, encoder: str | None) -> dict[str, FactorRegression]:
    """Return the regression of every metric."""
    with tqdm(total=len(judged), desc="trees", file=sys.stderr) as bar:
        factors = measure_factors([(h, r) for h, r, _ in judged], load_encoder("glove"), progress=bar.update)
    factors = {"SEM": np.array([score for _, _, score in judged]), **factors}
    segments = [Segment(h, (r,)) for h, r, _ in judged]
    found = {}
    for name in names:
        options = {"encoder": encoder} if encoder and name in ("bertscore", "moverscore", "emd", "cosine") else {}
        metric = bind_to(load_metric(name, **options), segments)
        scores = np.array([score.value for score in metric.score(segments)])
        found[name] = regress_on_factors(scores if metric.spec.higher_is_better else -scores, factors)
    return found


def cell(result: FactorRegression, name: str) -> str:
    return f"{result.coefficients[name]:.2f}{'*' if result.p_values[name] >= 0.05 else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1000, help="pairs of each set (default: 1000)")
    parser.add_argument("--metrics", nargs="+", default=["moverscore", "bertscore", "emd", "cosine", "chrf", "bleu"])
    parser.add_argument("--encoder", help="for the metrics that take one (default: their own)")
    args = parser.parse_args()
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not data.is_dir():
        sys.exit("no human judgments on this machine: set MONGE_DATA")
    sets = {
        "WMT17": read_wmt17(data / "wmt17_da_toen"),
        "STS-B": read_stsb(data / "stsb" / "stsb-en-dev.csv"),
    }
    rows = []
    for place, (title, judged) in enumerate(sets.items()):
        for name, result in regress(args.metrics, take(judged, args.limit), args.encoder).items():
            factors = [cell(result, factor) for factor in ("SEM", "SYN", "LEX", "MOR")]
            rows.append([title, name, *factors, f"{result.r_squared:.2f}", str(result.instances)])
        for name, values in PUBLISHED.items():
            rows.append([title, f"{name} (published)", *(f"{value:.2f}" for value in values[place]), ""])
    print(markdown_table(["set", "metric", "SEM", "SYN", "LEX", "MOR", "R²", "pairs"], rows, left=2))


if __name__ == "__main__":
    main()
