"""Chunks of scores that outlive the process: an interrupted job goes on, a repeated one reads."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, overload

from monge.engine.spool import RecordSpool
from monge.environment import Environment
from monge.metrics import Metric
from monge.scores import Score
from monge.storage.store import Store, make_label

SCORES_BYTES = 512 << 20
# the code that makes a score
SCORING_ROOMS = ("text", "encoders", "transport", "clouds", "scores", "metrics", "engine")


class Chunk(NamedTuple):
    """The scores of consecutive segments, and the sums of a metric whose corpus score is made of them."""

    scores: list[Score]
    sums: list[float] | None

    def pack(self) -> bytes:
        """Return the chunk as bytes; numbers come back exactly, alignments do not come back."""
        rows = [[score.value, dict(score.parts), score.reference_index, score.notes] for score in self.scores]
        return json.dumps({"scores": rows, "sums": self.sums}).encode("ascii")

    @classmethod
    def unpack(cls, data: bytes) -> Chunk:
        content = json.loads(data)
        scores = [Score(value, parts, (), index, tuple(notes)) for value, parts, index, notes in content["scores"]]
        return cls(scores, content["sums"])


class Journal:
    """Finished chunks of one metric, by what was scored and how.

    The key is a hash of monge's own code, the metric's signature and the segments: whatever could change a score.
    Metrics and encoders of other packages are not journaled, because their code is not known.
    """

    def __init__(self, metric: Metric, store: Store | None) -> None:
        self._store = store if _is_ours(metric) else None
        self._label = make_label(f"scores of {metric.spec.name}", code_hash(*SCORING_ROOMS))
        self._start = hashlib.sha256(f"{code_hash(*SCORING_ROOMS)}\0{metric.signature}\0".encode())

    def find(self, records: bytes) -> bytes | None:
        """Return the packed chunk that was kept for these segments."""
        if self._store is None:
            return None
        key = self._key(records)
        return self._store.get([key]).get(key)

    def keep(self, records: bytes, packed: bytes) -> None:
        if self._store is not None:
            self._store.put(self._label, {self._key(records): packed})

    def _key(self, records: bytes) -> bytes:
        digest = self._start.copy()
        digest.update(records)
        return digest.digest()[:16]


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


def score_store() -> Store | None:
    """Return where chunks of scores are kept, or None when the cache is off."""
    environment = Environment.read()
    return open_score_store(environment.cache_directory / "scores") if environment.cache else None


@cache
def code_hash(*rooms: str) -> str:
    """Return eight digits that name the source of these *rooms* of monge: what other code computed is not trusted."""
    source = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(path for room in rooms for path in (source / room).rglob("*")):
        if path.suffix in (".py", ".so", ".pyd"):
            digest.update(f"{path.relative_to(source)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


@cache
def open_score_store(directory: Path) -> Store:
    """Return the store of scores in *directory*; one a process."""
    return Store(directory, most=SCORES_BYTES)


def _is_ours(metric: Metric) -> bool:
    """Whether code and weights are known by the signature: a metric or encoder of the user's own may change freely."""
    parts = [metric, getattr(metric, "encoder", metric)]
    members = [member.metric for member in getattr(metric, "members", ())]
    return all(type(part).__module__.startswith("monge.") for part in parts) and all(map(_is_ours, members))
