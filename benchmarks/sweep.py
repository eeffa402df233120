"""A job against its encoder: fifty settings on stored vectors, five metrics in one pass, and ten lines from the start.

  python benchmarks/sweep.py [--pairs 4000] [--cold-pairs 100] [--rounds 2] [--only grid cold start]

`grid`: 50 settings of bertscore, emd and moverscore over the same pairs, as one job, when the vectors are stored; the
first run of the three metrics from an empty cache is the measure. `cold`: bertscore, moverscore, emd, cosine and
mongescore in one job from an empty cache, against the passes of its encoders (MiniLM and MPNet) over the same texts
alone; what a job of one pair takes, nearly all of it loading, is subtracted. `start`: the whole command `monge score`
on ten lines, from an empty cache. Scores are not stored. Ratios are of processor time, which other load on the machine
disturbs less than the clock.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple

from shared import find_pairs, report_target

from monge.encoders import load_encoder
from monge.engine.job import score_works
from monge.engine.journal import Journal
from monge.engine.recipes import Work
from monge.engine.spool import SegmentSpool, spool_segments
from monge.environment import Environment
from monge.metrics import load_metric
from monge.report.tables import text_table
from monge.text import make_segments

TOGETHER = ("bertscore", "moverscore", "emd", "cosine", "mongescore")
PASSES = {"minilm": 6, "mpnet": 12}  # encoder → its deepest layer that one of TOGETHER reads


class Taken(NamedTuple):
    """Seconds by the clock and of the processor."""

    wall: float
    processor: float


def measure(run: Callable[[], object]) -> Taken:
    """Time one call; threads of this process count."""
    start, used = time.perf_counter(), time.process_time()
    run()
    return Taken(time.perf_counter() - start, time.process_time() - used)


@contextmanager
def empty_cache() -> Iterator[Environment]:
    """Yield an environment whose cache holds the models and nothing else."""
    usual = Environment.read()
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "models").symlink_to(usual.cache_directory / "models", target_is_directory=True)
        yield dataclasses.replace(usual, cache_directory=Path(name), cache=True, cache_bytes=40 << 30)


def list_grid() -> list[tuple[str, dict[str, str]]]:
    """Return 50 settings, as metric and options."""
    greedy = product(("3", "4"), ("1", "2", "3"), ("0.1", "0.3", "0.5", "0.7", "0.9"))
    moved = product(("1", "2", "3"), ("cosine", "euclidean"))
    mover = product(("1", "2"), ("1", "2", "3"), ("idf", "uniform"))
    grid = [("bertscore", {"layers": layers, "order": p, "alpha": alpha}) for layers, p, alpha in greedy]
    grid += [("emd", {"order": p, "cost": cost}) for p, cost in moved]
    grid += [("moverscore", {"ngram": n, "order": p, "weighting": weighting}) for n, p, weighting in mover]
    grid += [("moverscore", {"cost": "cosine"}), ("moverscore", {"drop": "special"})]
    assert len(grid) == 50
    return grid


def load_works(
    settings: Sequence[tuple[str, dict[str, str]]], segments: SegmentSpool, environment: Environment
) -> list[Work]:
    """Return bound metrics, ready to score."""
    works = []
    for number, (name, options) in enumerate(settings):
        metric = load_metric(name, **options, environment=environment)
        works.append(Work(f"{name} {number}", metric if metric.bound else metric.bind(segments)))
    return works


def measure_job(settings: Sequence[tuple[str, dict[str, str]]], pairs: SegmentSpool, environment: Environment) -> Taken:
    """Time binding and scoring with all settings as one job."""
    return measure(lambda: score_works(load_works(settings, pairs, environment), pairs, journal=Journal(None)))


def spool_pairs(count: int) -> tuple[SegmentSpool, list[str], str]:
    """Return the pairs, their different texts, and where they are from."""
    hypotheses, references, origin = find_pairs(count)
    return spool_segments(make_segments(hypotheses, references)), list(dict.fromkeys(hypotheses + references)), origin


def run_grid(count: int) -> None:
    """Measure the grid against the first run."""
    pairs, _, origin = spool_pairs(count)
    with empty_cache() as environment:
        first = [("bertscore", {"layers": "3"}), ("bertscore", {"layers": "4"}), ("emd", {}), ("moverscore", {})]
        load_encoder("minilm", environment=environment).encode(["warm up"])
        cold = measure_job(first, pairs, environment)
        warm = measure_job(list_grid(), pairs, environment)
    rows = [["first run", *(f"{part:.1f}" for part in cold), ""]]
    rate = f"{50 * len(pairs) / warm.processor:,.0f}"
    rows.append(["50 settings, vectors stored", *(f"{part:.1f}" for part in warm), rate])
    print(f"\n{len(pairs)} {origin}, MiniLM")
    print(text_table(["", "seconds", "processor s", "scores per processor s"], rows))
    report_target(
        "50 settings against one cold run",
        warm.processor / cold.processor,
        2,
        at_most=True,
        why=f"a setting takes {warm.processor / 50:.2f} s of processor time, the first run {cold.processor:.1f} s",
    )


def run_cold(count: int, rounds: int) -> None:
    """Measure a job of five metrics against the passes of its two encoders."""
    pairs, texts, origin = spool_pairs(count)
    plain = dataclasses.replace(Environment.read(), cache=False)
    encoders = {name: load_encoder(name, environment=plain) for name in PASSES}
    taken: dict[str, list[Taken]] = {name: [] for name in (*PASSES, "start", "job")}
    together, one = [(name, {}) for name in TOGETHER], spool_pairs(1)[0]
    for encoder in encoders.values():
        encoder.encode(texts[:8])
    with empty_cache() as environment:  # imports what is needed
        measure_job(together, one, environment)
    for _ in range(rounds):
        for name, encoder in encoders.items():
            taken[name].append(measure(lambda encoder=encoder, name=name: encoder.encode(texts, [PASSES[name]])))
        for name, given in (("start", one), ("job", pairs)):
            with empty_cache() as environment:
                taken[name].append(measure_job(together, given, environment))
    wall, used = ({name: statistics.median(one[k] for one in runs) for name, runs in taken.items()} for k in (0, 1))
    rows = [[name, f"{wall[name]:.1f}", f"{used[name]:.1f}"] for name in taken]
    rows[-2:] = [["job of one pair", *rows[-2][1:]], [f"job: {' '.join(TOGETHER)}", *rows[-1][1:]]]
    print(f"\n{len(pairs)} {origin}, median of {rounds} rounds; loaded encoders alone, then jobs from an empty cache")
    print(text_table(["", "seconds", "processor s"], rows))
    passes, job = used["mpnet"] + used["minilm"], used["job"] - used["start"] * (1 - 1 / len(pairs))
    report_target(
        "five metrics against their deepest encoder pass",
        job / used["mpnet"],
        1.1,
        at_most=True,
        why=f"they need two encoders: the pass of MiniLM takes {used['minilm'] / used['mpnet']:.2f} of that of MPNet, "
        f"so {passes / used['mpnet']:.2f} is the least",
    )
    report_target(
        "five metrics against the passes of their two encoders",
        job / passes,
        1.1,
        at_most=True,
        why=f"{job - passes:.1f} s of {job:.1f} s of processor time are not the encoders",
    )


def run_start(rounds: int) -> None:
    """Measure `monge score` on ten lines."""
    hypotheses, references, _ = find_pairs(10)
    rows = []
    for metric in ("chrf", "bertscore"):
        runs = []
        for _ in range(rounds + 1):
            with empty_cache() as environment:
                folder = environment.cache_directory
                for name, lines in (("hypotheses", hypotheses), ("references", references)):
                    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
                files = [str(folder / "references"), "-i", str(folder / "hypotheses")]
                before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                subprocess.run(
                    [sys.executable, "-m", "monge", "score", *files, "-m", metric, "-q"],
                    env={**os.environ, "MONGE_CACHE": str(folder)},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
                used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                runs.append(Taken(wall, used))
        best = Taken(*(min(column) for column in zip(*runs, strict=True)))
        rows.append([metric, f"{best.wall:.2f}", f"{best.processor:.2f}"])
        why = f"{best.processor:.2f} s of processor time; load of the machine {os.getloadavg()[0]:.1f}"
        report_target(f"monge score -m {metric} of ten lines", best.wall, 1.5, unit="s", at_most=True, why=why)
    print("\nthe command `monge score` on ten lines, from an empty cache, fastest run")
    print(text_table(["", "seconds", "processor s"], rows))


def main() -> None:
    """Measure all three."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=4000, help="of the grid")
    parser.add_argument("--cold-pairs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=["grid", "cold", "start"], default=["grid", "cold", "start"])
    args = parser.parse_args()
    if "start" in args.only:
        run_start(args.rounds)
    if "cold" in args.only:
        run_cold(args.cold_pairs, args.rounds)
    if "grid" in args.only:
        run_grid(args.pairs)


if __name__ == "__main__":
    main()
