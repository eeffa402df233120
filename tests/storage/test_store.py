"""The store of blobs: right under damage, death, crowds and a full disk."""

import os
import pickle
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from monge.environment import parse_bytes
from monge.errors import OptionError
from monge.storage.store import Store, format_bytes

BLOBS = {bytes([n]) * 16: bytes([n]) * (1000 + n) for n in range(50)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "blobs")


def packs(store: Store) -> list[Path]:
    return sorted(store.directory.glob("*.pack"))


def test_what_is_put_is_got(store: Store) -> None:
    store.put("a", BLOBS)
    assert store.get([*BLOBS, b"unknown"]) == BLOBS
    assert Store(store.directory).get(list(BLOBS)) == BLOBS


def test_an_empty_store_has_nothing(store: Store) -> None:
    assert store.get([b"x"]) == {}
    assert store.summary() == []
    assert store.size() == 0
    assert store.verify() == (0, 0)


def test_summary_counts_by_label(store: Store) -> None:
    store.put("small", {b"k": b"12345"})
    store.put("large", BLOBS)
    rows = [(row.label, row.entries, row.bytes) for row in store.summary()]
    assert rows == [("large", 50, sum(map(len, BLOBS.values()))), ("small", 1, 5)]


def test_putting_again_stores_nothing(store: Store) -> None:
    store.put("a", BLOBS)
    size = store.size()
    store.put("a", BLOBS)
    assert store.size() == size


def test_more_keys_than_one_query_takes(store: Store) -> None:
    blobs = {str(n).encode(): str(n).encode() for n in range(2345)}
    store.put("many", blobs)
    assert store.get(list(blobs)) == blobs


