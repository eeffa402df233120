"""Which do metrics prefer: a paraphrase with few shared words, or a non-paraphrase with many?

  python benchmarks/paraphrase_triples.py [--limit 300] [--metrics bertscore moverscore cosine chrf]

After figure 3 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis), on the data in MONGE_DATA (or
../shared/data beside the checkout). WMT19 English–German paraphrased references: A reference, B its paraphrase, C: A
with its nouns permuted (in German the words that are capitalised within the sentence); share of triples with m(A,B) >
m(A,C). PAWS (QQP part) has pairs, not triples: share of (paraphrase, non-paraphrase) pairs of pairs that the metric
orders correctly (AUC), with a bootstrap interval. Prints Markdown.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

from monge.explanation.factors import lexical_overlap
from monge.explanation.paraphrases import find_trials
from monge.metrics import load_metric
from monge.report.tables import markdown_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=300, help="triples of each set at most (default: 300)")
    parser.add_argument("--metrics", nargs="+", default=["moverscore", "bertscore", "emd", "cosine", "chrf", "bleu"])
    args = parser.parse_args()
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    trials = [trial.spread(args.limit) for trial in find_trials([data])]
    if not trials:
        sys.exit("no data on this machine: set MONGE_DATA")
    for trial in trials:
        if trial.triples:
            near = np.mean([lexical_overlap(b, a) for a, b, _ in trial.triples])
            far = np.mean([lexical_overlap(c, a) for a, _, c in trial.triples])
            print(f"{len(trial.triples)} triples, overlap with A: B {near:.2f}, C {far:.2f}", file=sys.stderr)
    rows = []
    for name in args.metrics:
        found = [trial.run(load_metric(name)) for trial in trials]
        rows.append([name, *(f"{one.share:.2f} [{one.low:.2f}, {one.high:.2f}]" for one in found)])
        print(rows[-1], file=sys.stderr, flush=True)
    print(markdown_table(["metric", *(trial.what for trial in trials)], rows))


if __name__ == "__main__":
    main()
