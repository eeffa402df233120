"""Converted word vectors: read once, right under damage, a full disk and a cache that is off."""

from __future__ import annotations

import hashlib
import os
import resource
from pathlib import Path

import numpy as np
import pytest

from monge.encoders.static.files import load_vectors

from .test_files import DATA, make_spacy, vector, write


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))


def test_second_start_reads_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    first = load_vectors(path)
    monkeypatch.setattr("monge.encoders.static.text._parse_block", None)  # parsing again would fail
    second = load_vectors(path)
    assert isinstance(second.matrix, np.memmap)
    assert dict(second.rows) == dict(first.rows)
    assert np.array_equal(second.matrix, first.matrix)
    assert second.digest == first.digest


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\n")
    first = load_vectors(path)
    write(path, "a 3 4\n")
    os.utime(path, ns=(1, 1))
    second = load_vectors(path)
    assert vector(second, "a") == [3.0, 4.0]
    assert second.digest != first.digest


@pytest.mark.parametrize("damage", ["short vectors", "short words", "no vectors", "garbage"])
def test_a_damaged_cache_is_reported_and_made_again(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    load_vectors(path)
    (folder,) = (tmp_path / "cache" / "vectors").iterdir()
    vectors, words = folder / "vectors.npy", folder / "words.txt"
    if damage == "short words":
        words.write_bytes(words.read_bytes()[:2])
    elif damage == "no vectors":
        vectors.unlink()
    else:
        vectors.write_bytes(b"?" * 200 if damage == "garbage" else vectors.read_bytes()[:-4])
    again = load_vectors(path)
    assert "is damaged; it is removed and made again" in capsys.readouterr().err
    assert vector(again, "b") == [3.0, 4.0]
    assert isinstance(load_vectors(path).matrix, np.memmap)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["vectors.npy", "words.txt", "contents.json"])
def test_a_flipped_byte_changes_no_vector(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    load_vectors(path)
    (folder,) = (tmp_path / "cache" / "vectors").iterdir()
    for place in range(0, (folder / name).stat().st_size, 7):
        content = bytearray((folder / name).read_bytes())
        content[place] ^= 1
        (folder / name).write_bytes(content)
        again = load_vectors(path)
        assert (dict(again.rows), again.matrix.tolist()) == ({"a": 0, "b": 1}, [[1.0, 2.0], [3.0, 4.0]])
        assert "is damaged" in capsys.readouterr().err


def test_a_flipped_byte_in_spacy_keys_changes_no_vector(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_spacy(tmp_path / "p" / "vocab", ["the", "naïve", "coffee", "x"], np.arange(6, dtype=np.float32).reshape(3, 2))
    load_vectors(tmp_path / "p")
    (array,) = (tmp_path / "cache").rglob("*.npy")
    content = bytearray(array.read_bytes())
    content[-8] ^= 1  # the row of the last word
    array.write_bytes(content)
    assert vector(load_vectors(tmp_path / "p"), "coffee") == [4.0, 5.0]
    assert "is damaged" in capsys.readouterr().err


def test_a_file_rewritten_with_equal_size_and_time_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\n")
    status = path.stat()
    first = load_vectors(path)
    write(path, "a 3 4\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    second = load_vectors(path)
    assert vector(second, "a") == [3.0, 4.0]
    assert second.digest != first.digest


def test_links_in_the_cache_are_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    load_vectors(path)
    (folder,) = (tmp_path / "cache" / "vectors").iterdir()
    words = (folder / "words.txt").rename(tmp_path / "elsewhere")
    (folder / "words.txt").symlink_to(words)
    assert vector(load_vectors(path), "b") == [3.0, 4.0]
    assert "is damaged" in capsys.readouterr().err
    assert words.read_bytes() == b"a\nb\n"


def test_no_room_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # as if the disk ended here
    try:
        table = load_vectors(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert vector(table, "b") == [3.0, 4.0]
    assert not list((tmp_path / "cache").glob("vectors/*"))


def test_nothing_is_kept_when_the_cache_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_NO_CACHE", "1")
    path = write(tmp_path / "v.txt", "a 1 2\nb 3 4\n")
    assert vector(load_vectors(path), "b") == [3.0, 4.0]
    assert load_vectors(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not (tmp_path / "cache").exists()


def test_without_a_writable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(write(tmp_path / "a-file", "x") / "below"))
    assert vector(load_vectors(DATA / "word2vec.txt"), "Boy")[0] == pytest.approx(0.104900114)
