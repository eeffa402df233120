"""kill -9 in the middle of a job: started again it goes on, and the result is the one of an undisturbed run."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from monge.storage.store import Store

WORDS = re.findall(r"\S+", "the a boy girl dog cat ran walked home away quickly slowly in under coat rain sun . , ! ?")
LINES = 3200  # four chunks, of 1000 lines but the last
# A job that is killed in a moment of its own choice: when the first chunk is safe, or when the bytes of the second one
# that it scores are on disk but not yet in the index.
KILLED = """
import os, signal, sys
from monge.cli import main
from monge.storage import pack_index
from monge.engine.journal import Journal

def die():
    os.kill(os.getpid(), signal.SIGKILL)

moment, keep, write, written = sys.argv.pop(1), Journal.keep, pack_index.write_blobs, []

def keep_and_die(self, *chunk):
    keep(self, *chunk)
    die()

def write_and_die(*blobs):
    write(*blobs)
    written.append(blobs)
    if len(written) == 2:
        die()

if moment == "kept":
    Journal.keep = keep_and_die
if moment == "half kept":
    pack_index.write_blobs = write_and_die
sys.exit(main())
"""


def write_texts(path: Path, seed: int) -> Path:
    generator = np.random.default_rng(seed)
    lines = [" ".join(generator.choice(WORDS, size=generator.integers(4, 9))) for _ in range(LINES)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("texts")
    return [str(write_texts(folder / name, seed)) for seed, name in enumerate(("ref.txt", "sys.txt"))]


class Job:
    """``monge score`` in a process of its own, with a cache of its own."""

    def __init__(self, folder: Path, texts: list[str], arguments: list[str]) -> None:
        self.folder = folder
        reference, hypothesis = texts
        self.arguments = ["score", reference, "-i", hypothesis, *arguments]
        cache = {"MONGE_CACHE": str(folder / "cache"), "MONGE_NO_CACHE": "", "TMPDIR": str(folder)}
        self.environment = {**os.environ, **cache}

    def start(self, output: str, killed: str = "never") -> "subprocess.CompletedProcess[str]":
        more = ["--segments", str(self.folder / output), "-f", "json"]
        command = [sys.executable, "-c", KILLED, killed, *self.arguments, *more]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=300)

    def run(self, output: str) -> tuple[str, str, bytes]:
        done = self.start(output)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr, (self.folder / output).read_bytes()

    def finished_chunks(self) -> int:
        """How many chunks of scores are safe on disk."""
        store = Store(self.folder / "cache" / "scores")
        try:
            return sum(row.entries for row in store.summary())
        finally:
            store.close()


JOBS = {
    "lexical": ["-m", "chrf"],
    "transport": ["-m", "yisi1", "--encoder", "hashed", "--layers", "0"],
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", JOBS.values(), ids=JOBS.keys())
def test_killed_jobs_go_on(arguments: list[str], texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "undisturbed").mkdir()
    (tmp_path / "killed").mkdir()
    expected = Job(tmp_path / "undisturbed", texts, [*arguments, "--no-cache"]).run("out.jsonl.gz")
    assert not (tmp_path / "undisturbed" / "cache" / "scores").exists()

    job = Job(tmp_path / "killed", texts, arguments)
    for safe, moment in enumerate(("kept", "half kept"), start=1):
        assert job.start("out.jsonl.gz", moment).returncode == -signal.SIGKILL
        assert not (tmp_path / "killed" / "out.jsonl.gz").exists()
        assert job.finished_chunks() == safe

    printed, told, segments = job.run("out.jsonl.gz")
    assert (printed, segments) == (expected[0], expected[2])
    assert f"2000 of {LINES} scores come from an earlier run" in told
    again = job.run("out.jsonl.gz")
    assert (again[0], again[2]) == (printed, segments)
    assert "all scores come from an earlier run" in again[1]
