"""Damage of every kind: never an exception, never a wrong blob, and a store that works again."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from monge.storage.packs import checksum
from monge.storage.store import Store

BLOBS = {bytes([n]) * 32: bytes([n, 255 - n]) * (20 + n) for n in range(60)} | {b"empty" * 5: b""}
ROUNDS = 300  # 6000 were run once


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A directory with a closed store of BLOBS under two labels."""
    store = Store(tmp_path / "sound")
    keys = list(BLOBS)
    store.put("first", {key: BLOBS[key] for key in keys[:30]})
    store.put("second", {key: BLOBS[key] for key in keys[30:]})
    store.close()
    return tmp_path / "sound"


def check_and_mend(directory: Path) -> None:
    """Use a store that may be damaged in every way; what it returns must be right, and it must work in the end."""
    keys = list(BLOBS)
    for _ in range(3):
        store = Store(directory)
        for some in (keys, keys[::-7]):
            laid = store.gather(some)
            assert laid is None or laid.data.tobytes() == b"".join(BLOBS[key] for key in some)
        for found in (store.get(keys), store.get(keys[::7])):
            assert all(BLOBS[key] == blob for key, blob in found.items())
        assert store.size() >= 0
        assert all(row.bytes >= 0 for row in store.summary())
        store.put("again", BLOBS)
        store.verify()
        store.put("again", BLOBS)
        complete = store.get(keys) == BLOBS
        store.close()
    assert complete, "the store did not recover"


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 2, 8])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def blank(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    start = chance.randrange(len(content))
    length = chance.choice([4, 64, 4096])
    content[start : start + length] = bytes(len(content[start : start + length]))
    path.write_bytes(content)


def move(path: Path, chance: random.Random) -> None:
    """Copy one stretch over another: valid pieces of an index in the wrong place."""
    content = bytearray(path.read_bytes())
    length = chance.choice([16, 64, 4096])
    source, target = (chance.randrange(max(1, len(content) - length)) for _ in range(2))
    content[target : target + length] = content[source : source + length]
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [flip, cut, blank, move])
@pytest.mark.parametrize("kind", ["index.sqlite", "*.pack"])
def test_random_damage(sound: Path, tmp_path: Path, kind: str, damage: Callable[[Path, random.Random], None]) -> None:
    for seed in range(ROUNDS // 8):
        copy = tmp_path / "copy"
        shutil.copytree(sound, copy)
        (path,) = copy.glob(kind)
        damage(path, random.Random(seed))
        try:
            check_and_mend(copy)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        shutil.rmtree(copy)


@pytest.mark.parametrize("bit", [0, 3, 7])
def test_a_bit_in_the_schema(sound: Path, tmp_path: Path, bit: int) -> None:
    content = (sound / "index.sqlite").read_bytes()
    start = content.index(b"CREATE TABLE entries")
    for place in range(start, start + 190, 5):
        copy = tmp_path / "copy"
        shutil.copytree(sound, copy)
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        (copy / "index.sqlite").write_bytes(changed)
        check_and_mend(copy)
        shutil.rmtree(copy)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET offset = 0, size = 0, crc = 0",
        "UPDATE entries SET size = 4611686018427387904",
        "UPDATE entries SET offset = 9223372036854775807, size = 9223372036854775807",
        "UPDATE entries SET offset = -1",
        "UPDATE entries SET size = 'many'",
        "UPDATE entries SET crc = x'00ff'",
        "UPDATE entries SET crc = crc + 4294967296",
        "UPDATE entries SET pack = 0.5",
        "UPDATE entries SET pack = 999",
        "UPDATE entries SET label = 999",
        "UPDATE entries SET offset = (SELECT min(offset) FROM entries)",
        "UPDATE packs SET size = 4611686018427387904",
        "UPDATE packs SET size = -5",
        "UPDATE packs SET size = 'large'",
        "UPDATE packs SET used = 'yesterday'",
        "UPDATE labels SET name = x'ff' || id",
        "UPDATE identity SET name = '../../../x'",
        "DELETE FROM identity",
        "DELETE FROM packs",
        "DELETE FROM labels",
        "DROP TABLE labels",
        "CREATE TABLE more(x)",
    ],
)
def test_an_index_that_says_nonsense(sound: Path, statement: str) -> None:
    connection = sqlite3.connect(sound / "index.sqlite")
    with connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(statement)
    connection.close()
    check_and_mend(sound)


def test_places_of_equal_length_that_are_swapped(tmp_path: Path) -> None:
    """What lies at a place has a right checksum, but it was written for another key."""
    store = Store(tmp_path / "blobs")
    store.put("a", {b"one": b"11111", b"two": b"22222"})
    store.close()
    connection = sqlite3.connect(tmp_path / "blobs" / "index.sqlite")
    with connection:
        rows = connection.execute("SELECT key, offset, crc FROM entries").fetchall()
        (one, *first), (two, *second) = rows
        connection.executemany("UPDATE entries SET offset = ?, crc = ? WHERE key = ?", [(*second, one), (*first, two)])
    connection.close()
    assert Store(tmp_path / "blobs").get([b"one", b"two"]) == {}


def test_the_checksum_binds_key_and_length() -> None:
    assert checksum(b"k", b"blob") != checksum(b"l", b"blob")
    assert checksum(b"", b"") != 0
    assert checksum(b"k", b"\0") != checksum(b"k", b"\0\0") != checksum(b"k\0", b"\0")


def test_a_linked_pack_is_not_followed(sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pack,) = sound.glob("*.pack")
    elsewhere = pack.rename(tmp_path / "elsewhere")
    pack.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    store = Store(sound)
    assert store.get(list(BLOBS)) == {}
    assert "damaged entries" in capsys.readouterr().err
    store.put("again", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS
    assert elsewhere.read_bytes() == before


def test_a_link_where_a_new_pack_goes_is_not_followed(tmp_path: Path) -> None:
    store = Store(tmp_path / "blobs")
    assert store.size() == 0  # the index is made
    connection = sqlite3.connect(tmp_path / "blobs" / "index.sqlite")
    (name,) = connection.execute("SELECT name FROM identity").fetchone()
    connection.close()
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "blobs" / f"{name}-1.pack").symlink_to(tmp_path / "precious")
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS
    assert (tmp_path / "precious").read_bytes() == b"precious"


AT_EXIT = """
import pathlib, sys
import monge.storage.store as module
store = module.Store(pathlib.Path(sys.argv[1]))
store.put("a", {b"k": b"blob"})
sys.kept = [pathlib, module]  # modules that live on are emptied one by one, the last imported first
pathlib.kept = store
"""


def test_a_store_that_is_still_open_at_exit(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", AT_EXIT, str(tmp_path / "blobs")], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not list((tmp_path / "blobs").glob("*-wal"))  # closed, not dropped
    assert Store(tmp_path / "blobs").get([b"k"]) == {b"k": b"blob"}
