"""The store of scores, by which an interrupted job continues and a repeated job reads instead of computing."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from monge.encoders.held import HELD_BYTES, SharedReading, find_shared, hold_encodings
from monge.engine.chunks import Chunk
from monge.environment import Environment
from monge.metrics.base import check_needs
from monge.metrics.protocols import Composite, Encoding, Metric, Summable
from monge.storage.identity import stated_identity
from monge.storage.shards import ShardStore
from monge.storage.store import Store, make_label
from monge.text import Segment
from monge.version import __version__

SCORES_BYTES = 512 << 20
ALGORITHM = 2  # raise it when what is stored for a chunk changes on purpose
MAKER = f"monge={__version__},journal={ALGORITHM}"  # scores of another maker are never used


class Blobs(Protocol):
    """Where chunks are kept: a :class:`Store` on a disk, or shards under a URL."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]: ...
    def put(self, label: str, blobs: Mapping[bytes, bytes]) -> None: ...


class Journal:
    """Finished chunks of scores, by what was scored and how.

    The key is a digest of the metric's identity (settings, weights, versions of libraries, numbers of algorithms) and
    the segments, that is, of everything that can change a score. Scores of a metric without an identity, such as one
    of another package, are not stored. The parts of a composite metric are stored separately, so that metrics with the
    same parts share their scores. Without a store (None) everything is computed.
    """

    def __init__(self, store: Blobs | None) -> None:
        self._store = store

    def shared(self) -> Journal:
        """Return this journal for a worker on another machine: itself if its store is a URL, else none."""
        return self if isinstance(self._store, ShardStore) else Journal(None)

    def score(self, metric: Metric, segments: Sequence[Segment], records: bytes) -> tuple[bytes, bool]:
        """Return the packed chunk of *segments*, and whether it was stored before; *records* are their bytes."""
        return self.score_together([metric], segments, records)[0]

    def score_together(
        self, metrics: Sequence[Metric], segments: Sequence[Segment], records: bytes
    ) -> list[tuple[bytes, bool]]:
        """Return what ``score`` does for every one of *metrics*; a text is encoded once for all layers they read."""
        found = [self.find(metric, records) for metric in metrics]
        missing = [metric for metric, packed in zip(metrics, found, strict=True) if packed is None]
        for metric in missing:
            check_needs(metric.spec, segments)
        computed = self._compute(missing, segments, records)
        return [
            (computed[_name(metric)], False) if packed is None else (packed, True)
            for metric, packed in zip(metrics, found, strict=True)
        ]

    def _compute(self, metrics: Sequence[Metric], segments: Sequence[Segment], records: bytes) -> dict[object, bytes]:
        """Score the metrics that are not composites, then combine; keep the chunk of each, and return them packed."""
        chunks: dict[object, Chunk] = {}
        packs: dict[object, bytes] = {}
        leaves: dict[object, Metric] = {}
        for leaf in (leaf for metric in metrics for leaf in _leaves(metric)):
            stored = self.find(leaf, records) if _name(leaf) not in leaves and leaf not in metrics else None
            if stored is not None:
                chunks[_name(leaf)], packs[_name(leaf)] = Chunk.unpack(stored), stored
            elif _name(leaf) not in chunks:
                leaves.setdefault(_name(leaf), leaf)

        def keep(metric: Metric, chunk: Chunk) -> None:
            name = _name(metric)
            chunks[name], packs[name] = chunk, chunk.pack()
            self.keep(metric, records, packs[name])

        for name, chunk in _score_leaves(leaves, segments).items():
            keep(leaves[name], chunk)

        def combine(metric: Metric) -> Chunk:
            if _name(metric) not in chunks:
                assert isinstance(metric, Composite)
                keep(metric, Chunk(metric.combine([combine(part).scores for part in metric.parts]), None))
            return chunks[_name(metric)]

        for metric in metrics:
            combine(metric)
        return packs

    def find(self, metric: Metric, content: bytes) -> bytes | None:
        """Return what was kept for *metric* and *content*, or None."""
        key = self.key(metric, content)
        if self._store is None or key is None:
            return None
        return self._store.get([key]).get(key)

    def keep(self, metric: Metric, content: bytes, packed: bytes) -> None:
        """Keep *packed* for *metric* and *content*."""
        key = self.key(metric, content)
        if self._store is not None and key is not None:
            self._store.put(make_label(f"scores of {metric.spec.name}", MAKER), {key: packed})

    def key(self, metric: Metric, content: bytes) -> bytes | None:
        """Return the digest under which the scores of *content* are kept; None if they are not."""
        identity = stated_identity(metric)
        if identity is None:
            return None
        digest = hashlib.sha256(f"{MAKER}\0{identity}\0".encode("utf-8", "surrogatepass"))
        digest.update(content)
        return digest.digest()


