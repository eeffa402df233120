"""VecMap without any dictionary (Artetxe, Labaka and Agirre 2018): a robust start and self-learning, in numpy."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.fit import Maps, VectorPairs
from monge.crosslingual.induction import NEIGHBOURS, Rows, csls_scores, distinct_rows
from monge.crosslingual.maps import Array, Chain, Linear, Shift, UnitLength
from monge.encoders.unit import unit_vectors
from monge.errors import InputError, OptionError
from monge.storage.atomic import open_atomic

Single = NDArray[np.float32]
Show = Callable[[int, float], None]  # iteration, objective
_START_WORDS = 4000  # whose similarities make the first dictionary
_KEPT, _GROWTH, _STALLED, _THRESHOLD = 0.1, 2.0, 50, 1e-6
_SAVE_EVERY = 30.0  # seconds


@dataclass(frozen=True)
class VecmapSettings:
    """Seed of the random dictionaries, and how many words (the most frequent) take part in self-learning.

    The public code uses 20,000 words; a processor needs hours for that. ``patience`` is the number of iterations
    without progress after which more of the dictionary is kept; it is 50 in the public code.
    """

    seed: int = 1
    words: int = 4000
    patience: int = _STALLED


@dataclass
class _Learning:
    """Where self-learning stands: all that a continued one needs, since draws depend on seed and iteration alone."""

    pairs: tuple[Rows, Rows]
    kept: float = _KEPT
    best: float = -np.inf
    last: int = 0  # iteration that made progress
    iteration: int = 0

    def save(self, path: Path, recipe: str) -> None:
        with open_atomic(path) as stream:
            facts = np.array([self.kept, self.best, self.last, self.iteration], dtype=np.float64)
            np.savez(stream, left=self.pairs[0], right=self.pairs[1], facts=facts, recipe=np.array(recipe))

    @classmethod
    def load(cls, path: Path, recipe: str) -> _Learning | None:
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as found:
                own, facts, pairs = str(found["recipe"]), found["facts"].tolist(), (found["left"], found["right"])
        except (KeyError, OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: not a checkpoint of vecmap ({error}); delete it to start again") from None
        if own != recipe:
            raise OptionError(f"{path} belongs to a training with other data or settings; delete it or write elsewhere")
        return cls(pairs, facts[0], facts[1], int(facts[2]), int(facts[3]))


def fit_vecmap(
    sample: VectorPairs,
    settings: VecmapSettings | None = None,
    *,
    show: Show | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Maps:
    """Return maps of both languages, fitted on the unpaired vectors of each.

    Vectors are brought to length 1, centred, and to length 1 again. The first dictionary compares words by the sorted
    rows of √(X Xᵀ) and √(Z Zᵀ), which are alike for translations if the spaces are isometric. Then, again and again, an
    orthogonal map is fitted on the dictionary and a dictionary induced in both directions by CSLS, in which every entry
    is ignored with a probability of 0.9; that share shrinks when the objective (mean cosine of the nearest neighbours)
    has not grown by 1e-6 for 50 iterations. At the end both languages are whitened, rotated, re-weighted by √S and
    de-whitened. Constants as in the public code of the authors.

    ``checkpoint`` is a file that keeps the state twice a minute; a run that was killed continues there and ends in the
    same maps. It is left to the caller, who deletes it once the maps are saved. Raises OptionError if it belongs to
    other vectors or settings.
    """
    settings = settings or VecmapSettings()
    starts = [_normalisation(rows) for rows in (sample.source_vectors, sample.target_vectors)]
    rows = [
        chain.transform(distinct_rows(side, settings.words)).astype(np.float32)
        for chain, side in zip(starts, (sample.source_vectors, sample.target_vectors), strict=True)
    ]
    place = None if checkpoint is None else Path(checkpoint)
    pairs = _learn(rows[0], rows[1], settings, show, place)
    source, target = _final_maps(rows[0].astype(np.float64), rows[1].astype(np.float64), pairs)
    return Chain((*starts[0].maps, source)), Chain((*starts[1].maps, target))


def _normalisation(vectors: Array) -> Chain:
    return Chain((UnitLength(), Shift(UnitLength().transform(vectors).mean(axis=0)), UnitLength()))


def first_dictionary(source: Array, target: Array) -> tuple[Rows, Rows]:
    """Return pairs of rows that have alike sorted similarities with the other rows of their own language."""
    size = min(len(source), len(target), _START_WORDS)
    profiles = [_profile(rows[:size]) for rows in (source, target)]
    scores = csls_scores(profiles[0] @ profiles[1].T)
    everything = np.arange(size)
    left = np.concatenate([everything, scores.argmax(axis=0)])
    return left, np.concatenate([scores.argmax(axis=1), everything])


def _profile(rows: NDArray[np.floating]) -> Single:
    left, values, _ = np.linalg.svd(rows.astype(np.float32), full_matrices=False)
    similar = np.sort((left * values) @ left.T, axis=1)
    similar = unit_vectors(similar)
    return unit_vectors(similar - similar.mean(axis=0))


def _learn(
    source: Single, target: Single, settings: VecmapSettings, show: Show | None, checkpoint: Path | None
) -> tuple[Rows, Rows]:
    """Return the dictionary at which self-learning ends."""
    recipe = f"{settings} {hashlib.sha256(source.tobytes() + target.tobytes()).hexdigest()}"
    state = None if checkpoint is None else _Learning.load(checkpoint, recipe)
    state = state or _Learning(first_dictionary(source, target))  # type: ignore[arg-type]
    saved = time.monotonic()
    while True:
        if state.iteration + 1 - state.last > settings.patience:
            if state.kept >= 1:
                return state.pairs
            state.kept, state.last = min(1.0, _GROWTH * state.kept), state.iteration + 1
        objective = _improve(state, source, target, settings.seed)
        if show is not None:
            show(state.iteration, objective)
        if checkpoint is not None and time.monotonic() - saved >= _SAVE_EVERY:
            state.save(checkpoint, recipe)
            saved = time.monotonic()


def _improve(state: _Learning, source: Single, target: Single, seed: int) -> float:
    """Fit a rotation on the dictionary of *state*, induce another one with it, and return the objective."""
    state.iteration += 1
    left, _, right = np.linalg.svd(source[state.pairs[0]].T @ target[state.pairs[1]])
    similarity = (source @ (left @ right)) @ target.T
    objective = float(similarity.max(axis=1).mean() + similarity.max(axis=0).mean()) / 2
    state.pairs = _induce(similarity, state.kept, np.random.default_rng([seed, state.iteration]))
    if objective - state.best >= _THRESHOLD:
        state.best, state.last = objective, state.iteration
    return objective


def _induce(similarity: Single, kept: float, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """Return the nearest of every row and of every column by CSLS, among entries that are not ignored."""
    rows = np.partition(similarity, -min(NEIGHBOURS, similarity.shape[1]), axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    columns = np.partition(similarity, -min(NEIGHBOURS, len(similarity)), axis=0)[-NEIGHBOURS:].mean(axis=0)
    forward = _ignore(similarity - columns / 2, kept, generator).argmax(axis=1)
    backward = _ignore(similarity - rows[:, None] / 2, kept, generator).argmax(axis=0)
    left = np.concatenate([np.arange(len(similarity)), backward])
    return left, np.concatenate([forward, np.arange(similarity.shape[1])])


def _ignore(scores: Single, kept: float, generator: np.random.Generator) -> Single:
    """Set scores to 0 with the probability 1 − *kept*, as the public code does; the largest are positive."""
    if kept >= 1:
        return scores
    return np.asarray(scores * (generator.random(scores.shape, dtype=np.float32) < kept))


def _final_maps(source: Array, target: Array, pairs: tuple[Rows, Rows]) -> tuple[Linear, Linear]:
    """Return the matrices of both languages: whitened, rotated, re-weighted by √S, de-whitened."""
    sides = [source[pairs[0]], target[pairs[1]]]
    whitenings = [_whitening(side) for side in sides]
    left, values, right = np.linalg.svd((sides[0] @ whitenings[0]).T @ (sides[1] @ whitenings[1]))
    matrices = []
    for whitening, rotation in zip(whitenings, (left, right.T), strict=True):
        restored = rotation.T @ np.linalg.pinv(whitening) @ rotation
        matrices.append(Linear(np.asarray(whitening @ rotation @ np.diag(np.sqrt(values)) @ restored)))
    return matrices[0], matrices[1]


def _whitening(rows: Array) -> Array:
    """Return (RᵀR)^−½; directions in which the rows do not vary are left out."""
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    inverse = np.where(values > 1e-8 * values[0], 1 / np.maximum(values, 1e-300), 0.0)
    return np.asarray((right.T * inverse) @ right)