def test_a_flipped_bit_is_found_reported_and_mended(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("a", BLOBS)
    (pack,) = packs(store)
    content = bytearray(pack.read_bytes())
    content[1500] ^= 4  # in the second blob
    pack.write_bytes(content)
    found = store.get(list(BLOBS))
    assert set(BLOBS) - set(found) == {bytes([1]) * 16}
    assert "1 damaged entries" in capsys.readouterr().err
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS


def test_a_truncated_pack_loses_only_its_end(store: Store) -> None:
    store.put("a", BLOBS)
    (pack,) = packs(store)
    os.truncate(pack, 10_000)
    found = store.get(list(BLOBS))
    assert 0 < len(found) < len(BLOBS)
    assert all(BLOBS[key] == blob for key, blob in found.items())
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS
    assert store.verify() == (50, 0)


def test_a_pack_that_another_process_pruned_is_a_miss(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("a", BLOBS)
    packs(store)[0].unlink()
    assert store.get(list(BLOBS)) == {}
    assert capsys.readouterr().err == ""
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 500, None], ids=["emptied", "garbage", "cut"])
def test_a_damaged_index_is_built_again(store: Store, damage: bytes | None, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("a", BLOBS)
    store.close()
    index = store.directory / "index.sqlite"
    content = index.read_bytes()
    index.write_bytes(content[: len(content) // 2] if damage is None else damage)
    again = Store(store.directory)
    assert again.get(list(BLOBS)) == {}
    again.put("a", BLOBS)
    assert again.get(list(BLOBS)) == BLOBS
    assert ("built again" in capsys.readouterr().err) == (damage != b"")  # an empty file is a new database
    assert not list(store.directory.parent.glob("*.discarded-*"))


def test_an_index_of_another_version_is_built_again(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("a", BLOBS)
    store.close()
    with sqlite3.connect(store.directory / "index.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert store.get(list(BLOBS)) == {}
    assert "another version" in capsys.readouterr().err
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == BLOBS


def test_a_database_of_another_program_is_not_trusted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "blobs").mkdir()
    with sqlite3.connect(tmp_path / "blobs" / "index.sqlite") as connection:
        connection.execute("CREATE TABLE entries (key, pack)")
    connection.close()
    store = Store(tmp_path / "blobs")
    assert store.get([b"x"]) == {}
    assert "another version" in capsys.readouterr().err


def test_verify_drops_what_is_damaged(store: Store) -> None:
    store.put("a", BLOBS)
    os.truncate(packs(store)[0], 5_000)
    total, damaged = store.verify()
    assert total == 50
    assert 40 < damaged < 50
    assert store.verify() == (50 - damaged, 0)


def test_prune_to_nothing_frees_all(store: Store) -> None:
    store.put("a", BLOBS)
    freed = store.prune(0)
    assert freed == sum(map(len, BLOBS.values()))
    assert packs(store) == []
    assert store.summary() == []


def test_a_store_that_cannot_be_made_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "blobs")
    store.put("a", BLOBS)
    assert store.get(list(BLOBS)) == {}
    assert capsys.readouterr().err.count("going on without") == 1


def test_a_store_can_be_sent_to_another_process(store: Store) -> None:
    store.put("a", BLOBS)
    assert pickle.loads(pickle.dumps(store)).get(list(BLOBS)) == BLOBS


def run_python(code: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


WRITER = """
    import hashlib, sys
    from pathlib import Path
    from monge.storage.store import Store
    store = Store(Path(sys.argv[1]))
    for start in range(0, int(sys.argv[2]), 20):
        names = [str(n).encode() for n in range(start, start + 20)]
        store.put("w", {hashlib.sha256(name).digest(): name * 5000 for name in names})
        print(start, flush=True)
"""


def expected(count: int) -> dict[bytes, bytes]:
    import hashlib

    return {hashlib.sha256(str(n).encode()).digest(): str(n).encode() * 5000 for n in range(count)}


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [run_python(WRITER, tmp_path / "blobs", 200) for _ in range(3)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert (writer.returncode, errors) == (0, "")
    store = Store(tmp_path / "blobs")
    assert store.get(list(expected(200))) == expected(200)
    assert store.size() == sum(map(len, expected(200).values()))  # each blob once


def test_killed_writers_leave_a_sound_store(tmp_path: Path) -> None:
    for patience in (0.02, 0.05, 0.0):
        writer = run_python(WRITER, tmp_path / "blobs", 10**9)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(patience)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    store = Store(tmp_path / "blobs")
    total, damaged = store.verify()
    assert total >= 20
    assert damaged == 0
    known = expected(total)
    found = store.get(list(known))
    assert len(found) == total
    assert all(known[key] == blob for key, blob in found.items())


@pytest.mark.skipif(sys.platform == "win32", reason="this machine has no limit on file sizes")
def test_a_full_disk_is_reported_and_survived(tmp_path: Path) -> None:
    code = """
        import os, resource, sys
        from pathlib import Path
        from monge.storage.store import Store
        store = Store(Path(sys.argv[1]))
        store.put("a", {b"before": b"x" * 1000})
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))  # as if the disk ended here
        for n in range(20):
            store.put("a", {bytes([n]): os.urandom(100_000)})
        print(store.get([b"before"]))
    """
    done = run_python(code, tmp_path / "blobs")
    output, errors = done.communicate(timeout=60)
    assert done.returncode == 0, errors
    assert errors.count("going on without") == 1
    assert output.strip() == "{}"
    store = Store(tmp_path / "blobs")
    assert store.get([b"before"]) == {b"before": b"x" * 1000}
    total, damaged = store.verify()
    assert total >= 1
    assert damaged == 0
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 500_000


@pytest.mark.parametrize("text", ["", "big", "4 XB", "-3G", "1..5M"])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(OptionError, match="is not a size"):
        parse_bytes(text)


def test_sizes_are_read_and_shown() -> None:
    assert parse_bytes("2048") == 2048
    assert parse_bytes("2KiB") == 2048
    assert parse_bytes("0.5 TB") == 1 << 39
    assert format_bytes(5 << 40) == "5.0 TB"
