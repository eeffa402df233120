"""Exact nearest texts by a transport distance, with only a few of the transport problems solved."""

from __future__ import annotations

import bisect
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.engine.journal import Journal
from monge.engine.progress import show_progress
from monge.errors import OptionError
from monge.metrics.transport.metric import TransportMetric
from monge.search.bounds import BOUNDED_COSTS, BoundedClouds, lay_out
from monge.text import Segment
from monge.transport import RaggedClouds, TransportSetting, solve_pairs

_SHARD_CHARACTERS = 300_000  # of the corpus, whose vectors are held at once
_KEEP_SECONDS = 20.0  # between two times that the state of the search is stored
_BLOCK = 2048  # clouds that get a relaxed bound at once
_BATCH = 64  # exact problems solved at once


@dataclass(frozen=True, order=True)
class Neighbour:
    """A text of the corpus, by its number (from 0), and its distance."""

    distance: float
    place: int


@dataclass
class Search:
    """The neighbours of every query, nearest first (ties: the earlier text first), and how much work the search was.

    Of ``pairs`` (query, text), ``relaxed`` got a relaxed bound and ``solved`` were solved exactly. A query of
    which the encoder cannot read half has no neighbours, and texts of the corpus without a known word are ``skipped``.
    The first ``reused`` texts were searched in an earlier run. ``warnings`` concern all of it.
    """

    neighbours: list[list[Neighbour]]
    pairs: int = 0
    relaxed: int = 0
    solved: int = 0
    skipped: int = 0
    reused: int = 0
    _k: int = field(default=1, repr=False)
    warnings: tuple[str, ...] = ()

    def worst(self, query: int) -> float:
        """Return the distance that a new neighbour of *query* must not exceed."""
        own = self.neighbours[query]
        return own[-1].distance if len(own) >= self._k else math.inf

    def add(self, query: int, found: Neighbour) -> None:
        """Keep *found* if it is among the k nearest so far."""
        own = self.neighbours[query]
        bisect.insort(own, found)
        del own[self._k :]

    def pack(self) -> bytes:
        """Return the search as bytes; numbers are kept exactly."""
        found = [[[n.distance, n.place] for n in own] for own in self.neighbours]
        return json.dumps([found, self.pairs, self.relaxed, self.solved, self.skipped]).encode("ascii")

    def unpack(self, packed: bytes, *, reused: int) -> Search:
        """Return the packed search, in which *reused* texts are done."""
        found, pairs, relaxed, solved, skipped = json.loads(packed)
        neighbours = [[Neighbour(*n) for n in own] for own in found]
        return Search(neighbours, pairs, relaxed, solved, skipped, reused, self._k)


def find_nearest(
    metric: TransportMetric,
    queries: Sequence[str],
    corpus: Sequence[str],
    *,
    k: int = 10,
    journal: Journal | None = None,
    progress: bool | None = False,
) -> Search:
    """Return for every query the *k* texts of *corpus* with the smallest earth mover's distance.

    Prefetch and prune (Kusner et al. 2015, §4): texts are visited in order of the centroid bound; only those whose
    relaxed bound does not exceed the k-th best distance so far are solved. The others cannot be nearer, so the
    result is exact. With a *journal*, an interrupted search continues where it stopped. *progress* None shows it on a
    terminal. Raises OptionError if *k* is below 1 or the metric is not an earth mover's distance (see
    ``check_distance``).

    >>> from monge.metrics import load_metric
    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> metric = load_metric("emd", encoder=HashedEncoder(layers=1))
    >>> search = find_nearest(metric, ["a dog"], ["a cat", "the dog ran", "a dog"], k=1)
    >>> search.neighbours[0][0].place
    2
    """
    check_distance(metric)
    if k < 1:
        raise OptionError(f"k must be at least 1, not {k}")
    bound = metric if metric.bound else metric.bind([Segment(text, (text,), text) for text in corpus])
    log = _Log(bound, journal or Journal(None), k, queries, corpus)
    search, done = log.resume(Search([[] for _ in queries], _k=k))
    if done == len(corpus):
        return search
    asked = {text: cloud for text, cloud in bound.make_clouds(queries).items() if cloud.readable}
    prepared = {text: lay_out([cloud]) for text, cloud in asked.items()}
    with show_progress("nearest", len(corpus), progress, unit=" texts") as bar:
        bar.update(done)
        for start, stop in _shards(corpus):
            if start < done:
                continue
            clouds = bound.make_clouds(corpus[start:stop])
            places = [place for place in range(start, stop) if not clouds[corpus[place]].empty]
            search.skipped += stop - start - len(places)
            if places:
                laid = lay_out([clouds[corpus[place]] for place in places])
                shard = _Shard(np.array(places), laid, bound.settings.transport.cost)
                for number, text in enumerate(queries):
                    if text in prepared:
                        shard.visit(search, number, prepared[text])
            log.keep(search, stop)
            bar.update(stop - start)
    return search


