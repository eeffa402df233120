"""Load test of `monge serve` on this machine: many clients at once, then more than the queue can hold.

  python benchmarks/load_service.py [--clients 200] [--seconds 10] [--rounds 2] [--metric bertscore] [--before SRC]

Services run in turns, one at a time, so that other load on the machine affects all of them: as it is, in int8, and with
`--before` that of another checkout (its folder `src`, or a commit of this one whose native code is the same). Clients
send pairs out of 500 again and again, after all of them were sent once; or (`new texts`) only pairs that were never
sent before. Every answer must be the one for the client's own texts: pairs out of 500 are scored in this process too,
and so is a sample of the others; so a lost or crossed answer is found. Memory of the service is read once a second. The
last service has a short queue: it must refuse with 503 and a reason, and answer the rest. The encoder alone on as many
new texts at once is what batches across requests could reach at most. Prints a table and targets; `--output` writes
everything as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from shared import report_target

from monge.environment import Environment
from monge.metrics import load_metric
from monge.text import Segment

WORDS = Path(__file__).parent.parent.joinpath("examples/demo/reference.txt").read_text(encoding="utf-8").split()

CHECKED = 60  # answers for new texts whose scores are compared


@dataclass(frozen=True)
class Mode:
    """A service: its arguments, the folder of its code (None: this one), and whether clients send new texts only."""

    name: str
    arguments: tuple[str, ...] = ()
    source: str | None = None
    dtype: str = "float32"
    fresh: bool = False


def make_texts(seed: int) -> Iterator[Segment]:
    """Yield pairs of made-up sentences, all different."""
    rng = random.Random(seed)
    while True:
        hypothesis, reference = (" ".join(rng.choices(WORDS, k=rng.randint(5, 25))) for _ in range(2))
        yield Segment(hypothesis, (reference,))


def make_pairs(count: int, seed: int = 12345) -> list[Segment]:
    """Return *count* pairs of made-up sentences."""
    return list(itertools.islice(make_texts(seed), count))


def start(arguments: list[str], source: str | None = None) -> tuple[subprocess.Popen[bytes], str]:
    """Start the service on a free port and wait until it is healthy."""
    command = [sys.executable, "-m", "monge", "serve", "--port", "0", *arguments]
    log = Path(tempfile.mkdtemp(prefix="monge-load-")) / "service.log"
    environment = {**os.environ, **({} if source is None else {"PYTHONPATH": source})}
    with log.open("wb") as stream:
        service = subprocess.Popen(command, stderr=stream, env=environment)
    while service.poll() is None:
        time.sleep(0.1)
        found = re.search(r"http://\S+", log.read_text(encoding="utf-8"))
        with contextlib.suppress(httpx.TransportError):
            if found and httpx.get(f"{found[0]}/healthz").status_code == 200:
                return service, found[0]
    raise SystemExit(f"the service did not start; see {log}")


def memory_mib(process: subprocess.Popen[bytes]) -> float:
    """Return the resident memory of a process (Linux)."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return how long a process has computed (Linux)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Connection:
    """A minimal keep-alive HTTP/1.1 connection, so that the load comes from the service and not from the clients."""

    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, dict]:
        """Return status and answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._place)
        reader, writer = self._streams
        head = f"POST {path} HTTP/1.1\r\nhost: {self._place[0]}\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        return int(lines[0].split()[1]), json.loads(await reader.readexactly(length))

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


Log = dict[str, Any]


async def client(connection: Connection, draw: Callable[[], Segment], metric: str, end: float, log: Log) -> None:
    """Send pair after pair until the time is over, and keep the answers."""
    while time.monotonic() < end:
        pair = draw()
        segment = {"hypothesis": pair.hypothesis, "references": list(pair.references)}
        body = json.dumps({"metrics": [{"name": metric}], "segments": [segment]}).encode()
        begun = time.monotonic()
        try:
            status, answer = await connection.post("/api/score", body)
        except (OSError, EOFError) as error:
            log["lost"][type(error).__name__] += 1
            connection.close()
            continue
        log["statuses"][status] += 1
        if status != 200:
            log["reasons"][answer["error"]] += 1
            await asyncio.sleep(random.uniform(0.1, 0.5))
            continue
        log["seconds"].append(time.monotonic() - begun)
        log["answers"].append((pair, answer["results"][0]["segments"][0]["value"]))
    connection.close()


async def load(address: str, service: subprocess.Popen[bytes], clients: int, seconds: float, metric: str, *,
               draw: Callable[[], Segment]) -> Log:  # fmt: skip
    """Run all clients and return what happened."""
    log: Log = {"statuses": Counter(), "reasons": Counter(), "lost": Counter(), "seconds": [], "answers": []}
    stop, memory = asyncio.Event(), []

    async def watch() -> None:
        while not stop.is_set():
            memory.append(memory_mib(service))
            await asyncio.sleep(1)

    watcher = asyncio.create_task(watch())
    host, port = address.removeprefix("http://").rsplit(":", 1)
    begun, used = time.monotonic(), processor_seconds(service)
    end = begun + seconds
    await asyncio.gather(*(client(Connection(host, int(port)), draw, metric, end, log) for _ in range(clients)))
    lasted, used = time.monotonic() - begun, processor_seconds(service) - used
    stop.set()
    await watcher
    quarter = max(1, len(memory) // 4)
    return log | {
        "lasted": lasted, "processor_ms": round(1000 * used / max(1, len(log["seconds"])), 2),
        "memory_mib": {
            "first_quarter": round(statistics.mean(memory[:quarter]), 1),
            "last_quarter": round(statistics.mean(memory[-quarter:]), 1), "most": round(max(memory), 1),
        },
    }  # fmt: skip


class Checker:
    """Finds answers that are not those for the texts that were sent."""

    def __init__(self, metric: str) -> None:
        self._metric = metric
        self.pairs = make_pairs(500)
        self._known: dict[str, dict[Segment, float]] = {}

    def count_crossed(self, mode: Mode, answers: list[tuple[Segment, float]]) -> int:
        """Return how many of *answers* (of new texts: of a sample of them) are wrong."""
        checked = random.Random(0).sample(answers, min(CHECKED, len(answers))) if mode.fresh else answers
        known = self._score(mode.dtype, [pair for pair, _ in checked] if mode.fresh else self.pairs)
        return sum(abs(value - known[pair]) > 1e-5 for pair, value in checked)

    def _score(self, dtype: str, pairs: list[Segment]) -> dict[Segment, float]:
        if pairs is self.pairs and dtype in self._known:
            return self._known[dtype]
        metric = load_metric(self._metric, **({} if dtype == "float32" else {"dtype": dtype}))
        scores = {pair: score.value for pair, score in zip(pairs, metric.score(pairs), strict=True)}
        if pairs is self.pairs:
            self._known[dtype] = scores
        return scores


def warm_up(address: str, metric: str, pairs: list[Segment]) -> None:
    """Have every pair scored once."""
    segments = [{"hypothesis": pair.hypothesis, "references": list(pair.references)} for pair in pairs]
    body = {"metrics": [{"name": metric}], "segments": segments}
    httpx.post(f"{address}/api/score", json=body, timeout=60).raise_for_status()


def run(mode: Mode, clients: int, seconds: float, metric: str, checker: Checker) -> Log:
    """Run clients against one service and stop it; it must exit without an error."""
    service, address = start([*mode.arguments, "-m", metric], mode.source)
    new, rng = make_texts(random.randrange(1 << 60)), random.Random(1)
    draw = (lambda: next(new)) if mode.fresh else (lambda: rng.choice(checker.pairs))
    try:
        warm_up(address, metric, checker.pairs)
        log = asyncio.run(load(address, service, clients, seconds, metric, draw=draw))
    finally:
        service.terminate()
        exit_status = service.wait(30)
    times = sorted(log.pop("seconds"))
    lasted, answers = log.pop("lasted"), log.pop("answers")
    return {
        "service": mode.name, "clients": clients, "seconds": round(lasted, 1), "answers": len(times),
        "per_second": round(len(times) / lasted, 1),
        "p50_ms": round(1000 * times[len(times) // 2], 1) if times else None,
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1) if times else None,
        **{name: dict(log[name]) for name in ("statuses", "reasons", "lost")},
        "crossed": checker.count_crossed(mode, answers), "processor_ms": log["processor_ms"],
        "memory_mib": log["memory_mib"], "exit_status": exit_status,
    }  # fmt: skip


def measure_encoder(metric: str, pairs: list[Segment], *, at_once: int) -> tuple[float, float]:
    """Return the milliseconds per pair, by the clock and of the processor, of the encoder alone."""
    loaded = load_metric(metric, environment=dataclasses.replace(Environment.read(), cache=False))
    reading = loaded.encodings()[0]
    texts = [text for pair in pairs for text in (pair.hypothesis, *pair.references)]
    reading.encoder.encode(texts[:8], reading.layers)
    best = (math.inf, math.inf)
    for _ in range(3):
        start, used = time.perf_counter(), time.process_time()
        for first in range(0, len(texts), 2 * at_once):
            reading.encoder.encode(texts[first : first + 2 * at_once], reading.layers)
        best = min(best, (time.perf_counter() - start, time.process_time() - used))
    return 1000 * best[0] / len(pairs), 1000 * best[1] / len(pairs)


@contextlib.contextmanager
def checked_out(before: str | None) -> Iterator[str | None]:
    """Yield the folder `src` of *before*: a folder, or a commit, whose Python files are put beside our native code."""
    if before is None or Path(before).is_dir():
        yield before
        return
    root = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run(["git", "-C", str(root), "archive", before, "src"], capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"--before {before}: neither a folder nor a commit of this repository")
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(name, filter="data")
        for library in (root / "src").rglob("*.so"):
            target = Path(name) / library.relative_to(root)
            if target.parent.is_dir():
                shutil.copy(library, target)
        yield str(Path(name) / "src")


def summarise(reports: list[Log], metric: str, clients: int) -> None:
    """Print a row per service and one of the encoder alone, and the targets if there is a service from before."""

    def median(name: str, field: str) -> float:
        return statistics.median(report[field] for report in reports if report["service"] == name)

    names = list(dict.fromkeys(report["service"] for report in reports))
    print(f"{'service':<24}{'answers/s':>10}{'p50 ms':>9}{'p99 ms':>9}{'processor ms per answer':>25}")
    for name in names:
        rate, *others = (median(name, field) for field in ("per_second", "p50_ms", "p99_ms", "processor_ms"))
        print(f"{name:<24}{rate:>10.0f}{others[0]:>9.0f}{others[1]:>9.0f}{others[2]:>25.2f}")
    pairs = make_pairs(clients, seed=54321)
    for at_once, name in ((1, "encoder, pair by pair"), (clients, "encoder, all at once")):
        alone = measure_encoder(metric, pairs, at_once=at_once)
        print(f"{name:<24}{1000 / alone[0]:>10.0f}{'':>18}{alone[1]:>25.2f}")
    for now, then in (("now", "before"), ("now, new texts", "before, new texts"),
                      ("now, int8, new texts", "before, new texts")):  # fmt: skip
        if then in names and now in names:
            ratio = median(now, "per_second") / median(then, "per_second")
            why = (
                f"an answer takes {median(now, 'processor_ms'):.1f} ms of processor time "
                f"({median(then, 'processor_ms'):.1f} ms before)"
            )
            if now == "now, new texts":
                why += (
                    f"; the encoder alone needs {alone[1]:.1f} ms even on all texts at once: all cores "
                    f"together encode {1000 / alone[0]:.0f} pairs per second at most, the clients not counted"
                )
            report_target(f"service, {now} against {then}: answers per second", ratio, 3, why=why)
            slower = median(now, "p99_ms") / median(then, "p99_ms")
            report_target(f"service, {now} against {then}: p99", slower, 1, at_most=True, why=why)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--metric", default="bertscore")
    parser.add_argument("--before", metavar="SRC", help="folder src of a checkout to compare with, or a commit")
    parser.add_argument("--output", type=Path, help="write what was measured as JSON")
    args = parser.parse_args()
    int8 = ("--dtype", "int8")
    modes = [Mode("now"), Mode("now, new texts", fresh=True), Mode("now, int8, new texts", int8, None, "int8", True)]
    checker = Checker(args.metric)
    with checked_out(args.before) as before:
        if before:
            modes += [Mode("before", source=before), Mode("before, new texts", source=before, fresh=True)]
        reports = [
            run(mode, args.clients, args.seconds, args.metric, checker) for _ in range(args.rounds) for mode in modes
        ]
    print(f"{args.clients} clients, {args.seconds:g} s each, median of {args.rounds} rounds, {args.metric}")
    summarise(reports, args.metric, args.clients)
    full = Mode("short queue", ("--waiting", "16", "--memory", "0"))
    short = run(full, args.clients, min(args.seconds, 15), args.metric, checker)
    print(f"a queue of 16: {short['statuses'].get(200, 0)} answers, {short['statuses'].get(503, 0)} refused")
    reports.append(short)
    print(f"memory of the service at most {max(report['memory_mib']['most'] for report in reports):.0f} MiB")
    wrong = sum(report["crossed"] + sum(report["lost"].values()) for report in reports if report is not short)
    report_target("service: answers lost or crossed", wrong + short["crossed"], 0, unit="", at_most=True)
    if args.output:
        args.output.write_text(json.dumps(reports, indent=1) + "\n", encoding="utf-8")
    failed = any(report["crossed"] or (report["lost"] and report["service"] != full.name) for report in reports)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
