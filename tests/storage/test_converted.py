"""Folders of converted files: bounded, shared, and never a reason to fail."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from monge.storage.converted import ConvertedFiles
from monge.storage.store import make_label

LABEL = make_label("something", "converted=1")


def write(content: bytes) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        (folder / "file").write_bytes(content)

    return fill


def make(shelf: ConvertedFiles, key: str, content: bytes = b"content") -> Path | None:
    return shelf.make(key, LABEL, write(content))


def test_what_is_made_is_found(tmp_path: Path) -> None:
    shelf = ConvertedFiles(tmp_path / "shelf")
    assert shelf.get("k") is None
    assert make(shelf, "k") == shelf.get("k") == tmp_path / "shelf" / "k"
    assert (tmp_path / "shelf" / "k" / "file").read_bytes() == b"content"
    assert shelf.verify() == (1, 0)
    assert [(row.label, row.entries) for row in shelf.summary()] == [(LABEL, 1)]


def test_a_folder_moved_to_another_key_is_not_trusted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shelf = ConvertedFiles(tmp_path)
    make(shelf, "one")
    (tmp_path / "one").rename(tmp_path / "two")
    assert shelf.get("two") is None
    assert "is damaged; it is removed and made again" in capsys.readouterr().err


def test_the_least_used_make_room_and_the_newest_stays(tmp_path: Path) -> None:
    shelf = ConvertedFiles(tmp_path, most=5_000)
    for n, key in enumerate("abc"):
        folder = make(shelf, key, bytes(1_500))
        assert folder is not None
        os.utime(folder / "contents.json", (n, n))
    assert shelf.get("a") is not None  # used just now
    make(shelf, "d", bytes(1_500))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c", "d"]
    make(shelf, "large", bytes(9_000))
    assert [path.name for path in tmp_path.iterdir()] == ["large"]


def test_a_failed_conversion_leaves_nothing(tmp_path: Path) -> None:
    shelf = ConvertedFiles(tmp_path / "shelf")

    def fail(folder: Path) -> None:
        (folder / "file").write_bytes(b"half")
        raise ValueError("the source is damaged")

    with pytest.raises(ValueError, match="the source is damaged"):
        shelf.make("k", LABEL, fail)
    assert list((tmp_path / "shelf").iterdir()) == []


def test_what_a_killed_process_left_is_swept_after_a_day(tmp_path: Path) -> None:
    shelf = ConvertedFiles(tmp_path)
    for name in (".making-old", ".making-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".making-old", (1, 1))
    make(shelf, "k")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".making-new", "k"]


def test_rubbish_is_counted_and_cleared(tmp_path: Path) -> None:
    shelf = ConvertedFiles(tmp_path)
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    assert shelf.summary()[0].label == "damaged"
    assert shelf.verify() == (3, 3)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_bytes(b"12345")
    assert shelf.prune(0) == 5
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("x")
    shelf = ConvertedFiles(tmp_path / "in the way" / "shelf")
    assert make(shelf, "k") is None
    assert (shelf.get("k"), shelf.size(), shelf.verify(), shelf.summary()) == (None, 0, (0, 0), [])
