"""Load test of `monge serve` on this machine: many clients at once, then more than the queue can hold.

  python benchmarks/load_service.py [--clients 200] [--seconds 60] [--metric bertscore]

Every client sends its own texts and checks that the answer is the one for them (scored beforehand in this process), so
a lost or crossed answer is found. Memory of the service is read once a second. The second part runs a service with a
short queue: it must refuse with 503 and a reason, and answer the rest. Prints one JSON object.
"""

import argparse
import asyncio
import contextlib
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

from monge.metrics import load_metric
from monge.text import Segment

WORDS = Path(__file__).parent.parent.joinpath("examples/demo/reference.txt").read_text(encoding="utf-8").split()

Pair = tuple[Segment, float]  # texts and the score they must get


def make_pairs(count: int, seed: int = 12345) -> list[Segment]:
    """Return pairs of made-up sentences, all different."""
    rng = random.Random(seed)
    return [
        Segment(
            " ".join(rng.choices(WORDS, k=rng.randint(5, 25))), (" ".join(rng.choices(WORDS, k=rng.randint(5, 25))),)
        )
        for _ in range(count)
    ]


def start(arguments: list[str]) -> tuple[subprocess.Popen[bytes], str]:
    """Start the service on a free port and wait until it is healthy."""
    command = [sys.executable, "-m", "monge", "serve", "--port", "0", *arguments]
    log = Path(tempfile.mkdtemp(prefix="monge-load-")) / "service.log"
    with log.open("wb") as stream:
        service = subprocess.Popen(command, stderr=stream)
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


async def client(connection: Connection, number: int, pairs: list[Pair], metric: str, end: float, log: dict) -> None:
    """Send pair after pair until the time is over; check every answer."""
    rng = random.Random(number)
    while time.monotonic() < end:
        pair, expected = rng.choice(pairs)
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
            await asyncio.sleep(rng.uniform(0.1, 0.5))
            continue
        log["seconds"].append(time.monotonic() - begun)
        log["crossed"] += abs(answer["results"][0]["segments"][0]["value"] - expected) > 1e-5
    connection.close()


async def load(address: str, service: subprocess.Popen[bytes], clients: int, seconds: float, metric: str) -> dict:
    """Run all clients and return what happened."""
    texts = make_pairs(500)
    pairs = [(pair, score.value) for pair, score in zip(texts, load_metric(metric).score(texts), strict=True)]
    log = {"statuses": Counter(), "reasons": Counter(), "lost": Counter(), "seconds": [], "crossed": 0}
    stop, memory = asyncio.Event(), []

    async def watch() -> None:
        while not stop.is_set():
            memory.append(memory_mib(service))
            await asyncio.sleep(1)

    watcher = asyncio.create_task(watch())
    host, port = address.removeprefix("http://").rsplit(":", 1)
    begun = time.monotonic()
    end = begun + seconds
    await asyncio.gather(
        *(client(Connection(host, int(port)), number, pairs, metric, end, log) for number in range(clients))
    )
    lasted = time.monotonic() - begun
    stop.set()
    await watcher
    times = sorted(log["seconds"])
    quarter = max(1, len(memory) // 4)
    return {
        "clients": clients, "seconds": round(lasted, 1), "answers": len(times),
        "per_second": round(len(times) / lasted, 1),
        "p50_ms": round(1000 * times[len(times) // 2], 1) if times else None,
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1) if times else None,
        "statuses": dict(log["statuses"]), "reasons": dict(log["reasons"]), "lost": dict(log["lost"]),
        "crossed": log["crossed"],
        "memory_mib": {
            "first_quarter": round(statistics.mean(memory[:quarter]), 1),
            "last_quarter": round(statistics.mean(memory[-quarter:]), 1), "most": round(max(memory), 1),
        },
    }  # fmt: skip


def run(arguments: list[str], clients: int, seconds: float, metric: str) -> dict:
    """Run clients against one service and stop it; it must exit without an error."""
    service, address = start([*arguments, "-m", metric])
    try:
        result = asyncio.run(load(address, service, clients, seconds, metric))
    finally:
        service.terminate()
        result_code = service.wait(30)
    return result | {"exit_status": result_code}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--metric", default="bertscore")
    args = parser.parse_args()
    report = {
        "load": run([], args.clients, args.seconds, args.metric),
        "saturated": run(["--waiting", "16"], args.clients, min(args.seconds, 15), args.metric),
    }
    print(json.dumps(report, indent=1))
    failed = report["load"]["lost"] or report["load"]["crossed"] or report["saturated"]["crossed"]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
