"""What the benchmarks share: test data, rounds in turns, and targets."""

from __future__ import annotations

import csv
import html
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def find_pairs(count: int) -> tuple[list[str], list[str], str]:
    """Return *count* hypotheses, their references, and their origin: WMT17 if it is present, otherwise made up."""
    data = Path(os.environ.get("MONGE_DATA", ROOT.parent / "shared" / "data"))
    table = data / "wmt17_da_toen" / "wmt17_da_seglevel_full560.tsv"
    if table.is_file():
        with table.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        random.Random(0).shuffle(rows)
        chosen = rows[:count]
        texts = [[html.unescape(row[side]) for row in chosen] for side in ("hypothesis", "reference")]
        return texts[0], texts[1], "WMT17 to-English pairs"
    hypotheses, references = make_pairs(count)
    return hypotheses, references, "made-up pairs (no WMT17 data on this machine)"


def make_pairs(count: int, *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return made-up pairs, all different: words of the example in random order, two of three of them shared."""
    words = (ROOT / "examples" / "demo" / "reference.txt").read_text(encoding="utf-8").split()
    generator = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(count):
        reference = generator.choices(words, k=generator.randint(8, 36))
        hypotheses.append(" ".join(w if generator.random() < 0.67 else generator.choice(words) for w in reference))
        references.append(" ".join(reference))
    return hypotheses, references


def run_in_turns(rivals: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the wall seconds of *rounds* runs of each candidate; they take turns, so that other load affects all."""
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def median_ratio(slow: list[float], fast: list[float]) -> float:
    """Return the median over rounds of how many times longer *slow* took."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))


def report_target(
    name: str, value: float, wanted: float, *, unit: str = "×", at_most: bool = False, why: str = ""
) -> None:
    """Print a line that says whether a target is met, and if it is not, *why*, in measured numbers.

    `run.py` gathers these lines.
    """
    met = value <= wanted if at_most else value >= wanted
    sign = "≤" if at_most else "≥"
    shown = f"{value:,.0f}" if value >= 1000 else f"{value:.{5 if 0.99 <= value < 1 else 3}g}"
    wish = f"{wanted:,.0f}" if wanted >= 1000 else f"{wanted:g}"
    print(f"target: {name} | {shown} {unit} | {sign} {wish} {unit} | {'met' if met else 'not met'}")
    if why and not met:
        print(f"why: {name} | {why}")
