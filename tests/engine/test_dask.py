"""A job on Dask workers, with workers killed, a scheduler that comes back, and two clients: the bytes stay the same."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

LINES = 2600  # three chunks
FAULTY = ["-m", "faulty", "chrf"]


class Texts:
    """Two files of texts; a line of the output may hold a fault."""

    def __init__(self, folder: Path, faults: dict[int, str]) -> None:
        self.folder = folder
        words = ["the", "boy", "in", "a", "coat", "ran", "home", "quickly", "under", "rain"]
        for name, step in (("ref", 3), ("hyp", 5)):
            lines = [" ".join(words[(n * step + k) % len(words)] for k in range(3 + n % 5)) for n in range(LINES)]
            if name == "hyp":
                lines = [f"{line} {faults.get(n, '')}".strip() for n, line in enumerate(lines)]
            (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def command(self, output: str, *more: str) -> list[str]:
        texts = [str(self.folder / "ref.txt"), "-i", str(self.folder / "hyp.txt")]
        return [sys.executable, "-m", "monge", "score", *texts, "--segments", str(self.folder / output), "-q", *more]

    def start(self, output: str, *more: str) -> "subprocess.Popen[str]":
        environment = {**os.environ, "MONGE_CACHE": str(self.folder / f"cache-{output}"), "MONGE_NO_CACHE": ""}
        return subprocess.Popen(
            self.command(output, *more), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def finish(self, process: "subprocess.Popen[str]", output: str) -> tuple[bytes, str]:
        printed, said = process.communicate(timeout=240)
        assert process.returncode == 0, said
        return printed.encode() + (self.folder / output).read_bytes(), said

    def run(self, output: str, *more: str) -> tuple[bytes, str]:
        return self.finish(self.start(output, *more), output)


def scored(folder: Path) -> list[str]:
    return (folder / "scored.log").read_text(encoding="utf-8").split()


def test_a_killed_dask_worker_changes_nothing(faulty: Path, tmp_path: Path) -> None:
    texts = Texts(tmp_path, {1500: "die once"})
    yisi = ["-m", "faulty", "yisi1,encoder=hashed,layers=0", "bleu"]
    killed, _ = texts.run("dask.jsonl", *yisi, "--executor", "dask", "--workers", "2")
    assert (faulty / "died").exists()
    assert killed == texts.run("inline.jsonl", *yisi)[0]


class Cluster:
    """A scheduler and a worker as processes of their own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.address = f"tcp://127.0.0.1:{port}"
        self.port = port
        self.scheduler = self.start_scheduler()
        self.worker = self.start_worker()

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        return self._start("scheduler", "--port", str(self.port), "--no-dashboard", "--host", "127.0.0.1")

    def start_worker(self) -> "subprocess.Popen[bytes]":
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
        return self._start("worker", self.address, *options, "--local-directory", str(self.folder / "dask"))

    def _start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        with open(self.folder / "cluster.log", "ab") as log:
            command = [sys.executable, "-m", "distributed.cli." + f"dask_{arguments[0]}", *arguments[1:]]
            return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "MONGE_NO_CACHE": "1"})

    def stop(self) -> None:
        for process in (self.worker, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(faulty: Path, tmp_path: Path) -> Iterator[Cluster]:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = Cluster(tmp_path, port)
    yield running
    running.stop()


def wait_for(condition: "object", seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_scheduler_that_comes_back(cluster: Cluster, faulty: Path, tmp_path: Path) -> None:
    texts = Texts(tmp_path, {500: "sleepy", 1500: "sleepy", 2500: "sleepy"})
    place = ["--executor", "dask", "--scheduler", cluster.address, "--shards", f"file://{tmp_path}/shards"]
    running = texts.start("dask.jsonl", *FAULTY, *place)
    wait_for(lambda: (faulty / "scored.log").exists() and "501" in scored(faulty))
    cluster.scheduler.send_signal(signal.SIGKILL)
    cluster.scheduler.wait()
    cluster.worker.kill()
    cluster.worker.wait()
    cluster.scheduler = cluster.start_scheduler()
    cluster.worker = cluster.start_worker()
    through, said = texts.finish(running, "dask.jsonl")
    assert "is gone; waiting for it" in said
    assert through == texts.run("inline.jsonl", *FAULTY)[0]


@pytest.mark.slow
def test_two_clients_share_the_work(cluster: Cluster, faulty: Path, tmp_path: Path) -> None:
    texts = Texts(tmp_path, {500: "sleepy", 1500: "sleepy", 2500: "sleepy"})
    place = ["--executor", "dask", "--scheduler", cluster.address, "--shards", f"file://{tmp_path}/shards"]
    running = [texts.start(f"{n}.jsonl", *FAULTY, *place) for n in range(2)]
    found = [texts.finish(process, f"{n}.jsonl")[0] for n, process in enumerate(running)]
    assert found[0] == found[1]
    done = scored(faulty)
    assert len(done) == len(set(done)) == LINES  # nothing was scored twice
    assert found[0] == texts.run("inline.jsonl", *FAULTY)[0]


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from monge.engine import dask_pool
    from monge.errors import OptionError

    monkeypatch.setattr(dask_pool, "FIRST_PATIENCE", 0.1)
    with pytest.raises(OptionError, match=r"no Dask workers at tcp://127\.0\.0\.1:9"):
        dask_pool.DaskPool("tcp://127.0.0.1:9", None)
