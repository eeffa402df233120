"""Many blobs of a store read at once, straight into one block of memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from monge.storage.pack_index import PackIndex, checksum

_RUN_BYTES = 4 << 20  # read in one call: it stays in the processor's cache until its checksums are computed
_RUN_BLOBS = 512  # at most 1,024 by the limits of systems
_WORTH_A_THREAD = 8 << 20  # bytes


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
    wanted = _Wanted(keys, places, LaidBlobs(np.empty(int(starts[-1]), dtype=np.uint8), starts))
    runs = list(_divide(places)) if len(places) else []
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores, len(runs), 1 + int(starts[-1]) // _WORTH_A_THREAD)
    if workers < 2:
        good = all(_read_run(index, wanted, run) for run in runs)
    else:  # reading and checksums leave the interpreter to others
        with ThreadPoolExecutor(workers, "monge-read") as pool:
            good = all(pool.map(lambda run: _read_run(index, wanted, run), runs))
    return wanted.laid if good else None


def _fits(index: PackIndex, pack: int, places: NDArray[np.int64]) -> bool:
    """Whether a pack is as long as the *places* in it say: a damaged index may name any number."""
    length = index.pack_length(pack)
    return bool((places[:, 1:3] <= length).all() and (places[:, 1] + places[:, 2] <= length).all())


def _divide(places: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of blobs that lie one after the other in a pack, at most a run of them at a time."""
    order = np.lexsort((places[:, 1], places[:, 0]))
    pack, offset, size = places[order, :3].T
    breaks = (pack[1:] != pack[:-1]) | (offset[1:] != offset[:-1] + size[:-1])
    for part in np.split(order, np.flatnonzero(breaks) + 1):
        held = np.cumsum(places[part, 2])
        run = np.maximum(np.arange(len(part)) // _RUN_BLOBS, held // _RUN_BYTES)
        yield from np.split(part, np.flatnonzero(np.diff(run)) + 1)


def _read_run(index: PackIndex, wanted: _Wanted, run: NDArray[np.int64]) -> bool:
    """Read a run; return whether all of it is what was written for its keys."""
    pack, offset = wanted.places[run[0], :2].tolist()
    stream = index.open_to_read(pack)
    if stream is None:
        return False
    data, starts = wanted.laid.data.data, wanted.laid.starts
    views = [data[start:stop] for start, stop in zip(starts[run].tolist(), starts[run + 1].tolist(), strict=True)]
    with stream:
        if hasattr(os, "preadv"):
            os.preadv(stream.fileno(), views, offset)
        else:
            stream.seek(offset)
            for view in views:
                stream.readinto(view)  # type: ignore[attr-defined]  # a raw stream has it
    # what a short read left out fails its checksum
    expected = wanted.places[run, 3].tolist()
    keys = [wanted.keys[k] for k in run.tolist()]
    return all(checksum(*item) == crc for *item, crc in zip(keys, views, expected, strict=True))
