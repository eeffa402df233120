"""Are explanations true to their metric, and do they point at the words that people marked?

  python benchmarks/faithfulness.py [--limit 60] [--encoder minilm]

Faithfulness: area below the deletion curve when the words that support the score go first (smaller is better), beside
random orders. Plausibility: AUC of suspected words against words that post-editors changed. Romanian–English and
Estonian–English development sets of Eval4NLP 2021 with the post-edit as reference, from MONGE_DATA (or ../shared/data
beside the checkout). Prints Markdown.
"""

import argparse
import sys

import numpy as np
from tqdm import tqdm
from word_explanations import pick, read_sets, spread

from monge.explanation import (
    delete_words,
    explain_segments,
    fit_lime,
    measure_plausibility,
    occlude_words,
    sample_shapley,
)
from monge.explanation.faithfulness import word_suspicion
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.report.tables import markdown_table
from monge.text import word_spans

METHODS = {
    "additive": lambda metric, segment: explain_segments(metric, [segment])[0],
    "occlusion": occlude_words,
    "shapley": lambda metric, segment: sample_shapley(metric, segment, orders=8),
    "lime": lambda metric, segment: fit_lime(metric, segment, samples=200),
}
METRICS = {"chrf": ("occlusion", "shapley", "lime"), "bertscore": ("additive", "occlusion", "shapley", "lime")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=60, help="sentences of each set (default: 60)")
    parser.add_argument("--encoder", default="minilm")
    args = parser.parse_args()
    sets = {title: marked for title, marked in read_sets().items() if title.endswith("dev, post-edit")}
    rows = []
    for title, marked in sets.items():
        chosen = pick([one for one in marked if 0 < sum(one.marks) < len(one.marks)], args.limit)
        segments = [one.segment for one in chosen]
        for name, methods in METRICS.items():
            options = {"encoder": args.encoder} if name == "bertscore" else {}
            metric = bind_to(load_metric(name, **options), segments)
            for method in methods:
                curves, suspicions = [], []
                for one in tqdm(chosen, desc=f"{name} {method}", file=sys.stderr):
                    found = METHODS[method](metric, one.segment)
                    curves.append(delete_words(metric, one.segment, found))
                    spans = word_spans(one.segment.hypothesis)
                    words = zip(spans, word_suspicion(found, spans), strict=True)
                    suspicions.append(spread(one.spans, [(a, b, v) for (a, b), v in words]))
                plausible = measure_plausibility([one.marks for one in chosen], suspicions)
                areas = np.nanmean([[c.area, c.random_area, c.opposite_area] for c in curves], axis=0)
                better = np.mean([c.gain > 0 for c in curves if np.isfinite(c.area)])
                cells = [*(f"{area:.3f}" for area in areas), f"{better:.0%}", f"{plausible.auc:.3f}"]
                rows.append([title, f"{method} {name}", *cells])
                print(rows[-1], file=sys.stderr, flush=True)
    header = ["set", "explanation", "area", "random order", "reversed", "below random", "AUC of marked words"]
    print(markdown_table(header, rows, left=2))


if __name__ == "__main__":
    main()
