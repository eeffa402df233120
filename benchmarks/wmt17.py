"""Pearson correlations with human judgments on WMT17 to-English segments, by language pair, beside the published ones.

MONGE_DATA=… python benchmarks/wmt17.py minilm [METRIC[,option=value] ...]
"""

from __future__ import annotations

import csv
import html
import os
import sys
from pathlib import Path

import numpy as np

from monge.metrics.variants import parse_variant
from monge.report.tables import markdown_table
from monge.text import Segment
from monge.text.detokenize import detokenize

TRANSPORT = [
    "bertscore",
    "f_alpha",
    "yisi1",
    "emd",
    "lazy_emd",
    "lazy_emd,lambda_unit=relative,lambda_c=2,lambda_r=2",
    "moverscore",
    "moverscore,ngram=2",
    "moverscore,pooling=mean",
    "moverscore_v1",
    "moverscore_v2",
    "smd",
    "cosine",
]
# Zhao et al. (2019), table 1; sentBLEU and chrF++ from the WMT17 metrics task
PUBLISHED = {
    "BERTScore-F1 (BERT), published": (0.670, 0.686, 0.820, 0.710, 0.729, 0.714, 0.704),
    "WMD-1 + BERT + PMeans, published": (0.662, 0.687, 0.823, 0.714, 0.735, 0.734, 0.719),
    "WMD-1 + BERT + MNLI + PMeans, published": (0.670, 0.708, 0.835, 0.746, 0.738, 0.762, 0.744),
    "SMD + BERT + MNLI + PMeans, published": (0.616, 0.643, 0.785, 0.660, 0.664, 0.668, 0.633),
    "WMD-1 + W2V, published": (0.392, 0.463, 0.558, 0.463, 0.456, 0.485, 0.481),
}


def read_pairs() -> dict[str, tuple[list[Segment], list[float]]]:
    """Return the judged segments by language pair, detokenised, since the set is lower-cased and tokenised."""
    path = Path(os.environ.get("MONGE_DATA", "../shared/data")) / "wmt17_da_toen" / "wmt17_da_seglevel_full560.tsv"
    if not path.is_file():
        sys.exit(f"no {path}: set MONGE_DATA to a folder that has it")
    pairs: dict[str, tuple[list[Segment], list[float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            hypothesis, reference = (detokenize(html.unescape(row[name])) for name in ("hypothesis", "reference"))
            segments, human = pairs.setdefault(row["lp"], ([], []))
            segments.append(Segment(hypothesis, (reference,), id=str(len(segments))))
            human.append(float(row["human"]))
    return dict(sorted(pairs.items()))


def correlate(label: str, encoder: str, pairs: dict[str, tuple[list[Segment], list[float]]]) -> list[float]:
    """Return the absolute Pearson correlation of one metric for every language pair."""
    metric = parse_variant(label, {"encoder": encoder} if encoder else {}).load()
    found = []
    for segments, human in pairs.values():
        fitted = metric if metric.fitted else metric.fit(segments)
        values = [score.value for score in fitted.score(segments)]
        found.append(abs(float(np.corrcoef(values, human)[0, 1])))
    return found


def main(encoder: str, labels: list[str]) -> None:
    pairs = read_pairs()
    rows = []
    for label in labels or TRANSPORT:
        found = correlate(label, "" if encoder == "own" else encoder, pairs)
        rows.append([label, *(f"{value:.3f}" for value in (*found, float(np.mean(found))))])
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    rows += [[name, *(f"{v:.3f}" for v in (*values, float(np.mean(values))))] for name, values in PUBLISHED.items()]
    print(markdown_table([f"metric ({encoder})", *pairs, "average"], rows))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "minilm", sys.argv[2:])
