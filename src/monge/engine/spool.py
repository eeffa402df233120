"""Segments and scores in temporary files, so that a job of any size fits in memory."""

from __future__ import annotations

import json
import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, overload

from monge.engine.chunks import Chunk
from monge.errors import InputError
from monge.scores import Score
from monge.text import Segment

_IN_MEMORY = 16 << 20  # a spool touches the disk beyond this many bytes


class RecordSpool:
    """Byte strings in a temporary file, by number; only their offsets (8 bytes each) stay in memory."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # lives as long as the spool
        weakref.finalize(self, _close, self._file)
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def append(self, record: bytes) -> None:
        with _explained():
            self._file.seek(self._ends[-1])
            self._file.write(record)
        self._ends.append(self._ends[-1] + len(record))

    def read(self, start: int, stop: int) -> list[bytes]:
        """Return the records *start* to *stop*."""
        data = self.read_joined(start, stop)
        base = self._ends[start]
        return [data[self._ends[i] - base : self._ends[i + 1] - base] for i in range(start, stop)]

    def read_joined(self, start: int, stop: int) -> bytes:
        """Return the bytes of the records *start* to *stop*, concatenated."""
        with _explained():
            self._file.seek(self._ends[start])
            return self._file.read(self._ends[stop] - self._ends[start])

    def chunks(self, *, records: int, size: int) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of runs of at most *records* records and *size* bytes; a longer record forms its own run.

        >>> spool = RecordSpool()
        >>> for record in (b"aa", b"b", b"cccc", b"d"): spool.append(record)
        >>> list(spool.chunks(records=2, size=4))
        [(0, 2), (2, 3), (3, 4)]
        """
        start = 0
        for stop in range(1, len(self) + 1):
            full = stop - start >= records
            if full or stop == len(self) or self._ends[stop + 1] - self._ends[start] > size:
                yield start, stop
                start = stop


@contextmanager
def _explained() -> Iterator[None]:
    """Raise InputError with the folder if the disk is full; a buffered write may fail only at the next seek."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot spool to {tempfile.gettempdir()}: {error.strerror} (TMPDIR names another)") from error


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # the disk is full, but the rest of the file is not needed any more
        file.close()


class SegmentSpool(Sequence[Segment]):
    """The segments of one system as a read-only sequence on disk.

    >>> spool = SegmentSpool("online-A")
    >>> spool.append(Segment("a", ("b",), id="1"))
    >>> spool[0].system, [segment.references for segment in spool]
    ('online-A', [('b',)])
    """

    def __init__(self, system: str) -> None:
        self.system = system
        self.records = RecordSpool()

    def append(self, segment: Segment) -> None:
        record = [segment.hypothesis, segment.references, segment.source, segment.id, segment.document]
        self.records.append(json.dumps(record, ensure_ascii=False).encode("utf-8", errors="surrogatepass"))

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return [self[i] for i in range(start, stop, step)]
            return [self._parse(record) for record in self.records.read(start, max(start, stop))]
        number = range(len(self))[index]
        return self._parse(self.records.read(number, number + 1)[0])

    def __iter__(self) -> Iterator[Segment]:
        for start in range(0, len(self), 1000):
            yield from map(self._parse, self.records.read(start, min(start + 1000, len(self))))

    def _parse(self, record: bytes) -> Segment:
        return parse_record(record, self.system)


def parse_record(record: bytes, system: str) -> Segment:
    """Return the segment of *system* that a record of a spool holds."""
    hypothesis, references, source, name, document = json.loads(record.decode("utf-8", errors="surrogatepass"))
    return Segment(hypothesis, tuple(references), source, name, system, document)


def spool_segments(segments: Iterable[Segment], system: str = "") -> SegmentSpool:
    """Return a spool with these segments as segments of *system*."""
    spool = SegmentSpool(system)
    for segment in segments:
        spool.append(segment)
    return spool


class ScoreSpool(Sequence[Score]):
    """Scores as a read-only sequence over packed chunks on disk."""

    def __init__(self) -> None:
        self._chunks = RecordSpool()
        self._starts = [0]

    def append(self, packed: bytes, count: int) -> None:
        """Add a packed chunk of *count* scores."""
        self._chunks.append(packed)
        self._starts.append(self._starts[-1] + count)

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Score: ...
    @overload
    def __getitem__(self, index: slice) -> list[Score]: ...
    def __getitem__(self, index: int | slice) -> Score | list[Score]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        chunk = bisect_right(self._starts, number) - 1
        return self._scores(chunk)[number - self._starts[chunk]]

    def __iter__(self) -> Iterator[Score]:
        for chunk in range(len(self._chunks)):
            yield from self._scores(chunk)

    def _scores(self, chunk: int) -> list[Score]:
        return Chunk.unpack(self._chunks.read(chunk, chunk + 1)[0]).scores
