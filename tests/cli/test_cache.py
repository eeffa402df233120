"""`monge cache`, and the flag that turns the cache off."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from monge import environment
from monge.cli import main
from monge.encoders.static.files import load_vectors
from monge.engine.journal import MAKER
from monge.storage.store import Store, format_bytes, make_label


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MONGE_NO_CACHE", "")
    monkeypatch.delenv("MONGE_CACHE_SIZE", raising=False)
    return tmp_path


@pytest.fixture
def filled(folder: Path) -> Path:
    store = Store(folder / "cache" / "embeddings")
    store.put(
        make_label("model@1234", "cached=2 transformer=2 device=cpu"), {bytes([n]): bytes(1000) for n in range(10)}
    )
    store.put("old@5678|00000000", {b"old": bytes(500)})
    store.close()
    return folder


def test_an_empty_cache_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out.splitlines()
    bound = format_bytes(environment.share_of_disk(folder / "cache"))
    assert shown[0].startswith(f"vectors: 0 bytes of at most {bound} in ")
    assert shown[1].startswith(f"word vectors: 0 bytes of at most {bound} in ")
    assert shown[2].startswith("scores: 0 bytes of at most 512.0 MB in ")
    assert len(shown) == 3


def test_what_is_kept_is_shown_by_model(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[6:]]
    assert rows == [
        ["model@1234", "this", "version", "10", "9.8", "KB"],
        ["old@5678", "another", "version", "1", "500", "bytes"],
    ]
    assert main(["cache", "-f", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["kept"][0] == {"what": "model@1234", "current": True, "entries": 10, "bytes": 10_000}
    assert content["kept"][1]["current"] is False


def test_the_bound_comes_from_the_environment(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MONGE_CACHE_SIZE", "1.5GB")
    assert main(["cache"]) == 0
    assert "of at most 1.5 GB" in capsys.readouterr().out
    monkeypatch.setenv("MONGE_CACHE_SIZE", "lots")
    assert main(["cache"]) == 2
    assert "'lots' is not a size" in capsys.readouterr().err


def test_the_usual_bound_follows_the_disk(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ((60, 1, "4.0"), (120, 60, "6.0"), (240, 20, "10.0"), (1 << 12, 1 << 11, "32.0"))
    for total, free, bound in sizes:
        environment.share_of_disk.cache_clear()
        usage = SimpleNamespace(total=total << 30, free=free << 30)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        assert main(["cache"]) == 0
        assert f"of at most {bound} GB" in capsys.readouterr().out
    environment.share_of_disk.cache_clear()
    assert environment.share_of_disk(tmp_path / "not" / "there") == 32 << 30
    environment.share_of_disk.cache_clear()


def test_prune(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "prune", "--max-size", "1M"]) == 0
    assert capsys.readouterr().out == "0 bytes freed, 10.3 KB of vectors kept\n"
    assert main(["cache", "prune", "--max-size", "10"]) == 0
    assert capsys.readouterr().out == "10.3 KB freed, 0 bytes of vectors kept\n"


@pytest.mark.parametrize("arguments", [["prune"], ["--max-size", "1G"], ["prune", "--max-size", "much"], ["burn"]])
def test_misuse_is_reported(folder: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["cache", *arguments])
    except SystemExit as exit_:  # argparse's own
        status = exit_.code  # type: ignore[assignment]
    assert status == 2
    assert capsys.readouterr().err != ""


def test_verify_and_clear(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "verify"]) == 0
    assert capsys.readouterr().out == "11 entries read, 0 damaged\n"
    (pack,) = (filled / "cache" / "embeddings").glob("*.pack")
    os.truncate(pack, 5000)
    assert main(["cache", "verify"]) == 1
    assert capsys.readouterr().out == "11 entries read, 6 damaged: removed, they will be made again\n"
    assert main(["cache", "clear"]) == 0
    assert "freed" in capsys.readouterr().out
    assert Store(filled / "cache" / "embeddings").size() == 0


@pytest.fixture
def converted(folder: Path) -> Path:
    """A cache with converted word vectors; return their folder."""
    (folder / "v.txt").write_text("a 1 2\nb 3 4\n")
    load_vectors(folder / "v.txt")
    (kept,) = (folder / "cache" / "vectors").iterdir()
    return kept


def test_word_vectors_are_shown_and_cleared(converted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "-f", "json"]) == 0
    rows = {row["what"]: row for row in json.loads(capsys.readouterr().out)["kept"]}
    assert rows["word vectors of v.txt"]["current"] is True
    assert rows["word vectors of v.txt"]["bytes"] > 128
    assert main(["cache", "clear"]) == 0
    assert not converted.exists()
    assert main(["cache"]) == 0
    assert "word vectors: 0 bytes" in capsys.readouterr().out


def test_word_vectors_are_verified(converted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "verify"]) == 0
    content = bytearray((converted / "vectors.npy").read_bytes())
    content[-1] ^= 1
    (converted / "vectors.npy").write_bytes(content)
    assert main(["cache", "verify"]) == 1
    assert "1 damaged: removed, they will be made again" in capsys.readouterr().out
    assert not converted.exists()
    assert main(["cache", "verify"]) == 0


def test_word_vectors_are_pruned(converted: Path) -> None:
    assert main(["cache", "prune", "--max-size", "1MB"]) == 0
    assert converted.exists()
    assert main(["cache", "prune", "--max-size", "100"]) == 0
    assert not converted.exists()


def test_scores_are_kept_unless_switched_off(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ref.txt").write_text("a b c\nd e\n")
    (folder / "hyp.txt").write_text("a b\nd e f\n")
    command = ["score", str(folder / "ref.txt"), "-i", str(folder / "hyp.txt"), "-m", "chrf"]
    assert main(command) == 0
    first = capsys.readouterr()
    assert first.err == ""
    assert main(command) == 0
    second = capsys.readouterr()
    assert second.out == first.out
    assert "all scores come from an earlier run" in second.err
    assert main([*command, "-q"]) == 0
    assert capsys.readouterr().err == ""
    kept = [row.label for row in Store(folder / "cache" / "scores").summary()]
    assert kept == [make_label("scores of chrf", MAKER)]


def test_no_cache_neither_reads_nor_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ref.txt").write_text("a b c\n")
    command = ["score", str(folder / "ref.txt"), "-i", str(folder / "ref.txt"), "-m", "chrf", "--no-cache"]
    for _ in range(2):
        assert main(command) == 0
        assert capsys.readouterr().err == ""
    assert not (folder / "cache" / "scores").exists()
    monkeypatch.setenv("MONGE_NO_CACHE", "1")
    assert main(command[:-1]) == 0
    assert not (folder / "cache" / "scores").exists()


def test_what_cannot_be_removed_is_not_said_to_be_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path))
    store = Store(tmp_path / "scores")
    store.put(make_label("scores of chrf", MAKER), {b"k" * 32: b"x" * 2000})
    store.close()
    monkeypatch.setattr(Store, "prune", lambda self, most: 0)  # as on a folder that cannot be written
    assert main(["cache", "clear"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("0 bytes freed; ")
    assert "could not be removed" in out
