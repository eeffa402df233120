"""Do explanations point at the words that people marked as errors?

  python benchmarks/word_explanations.py [--limit 500] [--encoder minilm] [--orders 8] [--slow 60] [--sets MQM]

Reads human marks from MONGE_DATA (or ../shared/data beside the checkout): the development sets of the Eval4NLP 2021
shared task (words changed in post-editing; with the post-edit as the reference, and as in the shared task with the
source alone), its test sets (words that annotators marked; the source alone), and the error spans of the MQM annotation
of TED talks (a word is marked when any rater's span covers it; system ``ref`` is the reference). --slow N also leaves
words out of an encoder's metric, on N sentences of each set.
Prints a Markdown table: AUC, average precision and recall at k, means over sentences, as in the shared task.
"""

import argparse
import csv
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from monge.explanation import explain_segments, measure_plausibility, occlude_words, sample_shapley
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.report.tables import markdown_table
from monge.text import Segment

# AUC, AP, recall at k on these development sets, from the README of the shared task's baselines
PUBLISHED = {
    "ro-en dev, source": {
        "XMover-SHAP (published)": (0.638, 0.464, 0.339),
        "TransQuest-LIME (published)": (0.619, 0.552, 0.439),
        "random (published)": (0.488, 0.359, 0.239),
    },
    "et-en dev, source": {
        "XMover-SHAP (published)": (0.583, 0.456, 0.352),
        "TransQuest-LIME (published)": (0.592, 0.510, 0.402),
        "random (published)": (0.490, 0.378, 0.271),
    },
}


@dataclass(frozen=True)
class Marked:
    """A segment, the character spans of the units that are marked, and their marks."""

    segment: Segment
    spans: tuple[tuple[int, int], ...]
    marks: tuple[int, ...]


def read_eval4nlp(folder: Path, *, against: str) -> list[Marked]:
    """Return translations, one mark per token; *against* is the reference: the post-edit (pe) or the source (src)."""
    part = folder.name.rsplit("-", 1)[1]
    files = [folder / f"{part}.{name}" for name in ("mt", against, "tgt-tags")]
    columns = [path.read_text(encoding="utf-8").splitlines() for path in files]
    found = []
    for hypothesis, reference, tags in zip(*columns, strict=True):
        spans = tuple(match.span() for match in re.finditer(r"\S+", hypothesis))
        found.append(Marked(Segment(hypothesis, (reference,)), spans, tuple(map(int, tags.split()))))
    return found


def read_mqm(path: Path) -> list[Marked]:
    """Return translations with one mark per token, set if the span of any rater covers it."""
    texts: dict[tuple[str, str, str], str] = {}
    covered: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            key = (row["system"], row["doc"], row["seg_id"])
            before, _, rest = row["target"].partition("<v>")
            inside, _, after = rest.partition("</v>")
            texts[key] = before + inside + after
            if "<v>" in row["target"] and row["severity"] != "No-error":
                covered[key] |= set(range(len(before), len(before) + len(inside)))
    found = []
    for (system, doc, number), text in texts.items():
        reference = texts.get(("ref", doc, number))
        if reference is None or system.startswith("ref"):
            continue
        spans = tuple(match.span() for match in re.finditer(r"\S+", text))
        marks = tuple(int(any(i in covered[system, doc, number] for i in range(*span))) for span in spans)
        found.append(Marked(Segment(text, (reference,)), spans, marks))
    return found


def spread(spans: Sequence[tuple[int, int]], words: Sequence[tuple[int, int, float]]) -> list[float]:
    """Return the suspicion of each unit: the sum over the words that overlap it."""
    return [sum(value for start, end, value in words if start < b and a < end) for a, b in spans]


Method = Callable[[Sequence[Segment]], list[list[tuple[int, int, float]]]]


def additive(name: str, **options: object) -> Method:
    """Return an explainer whose suspicion of a word is its loss in the exact explanation."""

    def explain(segments: Sequence[Segment]) -> list[list[tuple[int, int, float]]]:
        metric = bind_to(load_metric(name, **options), segments)
        sign = -1 if metric.spec.higher_is_better else 1
        found = explain_segments(metric, segments)
        return [[(w.start, w.end, sign * w.contribution) for w in one.hypothesis_words()] for one in found]

    return explain