def _name(metric: Metric) -> object:
    return stated_identity(metric) or id(metric)


def _leaves(metric: Metric) -> Iterator[Metric]:
    if isinstance(metric, Composite):
        for part in metric.parts:
            yield from _leaves(part)
    else:
        yield metric


def _score_leaves(leaves: Mapping[object, Metric], segments: Sequence[Segment]) -> dict[object, Chunk]:
    """Score *segments* with every metric, in blocks whose shared vectors fit in memory."""
    whole = [name for name, metric in leaves.items() if getattr(metric, "depends_on_batch", False)]
    chunks = {name: _score_leaf(leaves[name], segments) for name in whole}
    leaves = {name: metric for name, metric in leaves.items() if name not in chunks}
    readers = [one for one in leaves.values() if isinstance(one, Encoding) and len(one.encodings()) == 1]
    shared = find_shared(pair for metric in readers for pair in metric.encodings())
    needs = {need for metric in readers for need in metric.spec.needs}
    parts: dict[object, list[Chunk]] = {name: [] for name in leaves}
    for block in _blocks(segments, shared, needs):
        with hold_encodings(shared, _texts(block, needs) if shared else []):
            for name, metric in leaves.items():
                parts[name].append(_score_leaf(metric, block))
    return chunks | {name: Chunk.join(own) for name, own in parts.items()}


def _score_leaf(metric: Metric, segments: Sequence[Segment]) -> Chunk:
    sums = metric.sum_statistics(segments) if isinstance(metric, Summable) else None
    return Chunk(metric.score(segments), sums)


def _texts(segments: Sequence[Segment], needs: Collection[str]) -> list[str]:
    """Return the texts of *segments* that metrics with these *needs* read."""
    found = dict.fromkeys(one.hypothesis for one in segments)
    if "references" in needs:
        found |= dict.fromkeys(text for one in segments for text in one.references)
    if "source" in needs:
        found |= dict.fromkeys(one.source for one in segments if one.source is not None)
    return list(found)


def _blocks(
    segments: Sequence[Segment], shared: Sequence[SharedReading], needs: Collection[str]
) -> Iterator[Sequence[Segment]]:
    """Yield runs of segments whose vectors take at most HELD_BYTES, as far as their length shows."""
    if not shared or not segments:
        yield segments
        return
    start, held = 0, 0
    for number, segment in enumerate(segments):
        size = sum(one.bytes_of(text) for one in shared for text in _texts([segment], needs))
        if number > start and held + size > HELD_BYTES:
            yield segments[start:number]
            start, held = number, 0
        held += size
    yield segments[start:]


def open_journal(environment: Environment, shards: str | None = None) -> Journal:
    """Return the journal of *environment*, or that of the folder or URL *shards*; with the cache off it is empty."""
    if shards:
        return Journal(ShardStore(shards))
    return Journal(open_score_store(environment.cache_directory / "scores") if environment.cache else None)


@cache
def open_score_store(directory: Path) -> Store:
    """Return the store of scores in *directory*; one per process."""
    return Store(directory, most=SCORES_BYTES)
