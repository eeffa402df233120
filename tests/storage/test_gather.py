"""Many blobs at once: in the order asked for, from any places, or nothing at all."""

import os
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from monge.storage import gather, pack_index
from monge.storage.store import Store


def make_blobs(count: int, seed: int = 0) -> dict[bytes, bytes]:
    chance = random.Random(seed)
    return {chance.randbytes(32): chance.randbytes(chance.choice([0, 1, 7, 100, 3000])) for _ in range(count)}


@pytest.fixture
def scattered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, dict[bytes, bytes]]:
    """A store of several packs, read in short runs by two threads."""
    monkeypatch.setattr(pack_index, "PACK_BYTES", 20_000)
    monkeypatch.setattr(gather, "_PART_BYTES", 5_000)
    monkeypatch.setattr(gather, "_WORTH_A_THREAD", 1)
    store = Store(tmp_path / "store")
    blobs = make_blobs(300)
    for start in range(0, 300, 25):
        store.put("some", dict(list(blobs.items())[start : start + 25]))
    assert len(list((tmp_path / "store").glob("*.pack"))) > 3
    return store, blobs


@pytest.mark.parametrize("step", [1, -1, 3, 7])
def test_blobs_come_in_the_order_asked_for(scattered: tuple[Store, dict[bytes, bytes]], step: int) -> None:
    store, blobs = scattered
    keys = list(blobs)[::step]
    laid = store.gather(keys)
    assert laid is not None
    assert [laid.data[a:b].tobytes() for a, b in pairwise(laid.starts)] == [blobs[key] for key in keys]


def test_any_order(scattered: tuple[Store, dict[bytes, bytes]]) -> None:
    store, blobs = scattered
    keys = random.Random(1).sample(list(blobs), len(blobs))
    laid = store.gather(keys)
    assert laid is not None
    assert laid.data.tobytes() == b"".join(blobs[key] for key in keys)


def test_nothing_is_asked_for(tmp_path: Path) -> None:
    laid = Store(tmp_path / "store").gather([])
    assert laid is not None
    assert laid.starts.tolist() == [0]


def test_one_that_is_not_there(scattered: tuple[Store, dict[bytes, bytes]]) -> None:
    store, blobs = scattered
    assert store.gather([*blobs, b"unknown"]) is None


@pytest.fixture(params=["native", "plain"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "plain":
        monkeypatch.setattr(gather, "_reading", None)
    elif not gather.reads_natively():
        pytest.skip("the native reader is not compiled here: python setup.py build_ext --inplace")


def test_all_ways_of_reading_agree(scattered: tuple[Store, dict[bytes, bytes]], reading: None) -> None:
    store, blobs = scattered
    keys = random.Random(2).sample(list(blobs), 200)
    laid = store.gather(keys)
    assert laid is not None
    assert laid.data.tobytes() == b"".join(blobs[key] for key in keys)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 63, 64, 65, 79, 80, 127, 128, 1000, 4099])
def test_every_bit_counts_for_the_checksum(tmp_path: Path, reading: None, size: int) -> None:
    """The native checksum is that of zlib, whatever the length, and notices any changed bit."""
    store, chance = Store(tmp_path / "store"), random.Random(size)
    blob = chance.randbytes(size)
    store.put("one", {b"key": blob})
    laid = store.gather([b"key"])
    assert laid is not None
    assert laid.data.tobytes() == blob
    (pack,) = store.directory.glob("*.pack")
    for bit in chance.sample(range(8 * size), min(8 * size, 40)):
        content = bytearray(blob)
        content[bit // 8] ^= 1 << bit % 8
        pack.write_bytes(content)
        assert store.gather([b"key"]) is None


def test_a_file_that_cannot_be_read(
    scattered: tuple[Store, dict[bytes, bytes]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, blobs = scattered

    def fail(*_: object) -> bool:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(gather, "_read_part", fail)
    assert store.gather(list(blobs)) is None
    assert "Input/output error" in capsys.readouterr().err


def test_two_threads_read_at_once(scattered: tuple[Store, dict[bytes, bytes]]) -> None:
    store, blobs = scattered
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(store.gather, [list(blobs)] * 8))
    assert all(laid is not None and laid.data.tobytes() == b"".join(blobs.values()) for laid in found)


def test_a_damaged_one_is_not_returned_and_get_mends(
    scattered: tuple[Store, dict[bytes, bytes]], reading: None
) -> None:
    store, blobs = scattered
    pack = min(store.directory.glob("*.pack"))
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 4
    pack.write_bytes(content)
    assert store.gather(list(blobs)) is None
    whole = store.get(list(blobs))
    assert len(whole) == len(blobs) - 1
    laid = store.gather(list(whole))
    assert laid is not None
    assert laid.data.tobytes() == b"".join(whole.values())


def test_a_pack_that_lost_its_end(scattered: tuple[Store, dict[bytes, bytes]], reading: None) -> None:
    store, blobs = scattered
    os.truncate(min(store.directory.glob("*.pack")), 10)
    assert store.gather(list(blobs)) is None


def test_a_system_without_scattered_reading(
    scattered: tuple[Store, dict[bytes, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "preadv", raising=False)
    monkeypatch.setattr(gather, "_reading", None)
    store, blobs = scattered
    laid = store.gather(list(blobs))
    assert laid is not None
    assert laid.data.tobytes() == b"".join(blobs.values())


def test_blobs_of_numbers_are_aligned(tmp_path: Path) -> None:
    """Numbers that are asked for first can be used where they are."""
    store = Store(tmp_path / "store")
    numbers = np.arange(40, dtype=np.float32)
    store.put("mixed", {b"odd": b"xyz", b"a": numbers[:10].tobytes(), b"b": numbers[10:].tobytes()})
    laid = store.gather([b"a", b"b", b"odd"])
    assert laid is not None
    assert (laid.data[: laid.starts[2]].view(np.float32) == numbers).all()
