"""Do metrics that listen to different things do better together?

  python benchmarks/ensemble_gain.py [--metrics bertscore emd cosine chrf]

After table 13 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis): the mean of two metrics' standardised
scores against the better of the two, by Pearson correlation with people on the segments of WMT17 (to English), a
language pair at a time, read from MONGE_DATA (or ../shared/data beside the checkout). Prints Markdown.
"""

import argparse
import csv
import html
import os
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np

from monge.explain import fit_on
from monge.metrics import load_metric
from monge.report.tables import markdown_table
from monge.text import Segment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", nargs="+", default=["bertscore", "moverscore", "cosine", "chrf"])
    args = parser.parse_args()
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not data.is_dir():
        sys.exit("no human judgments on this machine: set MONGE_DATA")
    with (data / "wmt17_da_toen" / "wmt17_da_seglevel_full560.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    segments = [Segment(html.unescape(row["hypothesis"]), (html.unescape(row["reference"]),)) for row in rows]
    human = np.array([float(row["human"]) for row in rows])
    places = defaultdict(list)
    for i, row in enumerate(rows):
        places[row["lp"]].append(i)
    scores = {}
    for name in args.metrics:
        metric, _ = fit_on(load_metric(name), segments)
        values = np.array([score.value for score in metric.score(segments)])
        scores[name] = values if metric.spec.higher_is_better else -values
        print(name, file=sys.stderr, flush=True)
    print(
        markdown_table(["metrics", *places, "mean"], [*_singles(scores, human, places), *_pairs(scores, human, places)])
    )


def _pearson(values: np.ndarray, human: np.ndarray, places: dict[str, list[int]]) -> list[float]:
    return [float(np.corrcoef(values[own], human[own])[0, 1]) for own in places.values()]


def _singles(scores: dict[str, np.ndarray], human: np.ndarray, places: dict[str, list[int]]) -> list[list[str]]:
    found = {name: _pearson(values, human, places) for name, values in scores.items()}
    return [[name, *(f"{r:.3f}" for r in rs), f"{np.mean(rs):.3f}"] for name, rs in found.items()]


def _pairs(scores: dict[str, np.ndarray], human: np.ndarray, places: dict[str, list[int]]) -> list[list[str]]:
    rows = []
    for first, second in combinations(scores, 2):
        best = np.maximum(_pearson(scores[first], human, places), _pearson(scores[second], human, places))
        together = np.empty_like(human)
        for own in places.values():
            pair = np.array([scores[first][own], scores[second][own]])
            together[own] = ((pair - pair.mean(1, keepdims=True)) / pair.std(1, keepdims=True)).mean(0)
        gains = np.array(_pearson(together, human, places)) / best - 1
        rows.append([f"{first} + {second}", *(f"{gain:+.1%}" for gain in gains), f"{gains.mean():+.1%}"])
    return rows


if __name__ == "__main__":
    main()
