"""Fitting maps from pairs of vectors: source-language rows and target-language rows that mean the same.

A *method* looks at a sample and returns two maps, one for each language. Methods are applied in the order in which
they are named, each fitted on what the ones before made of the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.maps import (
    Chain,
    LayerNormalisation,
    Linear,
    Shift,
    Standardise,
    StoredMap,
    UnitLength,
    WithoutDirection,
)
from monge.errors import InputError, OptionError, suggest
from monge.wording import count_noun

Array = NDArray[np.float64]
LEAST_PAIRS = 20


@dataclass(frozen=True, eq=False)
class VectorPairs:
    """Rows (n, d) of ``source`` and ``target`` that belong together, and all vectors of each language.

    ``source_all`` and ``target_all`` need not be paired: statistics of a language are computed from them. They are the
    pairs themselves unless given. Raises InputError for pairs that do not fit, are too few, or are all the same.
    """

    source: Array
    target: Array
    source_all: Array | None = None
    target_all: Array | None = None

    def __post_init__(self) -> None:
        if self.source.ndim != 2 or self.source.shape != self.target.shape:
            raise InputError(f"pairs of vectors need equal shapes, not {self.source.shape} and {self.target.shape}")
        if len(self.source) < LEAST_PAIRS:
            raise InputError(
                f"{count_noun(len(self.source), 'pair')}, too few to fit a map: at least {LEAST_PAIRS} are needed"
            )
        if np.array_equal(self.source, self.target):
            raise InputError("every pair consists of two equal vectors: are source and target the same texts?")

    @property
    def source_vectors(self) -> Array:
        """All vectors of the source language."""
        return self.source if self.source_all is None else self.source_all

    @property
    def target_vectors(self) -> Array:
        """All vectors of the target language."""
        return self.target if self.target_all is None else self.target_all

    def mapped(self, source: StoredMap, target: StoredMap) -> VectorPairs:
        """Return the sample after a map of each language."""
        return VectorPairs(
            source.transform(self.source),
            target.transform(self.target),
            None if self.source_all is None else source.transform(self.source_all),
            None if self.target_all is None else target.transform(self.target_all),
        )


Maps = tuple[StoredMap, StoredMap]


def fit_rotation(sample: VectorPairs) -> Maps:
    """CLP: the rotation W that minimises ‖X W − Z‖ over orthogonal matrices, for the source language alone.

    With U Σ Vᵀ = svd(Xᵀ Z), W = U Vᵀ (Schönemann 1966). Zhao et al. (2020) print the SVD of X Zᵀ and W X, whose sizes
    do not fit rows; taken literally it is the transposed map.

    >>> angle = np.pi / 6
    >>> turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    >>> points = np.random.default_rng(0).standard_normal((30, 2))
    >>> bool(np.allclose(fit_rotation(VectorPairs(points, points @ turn))[0].matrix, turn))
    True
    """
    left, _, right = np.linalg.svd(sample.source.T @ sample.target)
    matrix: Array = np.asarray(left @ right, dtype=np.float64)
    return Linear(matrix), Chain()


def fit_least_squares(sample: VectorPairs) -> Maps:
    """Any matrix W that minimises ‖X W − Z‖, the one of least norm, for the source language alone."""
    matrix, *_ = np.linalg.lstsq(sample.source, sample.target, rcond=None)
    return Linear(np.asarray(matrix, dtype=np.float64)), Chain()


def fit_bias_direction(sample: VectorPairs) -> Maps:
    """UMD: remove the direction in which the two languages differ most, from both.

    The direction is the right singular vector of the largest singular value of X − Z (n, d). Zhao et al. (2020) say
    "left", which has the length n, and subtract a cosine, which equals the dot product for unit vectors alone.
    """
    difference = sample.source - sample.target
    _, vectors = np.linalg.eigh(difference.T @ difference)
    direction = vectors[:, -1] / np.linalg.norm(vectors[:, -1])
    one = WithoutDirection(direction * (1.0 if direction[np.argmax(np.abs(direction))] > 0 else -1.0))
    return one, one


def fit_standardisation(sample: VectorPairs) -> Maps:
    """NORM: mean 0 and variance 1 in every dimension for all vectors of each language by itself."""
    return _standardise(sample.source_vectors), _standardise(sample.target_vectors)


def fit_centring(sample: VectorPairs) -> Maps:
    """Subtract the mean of each language."""
    return Shift(sample.source_vectors.mean(axis=0)), Shift(sample.target_vectors.mean(axis=0))


def _standardise(vectors: Array) -> Standardise:
    return Standardise(vectors.mean(axis=0), vectors.var(axis=0))


# name → what fits the maps of the two languages; those that are trained are in workflows/align_methods.py
METHODS: Mapping[str, Callable[[VectorPairs], Maps]] = {
    "clp": fit_rotation,
    "lsq": fit_least_squares,
    "umd": fit_bias_direction,
    "norm": fit_standardisation,
    "centre": fit_centring,
    "unit": lambda _: (UnitLength(), UnitLength()),
    "layer": lambda _: (LayerNormalisation(), LayerNormalisation()),
}


ALIASES: Mapping[str, str] = {"rotation": "clp", "gbdd": "umd"}  # names of chapter 10 of Zhao's thesis


def parse_methods(text: str, known: Collection[str] = tuple(METHODS)) -> tuple[str, ...]:
    """Return the methods of ``umd,clp``, in the order in which they are applied.

    >>> parse_methods("umd, rotation")
    ('umd', 'clp')
    """
    names = tuple(ALIASES.get(name.strip(), name.strip()) for name in text.split(",") if name.strip())
    if not names:
        raise OptionError(f"no method was named; there are {', '.join(known)}")
    for name in names:
        if name not in known:
            raise OptionError(
                f"no re-mapping {name!r}{suggest(name, (*known, *ALIASES))}; there are {', '.join(known)}"
            )
    return names


def fit_remap(
    sample: VectorPairs, methods: Sequence[str], fitters: Mapping[str, Callable[[VectorPairs], Maps]] = METHODS
) -> tuple[Chain, Chain]:
    """Return the maps of source and target language that *methods* make in their order, each after the ones before.

    ``["umd", "clp"]`` is written CLP∘UMD in the papers: UMD first, then CLP fitted on vectors without the direction.
    """
    source: list[StoredMap] = []
    target: list[StoredMap] = []
    for name in methods:
        for_source, for_target = fitters[name](sample)
        source += for_source.maps if isinstance(for_source, Chain) else (for_source,)
        target += for_target.maps if isinstance(for_target, Chain) else (for_target,)
        sample = sample.mapped(for_source, for_target)
    return Chain(tuple(source)), Chain(tuple(target))
