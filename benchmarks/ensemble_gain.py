"""Do metrics that respond to different properties do better together?

  python benchmarks/ensemble_gain.py [--metrics bertscore emd cosine chrf]

After table 13 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis): the mean of two metrics' standardised
scores against the better of the two, by Pearson correlation with human judgments on the segments of WMT17 (to
English), separately for each language pair, read from MONGE_DATA, texts detokenised. Prints Markdown.
"""

import argparse
import sys
from itertools import combinations

import numpy as np

from monge.errors import MongeError
from monge.meta.data import find_data
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.report.tables import markdown_table
from monge.text import Segment
from monge.text.detokenize import detokenize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", nargs="+", default=["bertscore", "moverscore", "cosine", "chrf"])
    args = parser.parse_args()
    try:
        pairs = [judged.change_texts(detokenize) for judged in find_data("wmt17").load()]
    except MongeError as error:
        sys.exit(str(error))
    human, places, scores = [], {}, {name: [] for name in args.metrics}
    for pair in pairs:
        table = pair.judgments["da"]
        places[pair.name] = range(len(human), len(human) + len(pair.segments))
        human += [table.values[table.systems.index(s.system), table.segments.index(s.id)] for s in pair.segments]
        for name, values in scores.items():
            values += _score(name, pair.segments)
        print(pair.name, file=sys.stderr, flush=True)
    found = {name: np.array(values) for name, values in scores.items()}
    rows = [*_singles(found, np.array(human), places), *_pairs(found, np.array(human), places)]
    print(markdown_table(["metrics", *places, "mean"], rows))


def _score(name: str, segments: tuple[Segment, ...]) -> list[float]:
    """Return scores, higher is better, with idf of this language pair."""
    metric = bind_to(load_metric(name), segments)
    sign = 1 if metric.spec.higher_is_better else -1
    return [sign * score.value for score in metric.score(segments)]


def _pearson(values: np.ndarray, human: np.ndarray, places: dict[str, range]) -> list[float]:
    return [float(np.corrcoef(values[own], human[own])[0, 1]) for own in places.values()]


def _singles(scores: dict[str, np.ndarray], human: np.ndarray, places: dict[str, range]) -> list[list[str]]:
    found = {name: _pearson(values, human, places) for name, values in scores.items()}
    return [[name, *(f"{r:.3f}" for r in rs), f"{np.mean(rs):.3f}"] for name, rs in found.items()]


def _pairs(scores: dict[str, np.ndarray], human: np.ndarray, places: dict[str, range]) -> list[list[str]]:
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