class _Log:
    """Stores the state of a search from time to time, so that an interrupted search can continue."""

    def __init__(
        self, metric: TransportMetric, journal: Journal, k: int, queries: Sequence[str], corpus: Sequence[str]
    ) -> None:
        self._metric = metric
        self._journal = journal
        self._name = hashlib.sha256(json.dumps([k, list(queries), list(corpus)]).encode("ascii")).hexdigest()
        self._corpus = corpus
        self._kept = time.monotonic()

    def resume(self, fresh: Search) -> tuple[Search, int]:
        """Return the search as it was stored last, and how many texts are done; *fresh* and 0 if nothing is stored."""
        for _, stop in reversed(list(_shards(self._corpus))):
            packed = self._journal.find(self._metric, self._key(stop))
            if packed is not None:
                return fresh.unpack(packed, reused=stop), stop
        return fresh, 0

    def keep(self, search: Search, stop: int) -> None:
        if stop == len(self._corpus) or time.monotonic() - self._kept > _KEEP_SECONDS:
            self._journal.keep(self._metric, self._key(stop), search.pack())
            self._kept = time.monotonic()

    def _key(self, stop: int) -> bytes:
        return f"nearest\0{self._name}\0{stop}".encode()


def check_distance(metric: TransportMetric) -> None:
    """Raise OptionError unless the metric is a balanced, unregularised transport distance with a bounded cost."""
    choice = metric.settings.transport
    balanced = math.isinf(choice.lambda_c) and math.isinf(choice.lambda_r)
    exact = balanced and choice.order == 1 and choice.epsilon == 0
    if metric.hypothesis is not metric.other:
        raise OptionError(f"{metric.spec.name}: nearest compares texts of one kind, so both sides need one encoder")
    if metric.settings.readout.kind == "f" or not exact or choice.cost not in BOUNDED_COSTS:
        known = "wmd, emd, moverscore, smd, cosine and similar metrics"
        raise OptionError(f"{metric.spec.name} is not an earth mover's distance; nearest takes {known}")


@dataclass(frozen=True, eq=False)
class _Shard:
    """Part of the corpus with its vectors."""

    places: NDArray[np.int64]
    clouds: RaggedClouds
    cost: str
    bounded: BoundedClouds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounded", BoundedClouds.of(self.clouds, self.cost))

    def visit(self, search: Search, number: int, query: RaggedClouds) -> None:
        """Add the neighbours of one query in this part of the corpus."""
        search.pairs += len(self.places)
        prepared = BoundedClouds.of(query, self.cost)
        rough = self.bounded.centroid_bounds(prepared)
        order = np.argsort(rough, kind="stable")
        first = len(search.neighbours[number]) == 0
        if first:  # prefetch: the nearest centroids give a first k-th best distance
            self._solve(search, number, query, order[: search._k])
            order = order[search._k :]
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            block = block[rough[block] <= search.worst(number)]
            if len(block) == 0:
                return
            search.relaxed += len(block)
            bounds = self.bounded.relaxed_bounds(prepared, block)
            self._solve_promising(search, number, query, block[np.argsort(bounds, kind="stable")], np.sort(bounds))

    def _solve_promising(
        self, search: Search, number: int, query: RaggedClouds, block: NDArray[np.int64], bounds: NDArray[np.float64]
    ) -> None:
        for start in range(0, len(block), _BATCH):
            batch = slice(start, start + _BATCH)
            promising = block[batch][bounds[batch] <= search.worst(number)]
            if len(promising) == 0:
                return
            self._solve(search, number, query, promising)

    def _solve(self, search: Search, number: int, query: RaggedClouds, chosen: NDArray[np.int64]) -> None:
        pairs = np.column_stack([np.zeros(len(chosen), dtype=np.int64), chosen])
        setting = TransportSetting(cost=self.cost)  # type: ignore[arg-type]  # one of BOUNDED_COSTS
        distances = solve_pairs(query, self.clouds, pairs, setting).costs
        search.solved += len(chosen)
        for place, distance in zip(self.places[chosen].tolist(), distances.tolist(), strict=True):
            search.add(number, Neighbour(distance, place))


def _shards(corpus: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = size = 0
    for place, text in enumerate(corpus):
        if size and size + len(text) > _SHARD_CHARACTERS:
            yield start, place
            start, size = place, 0
        size += len(text)
    if start < len(corpus):
        yield start, len(corpus)