def local(method: Callable[..., object], name: str, **options: object) -> Method:
    """Return an explainer whose suspicion of a word is what the score gains without it."""
    kept = {key: options.pop(key) for key in ("orders",) if key in options}

    def explain(segments: Sequence[Segment]) -> list[list[tuple[int, int, float]]]:
        metric = bind_to(load_metric(name, **options), segments)
        found = [method(metric, segment, **kept) for segment in tqdm(segments, desc=name, file=sys.stderr)]
        return [[(w.start, w.end, float(s)) for w, s in zip(one.words, one.suspicion(), strict=True)] for one in found]

    return explain


def random_baseline(segments: Sequence[Segment]) -> list[list[tuple[int, int, float]]]:
    """Every character run gets a random suspicion."""
    rng = np.random.default_rng(12345)
    return [[(*m.span(), float(rng.random())) for m in re.finditer(r"\S+", s.hypothesis)] for s in segments]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=500, help="sentences of each set (default: 500)")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--orders", type=int, default=8, help="random orders of Shapley sampling (default: 8)")
    parser.add_argument("--slow", type=int, default=0, metavar="N", help="also leave words out of an encoder's metric")
    parser.add_argument("--sets", nargs="+", default=[""], metavar="PART", help="only sets whose names contain a PART")
    args = parser.parse_args()
    rows = []
    for title, marked in read_sets().items():
        if not any(part in title for part in args.sets):
            continue
        mixed = [one for one in marked if 0 < sum(one.marks) < len(one.marks)]
        for name, method in make_methods(args.encoder, args.orders).items():
            limit = args.slow if name in SLOW else args.limit
            if limit:
                rows.append([title, name, *measure(pick(mixed, limit), method)])
                print(rows[-1], file=sys.stderr, flush=True)
        for name, values in PUBLISHED.get(title, {}).items():
            rows.append([title, name, *(f"{value:.3f}" for value in values), "all"])
    print(markdown_table(["set", "explanation", "AUC", "AP", "recall@k", "sentences"], rows, left=2))


def read_sets() -> dict[str, list[Marked]]:
    """Return every set of marked translations on this machine."""
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not data.is_dir():
        sys.exit("no human marks on this machine: set MONGE_DATA")
    sets = {}
    for part, against, pairs in (
        ("dev", "post-edit", ("ro-en", "et-en")),
        ("dev", "source", ("ro-en", "et-en")),
        ("test21", "source", ("ro-en", "et-en", "ru-de", "de-zh")),
    ):
        for pair in pairs:
            column = {"post-edit": "pe", "source": "src"}[against]
            sets[f"{pair} {part}, {against}"] = read_eval4nlp(data / "eval4nlp2021" / f"{pair}-{part}", against=column)
    for pair in ("zh-en", "en-de"):
        sets[f"{pair} MQM, reference"] = read_mqm(data / "mqm" / f"mqm_ted_{pair.replace('-', '')}.tsv")
    return sets


def make_methods(encoder: str, orders: int) -> dict[str, Method]:
    """Return the explanations to be measured, by name."""
    return {
        "random": random_baseline,
        "additive bertscore": additive("bertscore", encoder=encoder),
        "additive emd": additive("emd", encoder=encoder),
        "additive lazy_emd": additive("lazy_emd", encoder=encoder),
        "additive wmdo": additive("wmdo"),
        "occlusion chrf": local(occlude_words, "chrf"),
        "shapley chrf": local(sample_shapley, "chrf", orders=orders),
        "shapley rouge1": local(sample_shapley, "rouge1", orders=orders),
        "occlusion bertscore": local(occlude_words, "bertscore", encoder=encoder),
        "shapley bertscore": local(sample_shapley, "bertscore", encoder=encoder, orders=orders),
    }


SLOW = ("occlusion bertscore", "shapley bertscore")


def pick(marked: Sequence[Marked], limit: int) -> list[Marked]:
    """Return at most *limit*, spread evenly."""
    return [marked[i] for i in np.linspace(0, len(marked) - 1, min(limit, len(marked))).astype(int)]


def measure(chosen: Sequence[Marked], method: Method) -> list[str]:
    """Return AUC, average precision, recall at k and the number of sentences."""
    found = method([one.segment for one in chosen])
    suspicion = [spread(one.spans, words) for one, words in zip(chosen, found, strict=True)]
    result = measure_plausibility([one.marks for one in chosen], suspicion)
    values = (result.auc, result.average_precision, result.recall_at_k)
    return [*(f"{value:.3f}" for value in values), str(result.sentences)]


if __name__ == "__main__":
    main()
