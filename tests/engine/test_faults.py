"""A job on a bad day: a full disk, company, a cache that is damaged. No wrong score, no lost output."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

LINES = 1100  # two chunks


class Runner:
    """``monge score`` of the same texts in a process of its own, with a cache of its own."""

    def __init__(self, folder: Path, encoder: Path) -> None:
        self.folder = folder
        self.encoder = encoder
        generator = np.random.default_rng(0)
        words = ["the", "boy", "in", "a", "coat", "ran", "home", "."]
        for name in ("ref", "hyp"):
            lines = [" ".join(generator.choice(words, size=generator.integers(3, 8))) for _ in range(LINES)]
            (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def start(self, output: str, *more: str, largest_file: int | None = None) -> "subprocess.Popen[str]":
        texts = [str(self.folder / "ref.txt"), "-i", str(self.folder / "hyp.txt")]
        metrics = ["-m", f"yisi1:=yisi1,encoder={self.encoder},layers=0", "chrf"]
        output = str(self.folder / output)
        return subprocess.Popen(
            [sys.executable, "-m", "monge", "score", *texts, *metrics, "--segments", output, "-f", "json", *more],
            env={**os.environ, "MONGE_CACHE": str(self.folder / "cache"), "MONGE_NO_CACHE": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if largest_file is None else lambda: limit_files(largest_file),
        )

    def finish(self, process: "subprocess.Popen[str]", output: str) -> tuple[str, bytes, str]:
        printed, told = process.communicate(timeout=300)
        assert process.returncode == 0, told
        return printed, (self.folder / output).read_bytes(), told

    def run(self, output: str, *more: str, largest_file: int | None = None) -> tuple[str, bytes, str]:
        return self.finish(self.start(output, *more, largest_file=largest_file), output)


def limit_files(size: int) -> None:
    """As if the disk ended when a file reaches *size*."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.fixture
def runner(tmp_path: Path, minilm_directory: Path) -> Runner:
    return Runner(tmp_path, minilm_directory)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, minilm_directory: Path) -> tuple[str, bytes]:
    runner = Runner(tmp_path_factory.mktemp("undisturbed"), minilm_directory)
    printed, segments, told = runner.run("out.tsv", "--no-cache")
    assert told == ""
    assert not (runner.folder / "cache").exists()
    return printed, segments


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, minilm_directory: Path, expected: tuple[str, bytes]) -> Path:
    """The cache that a job left behind; tests damage copies of it."""
    runner = Runner(tmp_path_factory.mktemp("first"), minilm_directory)
    assert runner.run("out.tsv")[:2] == expected
    return runner.folder / "cache"


def test_jobs_at_once(runner: Runner, expected: tuple[str, bytes]) -> None:
    names = [f"{n}.tsv" for n in range(3)]
    running = [runner.start(name) for name in names]
    for process, name in zip(running, names, strict=True):
        assert runner.finish(process, name)[:2] == expected


def test_no_room_for_the_cache(runner: Runner, expected: tuple[str, bytes]) -> None:
    printed, segments, told = runner.run("out.tsv", largest_file=300_000)
    assert (printed, segments) == expected
    assert "monge: cache: going on without" in told
    assert runner.run("again.tsv")[:2] == expected


def test_no_room_for_the_output(runner: Runner) -> None:
    process = runner.start("out.tsv", "--no-cache", largest_file=4_000)
    printed, told = process.communicate(timeout=300)
    assert (process.returncode, printed) == (2, "")
    assert told.startswith("monge: ")
    assert "Traceback" not in told
    assert sorted(path.name for path in runner.folder.iterdir()) == ["hyp.txt", "ref.txt"]


def cut(cache: Path) -> None:
    for path in cache.glob("*/*"):
        os.truncate(path, path.stat().st_size // 2)


def garble(cache: Path) -> None:
    for path in cache.glob("*/*.pack"):
        content = np.fromfile(path, np.uint8)
        content[::97] ^= 0x55
        content.tofile(path)


def lose_packs(cache: Path) -> None:
    for path in cache.glob("*/*.pack"):
        path.unlink()


def renumber(cache: Path) -> None:
    for path in cache.glob("*/index.sqlite"):
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()


@pytest.mark.parametrize(
    ("damage", "told"),
    [(cut, "damaged"), (garble, "damaged entries"), (lose_packs, ""), (renumber, "another version")],
)
def test_a_cache_that_cannot_be_trusted(
    runner: Runner, filled: Path, expected: tuple[str, bytes], damage: Callable[[Path], None], told: str
) -> None:
    shutil.copytree(filled, runner.folder / "cache")
    damage(runner.folder / "cache")
    printed, segments, said = runner.run("second.tsv")
    assert (printed, segments) == expected
    assert told in said
    printed, segments, said = runner.run("third.tsv")
    assert (printed, segments) == expected
    assert "all scores come from an earlier run" in said
    assert "cache" not in said.replace("--no-cache", "")
