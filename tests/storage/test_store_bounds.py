"""The store keeps to its size, and a process to its share."""

import os
from pathlib import Path

import pytest

from monge.storage import pack_index
from monge.storage.store import Store


def test_the_store_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_index, "PACK_BYTES", 100_000)
    for job in range(5):  # each job may fill the store once
        store = Store(tmp_path / "blobs", most=500_000)
        for n in range(8):
            store.put("a", {f"{job}-{n}".encode(): os.urandom(50_000)})
        assert store.size() <= 500_000
        assert sum(pack.stat().st_size for pack in store.directory.glob("*.pack")) <= 500_000
        store.close()
    store = Store(tmp_path / "blobs")
    assert b"4-7" in store.get([b"4-7"])
    assert store.get([b"0-0"]) == {}


def test_what_was_used_lately_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_index, "PACK_BYTES", 1)  # one blob per pack
    store = Store(tmp_path / "blobs")
    day = 20_000
    for n in range(4):
        monkeypatch.setattr("monge.storage.store._today", lambda n=n: day + n)
        store.put("a", {bytes([n]): b"x" * 1000})
    monkeypatch.setattr("monge.storage.store._today", lambda: day + 9)
    store.get([b"\0"])
    assert store.prune(2000) == 2000
    assert sorted(store.get([bytes([n]) for n in range(4)])) == [b"\0", b"\3"]


def test_a_job_larger_than_the_store_stops_storing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "blobs", most=10_000)
    for n in range(20):
        store.put("a", {bytes([n]): b"x" * 1000})
    assert store.size() == 10_000
    assert capsys.readouterr().err.count("more than the 9.8 KB") == 1


def test_a_long_process_stores_again_when_there_is_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "blobs", most=10_000)
    for n in range(20):
        store.put("a", {bytes([n]): b"x" * 1000})
    assert Store(store.directory).prune(0) == 10_000  # as by `monge cache prune` beside it
    store.put("a", {b"new": b"x" * 1000})
    assert store.get([b"new"]) == {b"new": b"x" * 1000}


def test_a_long_process_stores_again_the_next_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_index, "PACK_BYTES", 1)  # one blob per pack
    store = Store(tmp_path / "blobs", most=10_000)
    for day in range(3):
        monkeypatch.setattr("monge.storage.store._today", lambda day=day: 20_000 + day)
        for n in range(20):
            store.put("a", {bytes([day, n]): b"x" * 1000})
        assert store.get([bytes([day, 0])]) != {}  # the old made room
        assert store.size() <= 10_000
