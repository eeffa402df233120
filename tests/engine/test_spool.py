"""Segments on disk behave as segments in memory."""

import gzip
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from monge.engine import spool as spool_module
from monge.engine.inputs import spool_parallel, spool_table
from monge.engine.spool import RecordSpool, SegmentSpool, spool_segments
from monge.errors import InputError
from monge.text import Segment, read_parallel, read_table

SEGMENTS = [
    Segment(f"hypothesis {n} — ü犬", (f"first {n}", "second"), None if n % 2 else "Quelle", str(n), "sys", "doc")
    for n in range(2500)
]


@pytest.fixture
def spool() -> SegmentSpool:
    made = SegmentSpool("sys")
    for segment in SEGMENTS:
        made.append(segment)
    return made


def test_a_spool_is_the_sequence_that_was_put_in(spool: SegmentSpool) -> None:
    assert len(spool) == 2500
    assert list(spool) == SEGMENTS
    assert spool[0] == SEGMENTS[0]
    assert spool[-1] == SEGMENTS[-1]
    assert spool[10:20] == SEGMENTS[10:20]
    assert spool[::700] == SEGMENTS[::700]
    assert spool[20:10] == []
    with pytest.raises(IndexError):
        spool[2500]


def test_a_spool_that_goes_to_disk_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_module, "_IN_MEMORY", 1000)
    made = SegmentSpool("sys")
    for segment in SEGMENTS:
        made.append(segment)
    assert list(made) == SEGMENTS


FULL = """
import resource, sys
from monge.engine import spool
from monge.errors import InputError

resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # as if the disk ended there
spool._IN_MEMORY = 1 << 16
records = spool.RecordSpool()
try:
    while True:
        records.append(b"x" * 1000)
except InputError as error:
    print(error)
"""


def test_a_full_disk_is_one_sentence_and_no_complaint_at_the_end(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, env=environment, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"cannot spool to {tmp_path}: ")


def test_writing_and_reading_may_alternate() -> None:
    spool = RecordSpool()
    for n in range(10):
        spool.append(bytes([n]) * n)
        assert spool.read(0, n + 1) == [bytes([k]) * k for k in range(n + 1)]


def test_lone_surrogates_survive() -> None:
    spool = SegmentSpool("s")
    spool.append(Segment("\ud800", ("\udfff",)))
    assert spool[0].hypothesis == "\ud800"


def test_chunks_cover_all_and_stay_small(spool: SegmentSpool) -> None:
    chunks = list(spool.records.chunks(records=700, size=10_000))
    assert chunks[0][0] == 0
    assert chunks[-1][1] == 2500
    assert all(before[1] == after[0] for before, after in itertools.pairwise(chunks))
    assert all(len(spool.records.read_joined(a, b)) <= 10_000 for a, b in chunks)
    assert list(spool.records.chunks(records=1000, size=10**9)) == [(0, 1000), (1000, 2000), (2000, 2500)]


def test_joined_spools_hold_all(spool: SegmentSpool) -> None:
    joined = spool_segments([Segment("x"), *spool], "all")
    assert [segment.hypothesis for segment in joined][:2] == ["x", SEGMENTS[0].hypothesis]
    assert {segment.system for segment in joined} == {"all"}


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_parallel_files_as_read_in_memory(tmp_path: Path) -> None:
    one = write_lines(tmp_path / "one.txt", ["a", "b", ""])
    two = tmp_path / "two.gz"
    two.write_bytes(gzip.compress(b"\xef\xbb\xbfc\r\nd\r\ne\r\n"))
    reference = write_lines(tmp_path / "ref.txt", ["x", "y", "z"])
    source = write_lines(tmp_path / "src.txt", ["p", "q", "r"])
    spools = spool_parallel([one, two], [reference, one], source)
    want = read_parallel([one, two], [reference, one], source)
    assert [segment for spool in spools for segment in spool] == list(want.segments)


@pytest.mark.parametrize("lengths", [(2, 3), (3, 2), (5, 1)])
def test_unequal_files_are_refused_as_in_memory(tmp_path: Path, lengths: tuple[int, int]) -> None:
    one, two = (write_lines(tmp_path / f"{n}-{k}.txt", ["x"] * n) for k, n in enumerate(lengths))
    with pytest.raises(InputError) as told:
        spool_parallel([one], [two])
    with pytest.raises(InputError, match=f"has {lengths[0]} lines but .* has {lengths[1]}: line {min(lengths) + 1} of"):
        read_parallel([one], [two])
    assert "no partner" in str(told.value)


def test_jsonl_as_read_in_memory(tmp_path: Path) -> None:
    records = [
        {"system": "b", "hypothesis": "1", "references": ["x", "y"]},
        {"system": "a", "hypothesis": "2", "reference": "x", "id": 7, "source": "s"},
        {"system": "b", "hypothesis": "3"},
    ]
    path = write_lines(tmp_path / "all.jsonl", [json.dumps(record) for record in records] + [""])
    spools = spool_table(path)
    assert {spool.system: list(spool) for spool in spools} == read_table(path).by_system()


def test_jsonl_faults(tmp_path: Path) -> None:
    twice = write_lines(tmp_path / "twice.jsonl", ['{"hypothesis": "a", "id": "1"}'] * 2)
    with pytest.raises(InputError, match=r"twice\.jsonl: segment id '1' appears twice"):
        spool_table(twice)
    blank = write_lines(tmp_path / "blank.jsonl", ["", " "])
    with pytest.raises(InputError, match="contains no segments"):
        spool_table(blank)
