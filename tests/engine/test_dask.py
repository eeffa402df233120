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

    def __init__(self, folder: Path, faults: dict[int, str], count: int = LINES) -> None:
        self.folder = folder
        words = ["the", "boy", "in", "a", "coat", "ran", "home", "quickly", "under", "rain"]
        for name, step in (("ref", 3), ("hyp", 5)):
            lines = [" ".join(words[(n * step + k) % len(words)] for k in range(3 + n % 5)) for n in range(count)]
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

    def replace_worker(self, *more: str, habits: str = "") -> None:
        """End the worker and start another."""
        self.worker.kill()
        self.worker.wait()
        self.worker = self.start_worker(*more, habits=habits)

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        return self._start("scheduler", "--port", str(self.port), "--no-dashboard", "--host", "127.0.0.1")

    def start_worker(self, *more: str, habits: str = "") -> "subprocess.Popen[bytes]":
        """Start a worker; *habits* is code that it runs before anything else."""
        options = ["--nthreads", "1", "--no-dashboard", "--death-timeout", "60", *(more or ("--no-nanny",))]
        place = ["--local-directory", str(self.folder / "dask")]
        return self._start("worker", self.address, *options, *place, habits=habits)

    def _start(self, *arguments: str, habits: str = "") -> "subprocess.Popen[bytes]":
        path = os.environ.get("PYTHONPATH", "")
        if habits:
            folder = self.folder / "habits"
            folder.mkdir(exist_ok=True)
            (folder / "sitecustomize.py").write_text(habits, encoding="utf-8")
            path = os.pathsep.join([str(folder), path])
        around = {**os.environ, "MONGE_NO_CACHE": "1", "PYTHONPATH": path}
        around["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "0"  # a task that ends its worker is reported at once
        with open(self.folder / "cluster.log", "ab") as log:
            command = [sys.executable, "-m", "distributed.cli." + f"dask_{arguments[0]}", *arguments[1:]]
            return subprocess.Popen(command, stdout=log, stderr=log, env=around)

    def stop(self) -> None:
        self.worker.terminate()  # a nanny then ends its own worker
        try:
            self.worker.wait(20)
        except subprocess.TimeoutExpired:
            self.worker.kill()
            self.worker.wait()
        self.scheduler.kill()
        self.scheduler.wait()


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


@pytest.mark.slow
def test_a_worker_that_runs_out_of_memory_gets_smaller_chunks(cluster: Cluster, faulty: Path, tmp_path: Path) -> None:
    """The nanny kills a worker beyond its limit; five segments at once are too many for it, four are not."""
    cluster.replace_worker("--nanny", "--memory-limit", "700MB")
    texts = Texts(tmp_path, {13: "hungry"}, count=20)
    place = ["--executor", "dask", "--scheduler", cluster.address]
    through, said = texts.run("dask.jsonl", "-m", "faulty", *place)
    assert "no score" not in said
    assert "exceeded 95% memory budget" in (tmp_path / "cluster.log").read_text(encoding="utf-8")
    assert through == texts.run("inline.jsonl", "-m", "faulty")[0]


CLOCK = "import time; now = time.time; time.time = lambda: now() + 86_400"
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))"


@pytest.mark.slow
@pytest.mark.parametrize("habits", [CLOCK, FULL], ids=["a clock a day ahead", "a full disk"])
def test_a_worker_with_bad_habits_changes_nothing(cluster: Cluster, tmp_path: Path, habits: str) -> None:
    cluster.replace_worker(habits=habits)
    texts = Texts(tmp_path, {})
    shards = tmp_path / "shards"
    metrics = ["-m", "chrf", "yisi1,encoder=hashed,layers=0"]
    place = ["--executor", "dask", "--scheduler", cluster.address, "--shards", f"file://{shards}"]
    through, _ = texts.run("dask.jsonl", *metrics, *place)
    assert through == texts.run("inline.jsonl", *metrics)[0]
    files = [path for path in shards.rglob("*") if path.is_file()]
    assert not [path for path in files if path.suffix == ".tmp"]
    assert len(files) == 2 * 3  # two metrics, three chunks: what the worker could not keep, the client kept
    assert max(path.stat().st_size for path in files) > 4_000


@pytest.mark.slow
def test_a_worker_of_another_version_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    from monge.version import __version__

    cluster.replace_worker(habits="import monge.version; monge.version.__version__ = '0.0.9'")
    texts = Texts(tmp_path, {})
    refused = texts.start("dask.jsonl", "-m", "chrf", "--executor", "dask", "--scheduler", cluster.address)
    _, said = refused.communicate(timeout=240)
    assert refused.returncode == 2
    assert f"has monge 0.0.9, but this job was started with monge {__version__}" in said
    assert not (tmp_path / "dask.jsonl").exists()


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from monge.engine import dask_pool
    from monge.errors import OptionError

    monkeypatch.setattr(dask_pool, "FIRST_PATIENCE", 0.1)
    with pytest.raises(OptionError, match=r"no Dask workers at tcp://127\.0\.0\.1:9"):
        dask_pool.DaskPool("tcp://127.0.0.1:9", None)
