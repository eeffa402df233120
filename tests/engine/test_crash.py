"""kill -9 in the middle of a job: started again it goes on, and the result is the one of an undisturbed run."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from monge.encoders.store import Store

WORDS = re.findall(r"\S+", "the a boy girl dog cat ran walked home away quickly slowly in under coat rain sun . , ! ?")
LINES = 3200  # four chunks


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
        self.command = [sys.executable, "-m", "monge", "score", reference, "-i", hypothesis, *arguments]
        cache = {"MONGE_CACHE": str(folder / "cache"), "MONGE_NO_CACHE": "", "TMPDIR": str(folder)}
        self.environment = {**os.environ, **cache}

    def start(self, output: str) -> "subprocess.Popen[str]":
        target = str(self.folder / output)
        return subprocess.Popen(
            [*self.command, "--segments", target, "-f", "json"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, output: str) -> tuple[str, str, bytes]:
        process = self.start(output)
        printed, told = process.communicate(timeout=300)
        assert process.returncode == 0, told
        return printed, told, (self.folder / output).read_bytes()

    def finished_chunks(self) -> int:
        """How many chunks of scores are safe on disk."""
        directory = self.folder / "cache" / "scores"
        if not (directory / "index.sqlite").exists():
            return 0
        store = Store(directory)
        try:
            return sum(row.entries for row in store.summary())
        finally:
            store.close()


JOBS = {
    "lexical": ["-m", "chrf"],
    "transport": ["-m", "yisi1", "--encoder", "hashed", "--layers", "0"],
}


@pytest.mark.parametrize("arguments", JOBS.values(), ids=JOBS.keys())
def test_killed_jobs_go_on(arguments: list[str], texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "undisturbed").mkdir()
    (tmp_path / "killed").mkdir()
    expected = Job(tmp_path / "undisturbed", texts, [*arguments, "--no-cache"]).run("out.jsonl.gz")
    assert not (tmp_path / "undisturbed" / "cache" / "scores").exists()

    job = Job(tmp_path / "killed", texts, arguments)
    done = 0
    for _ in range(2):  # killed twice, each time after some progress
        process = job.start("out.jsonl.gz")
        deadline = time.monotonic() + 120
        while job.finished_chunks() <= done and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the job ended before it could be killed"
        assert not (tmp_path / "killed" / "out.jsonl.gz").exists()
        before, done = done, job.finished_chunks()
        assert done > before

    printed, told, segments = job.run("out.jsonl.gz")
    assert (printed, segments) == (expected[0], expected[2])
    assert f"of {LINES} scores come from an earlier run" in told
    again = job.run("out.jsonl.gz")
    assert (again[0], again[2]) == (printed, segments)
    assert "all scores come from an earlier run" in again[1]
