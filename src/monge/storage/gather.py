"""Many blobs of a store read at once, straight into one block of memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from monge.storage.buffers import Buffers
from monge.storage.pack_index import PackIndex
from monge.storage.packs import checksum

try:
    from monge.storage import _reading
except ImportError:  # not compiled: Python does the same, in more time
    _reading = None  # type: ignore[assignment]

_PART_BYTES = 4096 << 10  # read at once: they stay in the processor's cache until their checksums are computed
_PART_BLOBS = 512  # at most 1,024 by the limits of systems
_BUFFERS = Buffers()
_WORTH_A_THREAD = 32 << 20  # bytes


class LaidBlobs(NamedTuple):
    """Blobs laid end to end: blob k is ``data[starts[k]:starts[k + 1]]``."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]


class _Wanted(NamedTuple):
    """Blobs by key, where they lie (pack, offset, size, checksum) and where they go."""

    keys: Sequence[bytes]
    places: NDArray[np.int64]
    laid: LaidBlobs


def gather_blobs(index: PackIndex, keys: Sequence[bytes], places: NDArray[np.int64]) -> LaidBlobs | None:
    """Return the blobs of different *keys*, which lie at *places*, in order; None if one is not what was written."""
    if not all(_fits(index, pack, places[places[:, 0] == pack]) for pack in np.unique(places[:, 0]).tolist()):
        return None
    starts = np.concatenate([[0], np.cumsum(places[:, 2])])
    wanted = _Wanted(keys, places, LaidBlobs(_BUFFERS.take(int(starts[-1])), starts))
    parts = _divide(places) if len(places) else []
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores, len(parts), 1 + int(starts[-1]) // _WORTH_A_THREAD)
    if workers < 2:
        good = all(_read_part(index, wanted, part) for part in parts)
    else:  # reading and checksums leave the interpreter to others
        with ThreadPoolExecutor(workers, "monge-read") as pool:
            good = all(pool.map(lambda part: _read_part(index, wanted, part), parts))
    return wanted.laid if good else None


def reads_natively() -> bool:
    """Whether native code reads and checks blobs, which this processor and system allow."""
    return _reading is not None and _reading.fast


def _fits(index: PackIndex, pack: int, places: NDArray[np.int64]) -> bool:
    """Whether a pack is as long as the *places* in it say: a damaged index may name any number."""
    length = index.pack_length(pack)
    return bool((places[:, 1:3] <= length).all() and (places[:, 1] + places[:, 2] <= length).all())


def _divide(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the numbers of blobs in order of place, divided into parts of one pack that are read by one thread."""
    order = np.lexsort((places[:, 1], places[:, 0]))
    held = np.cumsum(places[order, 2]) // _PART_BYTES
    part = np.maximum(np.arange(len(order)) // _PART_BLOBS, held)
    ends = np.flatnonzero((np.diff(part) != 0) | (np.diff(places[order, 0]) != 0)) + 1
    return np.split(order, ends)


def _read_part(index: PackIndex, wanted: _Wanted, part: NDArray[np.int64]) -> bool:
    """Read a part; return whether all of it is what was written for its keys."""
    places, keys = wanted.places[part], [wanted.keys[k] for k in part.tolist()]
    stream = index.open_to_read(int(places[0, 0]))
    if stream is None:
        return False
    with stream:
        if reads_natively():
            return _reading.read_blobs(stream.fileno(), places, wanted.laid.starts[part], keys, wanted.laid.data)
        return _read_plainly(stream, wanted, part)


def _read_plainly(stream: IO[bytes], wanted: _Wanted, part: NDArray[np.int64]) -> bool:
    """Read a part without native code."""
    places, data, starts = wanted.places[part], wanted.laid.data.data, wanted.laid.starts
    views = [data[start:stop] for start, stop in zip(starts[part].tolist(), starts[part + 1].tolist(), strict=True)]
    apart = np.flatnonzero(places[1:, 1] != places[:-1, 1] + places[:-1, 2]) + 1
    for first, last in pairwise([0, *apart.tolist(), len(views)]):
        _read_run(stream, int(places[first, 1]), views[first:last])
    # what a short read left out fails its checksum
    keys = (wanted.keys[k] for k in part.tolist())
    return all(map(int.__eq__, map(checksum, keys, views), places[:, 3].tolist()))


def _read_run(stream: IO[bytes], offset: int, views: Sequence[memoryview]) -> None:
    """Read blobs that lie one after the other."""
    if hasattr(os, "preadv"):
        os.preadv(stream.fileno(), views, offset)
    else:
        stream.seek(offset)
        for view in views:
            stream.readinto(view)  # type: ignore[attr-defined]  # a raw stream has it
