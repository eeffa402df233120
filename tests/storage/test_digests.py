"""Digests of files: remembered, and never stale."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from monge.storage import digests
from monge.storage.digests import digest_files, hash_files
from monge.storage.store import Store


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def notes(tmp_path: Path) -> Store:
    return Store(tmp_path / "notes")


def test_files_are_read_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"two")
    assert hash_files([tmp_path / "a", tmp_path / "b"]) == sha256(b"onetwo")


def test_an_untouched_file_is_read_once(tmp_path: Path, notes: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"content")
    monkeypatch.setattr(digests, "_SETTLED_NS", 0)
    time.sleep(0.02)
    assert digest_files([file], notes) == sha256(b"content")
    monkeypatch.setattr(digests, "hash_files", None)  # reading again would fail
    assert digest_files([file], notes) == sha256(b"content")


def test_a_file_rewritten_with_equal_size_and_time_is_read_again(tmp_path: Path, notes: Store) -> None:
    file = tmp_path / "file"
    for settled in (False, True):
        file.write_bytes(b"before!")
        status = file.stat()
        if settled:
            time.sleep(2.1)  # long enough for the digest to be remembered
        assert digest_files([file], notes) == sha256(b"before!")
        file.write_bytes(b"behind!")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
        assert digest_files([file], notes) == sha256(b"behind!")


def test_without_notes_nothing_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    assert digest_files([tmp_path / "file"], None) == sha256(b"x")
