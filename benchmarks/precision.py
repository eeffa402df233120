"""Number formats of an encoder: speed and agreement of int8 (and bfloat16, with torch) with float32, in one process.

  python benchmarks/precision.py [--model minilm] [--texts 400] [--pairs 560] [--metrics bertscore mongescore]
                                 [--formats int8] [--output FILE.json]

Speed: the formats encode the same texts in turns, round by round; the ratio of processor seconds is printed, which
other load on the machine changes little. Agreement: the correlation of the scores of WMT17 pairs with those in
float32, and the mean over language pairs of the Pearson correlation with human judgments (needs MONGE_DATA; without it
only made-up pairs are scored). `--pairs` takes the first of each language pair; 560 are all.
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import os
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from encoder import find_texts
from shared import ROOT, make_pairs, report_target

from monge.encoders import load_encoder
from monge.encoders.processor import processor_features
from monge.environment import Environment
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.text import Segment

FLOAT = "float32"


def read_judged(most: int) -> dict[str, list[tuple[Segment, float]]]:
    """Return segments and judgments of WMT17 by language pair; without the data made-up ones without judgments."""
    data = Path(os.environ.get("MONGE_DATA", ROOT.parent / "shared" / "data"))
    table = data / "wmt17_da_toen" / "wmt17_da_seglevel_full560.tsv"
    if not table.is_file():
        made = zip(*make_pairs(most), strict=True)
        return {"made up": [(Segment(hypothesis, (reference,)), np.nan) for hypothesis, reference in made]}
    judged: dict[str, list[tuple[Segment, float]]] = defaultdict(list)
    with table.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(judged[row["lp"]]) < most:
                segment = Segment(html.unescape(row["hypothesis"]), (html.unescape(row["reference"]),))
                judged[row["lp"]].append((segment, float(row["human"])))
    return dict(judged)


def measure_speed(model: str, formats: list[str], texts: list[str], rounds: int) -> dict[str, float]:
    """Return how many times the processor seconds of each format float32 takes; medians of rounds."""
    encoders = {name: load_encoder(model, dtype=name) for name in (FLOAT, *formats)}
    used: dict[str, list[float]] = {name: [] for name in encoders}
    for number in range(rounds + 1):
        for name, encoder in encoders.items():
            start = time.process_time()
            encoder.encode(texts, [encoder.layers - 1])
            if number:
                used[name].append(time.process_time() - start)
    print(f"\n{model}: {len(texts)} texts, last layer, {rounds} rounds; {describe_processor()}")
    for name, seconds in used.items():
        print(f"  {name:<9}{statistics.median(seconds):>8.2f} processor seconds")
    ratios = (zip(used[FLOAT], used[name], strict=True) for name in formats)
    return {name: statistics.median(a / b for a, b in pairs) for name, pairs in zip(formats, ratios, strict=True)}


def describe_processor() -> str:
    """Return what the processor has for numbers of 8 and 16 bits."""
    found = processor_features()
    return "unknown processor" if found is None else f"int8 dot products {found.int8}, bfloat16 {found.bfloat16}"


def score_all(metric: str, model: str, name: str, segments: list[Segment], environment: Environment) -> Any:
    """Return the scores of one metric in one format."""
    loaded = load_metric(metric, encoder=model, dtype=name, environment=environment)
    return np.array([score.value for score in bind_to(loaded, segments).score(segments)])


def pearson_by_pair(judged: dict[str, list[tuple[Segment, float]]], scores: Any) -> float:
    """Return the mean over language pairs of the correlation with people."""
    places = np.cumsum([0, *map(len, judged.values())])
    found = [
        np.corrcoef(scores[start:end], [human for _, human in rows])[0, 1]
        for rows, start, end in zip(judged.values(), places[:-1], places[1:], strict=True)
    ]
    return float(np.mean(found))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("minilm", "mpnet"), default="minilm")
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=560, help="per language pair; 0: speed only")
    parser.add_argument("--metrics", nargs="+", default=["bertscore", "mongescore"])
    parser.add_argument("--formats", nargs="+", default=["int8"], choices=("int8", "bfloat16"))
    parser.add_argument("--output", type=Path, help="write the table as JSON")
    args = parser.parse_args()
    texts, _ = find_texts(args.texts)
    speed = measure_speed(args.model, args.formats, texts, args.rounds)
    for name, ratio in speed.items():
        why = f"this processor has {describe_processor()}"
        report_target(f"{name} encoder {args.model} against float32", ratio, 1.8, why=why)
    rows = []
    if args.pairs:
        judged = read_judged(args.pairs)
        segments = [segment for pairs in judged.values() for segment, _ in pairs]
        environment = Environment.read()
        print(f"\n{len(segments)} pairs of {', '.join(judged)}")
        for metric in args.metrics:
            plain = score_all(metric, args.model, FLOAT, segments, environment)
            for name in args.formats:
                scores = score_all(metric, args.model, name, segments, environment)
                agreement = float(np.corrcoef(plain, scores)[0, 1])
                before, after = (pearson_by_pair(judged, values) for values in (plain, scores))
                print(f"  {metric} {name}: r with float32 {agreement:.5f}; with people {before:.4f} → {after:.4f}")
                report_target(f"{metric} {args.model} {name}: correlation with float32", agreement, 0.99, unit="")
                if np.isfinite(before):
                    change = abs(after - before)
                    report_target(f"{metric} {args.model} {name}: WMT17", change, 0.005, unit="", at_most=True)
                rows.append({"metric": metric, "format": name, "r": agreement, "float32": before, "wmt17": after})
    if args.output:
        args.output.write_text(json.dumps({"model": args.model, "speed": speed, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
