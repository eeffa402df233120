"""Maps between languages that are trained: FCNN, Real-NVP, GAN-Real-NVP and MUSE, by name.

``gan-real-nvp+cc`` is the method before the sign, bootstrapped with the constraint after it (chapter 10, algorithm 1).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from monge.crosslingual.fit import LEAST_PAIRS, Maps, VectorPairs, fit_rotation
from monge.crosslingual.induction import CRITERIA, distinct_rows, mutual_pairs, own_rows
from monge.crosslingual.maps import Chain
from monge.encoders.torch_backend import import_torch
from monge.errors import InputError, OptionError, suggest
from monge.learned.adversarial import AdversarialSettings, AdversarialTraining, Unpaired
from monge.learned.loop import LoopResult, LoopSettings, run_loop
from monge.learned.mapping import FlowModel, FlowSize, LinearModel, Model, NetworkModel
from monge.learned.muse import MuseTraining
from monge.learned.progress import Report, progress_reporter
from monge.learned.supervised import Judge, SupervisedTraining, TrainedModel

SUPERVISED = ("fcnn", "real-nvp")
UNSUPERVISED = ("gan-real-nvp", "muse")
CONSTRAINTS = ("cc", "graph", "procrustes")
_CONSTRAINED = [f"{name}+{extra}" for name in UNSUPERVISED for extra in CONSTRAINTS]
TRAINED = (*SUPERVISED, *UNSUPERVISED, *(name for name in _CONSTRAINED if name != "muse+procrustes"))  # MUSE has it
ALGORITHM = 3  # raise it when a training gives other maps than before
_REFINEMENTS = 5  # rounds of Procrustes after MUSE, as in its public code
_LONGEST = {"fcnn": 1600, "real-nvp": 1600, "gan-real-nvp": 1000, "muse": 4000}  # steps
_EPOCHS = 20
_BATCH = 256
_JUDGED = 1500  # rows of each language that a criterion looks at
_SEARCHED = 3000  # rows of each language among which bootstrapping looks for translations


@dataclass(frozen=True)
class DensitySettings:
    """How maps are trained.

    ``steps`` 0 means twenty epochs, at most 15 minutes on two cores for 512 dimensions. ``criterion`` chooses the epoch
    whose weights are kept: ``semantic`` (mean cosine of induced translations) or ``structural`` (agreement of singular
    values). ``rounds`` is how often bootstrapping looks for translations, ``similarity`` by what (``cosine`` or
    ``distance``).
    """

    steps: int = 0
    seed: int = 1
    criterion: str = "semantic"
    rounds: int = 3
    size: FlowSize = field(default_factory=FlowSize)
    rate: float = 1e-3
    patience: int = 12
    similarity: str = "cosine"

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            known = ", ".join(CRITERIA)
            raise OptionError(f"no criterion {self.criterion!r}{suggest(self.criterion, CRITERIA)}; there are {known}")
        if self.steps < 0 or self.rounds < 1:
            raise OptionError(f"steps={self.steps}, rounds={self.rounds}: steps and rounds of a training are positive")

    def describe(self) -> str:
        """Return the settings as text, for the file of a map."""
        size = self.size
        return (
            f"seed={self.seed} criterion={self.criterion} rounds={self.rounds} steps={self.steps or 'auto'} "
            f"couplings={size.couplings} width={size.width or 'auto'} rate={self.rate} algorithm={ALGORITHM}"
        )


@dataclass(frozen=True, eq=False)
class DensityFit:
    """The maps that a training gave, its course, the criterion before and after, and what there is to say of it."""

    maps: Maps
    course: LoopResult
    before: float
    after: float
    notes: tuple[str, ...] = ()


def fit_density(
    name: str,
    sample: VectorPairs,
    settings: DensitySettings | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    report: Callable[[str, int], Report] = progress_reporter,
    judge: Judge | None = None,
) -> DensityFit:
    """Train the maps of a method on a sample; unsupervised methods look at the unpaired vectors of each language alone.

    Parameters
    ----------
    name
        One of ``TRAINED``: ``fcnn``, ``real-nvp``, ``gan-real-nvp``, ``muse``, the last two also bootstrapped with a
        constraint (``+cc``, ``+graph``, ``+procrustes``).
    checkpoint
        File that keeps the state until the training has ended; it continues where it stopped.
    report
        Given a name and a number of steps, returns what is called after every step.
    judge
        What chooses the epoch instead of the criterion of the settings.

    Raises OptionError for an unknown name or a checkpoint of another training, InputError for a sample with fewer pairs
    than dimensions, and ModelError where torch is not installed. An unsupervised map that makes the criterion worse
    than no map has collapsed: the identity is returned, with a note.
    """
    settings = settings or DensitySettings()
    base, _, constraint = name.partition("+")
    if name not in TRAINED:
        raise OptionError(f"no trained method {name!r}{suggest(name, TRAINED)}; there are {', '.join(TRAINED)}")
    import_torch()
    _check(sample, base)
    unpaired = _unpaired(sample)
    criterion = CRITERIA[settings.criterion]
    words = own_rows(sample.source_vectors, sample.target_vectors, _JUDGED)
    judge = judge or Judge(*words, lambda mapped, target: criterion(mapped, target, settings.similarity))
    steps = settings.steps or default_steps(base, sample)
    training = _training(name, (sample, unpaired), judge, replace(settings, steps=steps))
    loop = LoopSettings(steps, settings.seed, judge_every=max(1, steps // _EPOCHS), patience=settings.patience)
    recipe = f"{name} {settings.describe()} {sample.source.shape} {_digest(sample)}"
    course = run_loop(training, loop, recipe=recipe, checkpoint=checkpoint, report=report(name, steps))
    maps: Maps = training.model.maps()
    if base == "muse" or constraint == "procrustes":
        rounds = settings.rounds if base != "muse" else max(_REFINEMENTS, settings.rounds)
        maps = refine_by_procrustes(maps, unpaired, judge, rounds=rounds, similarity=settings.similarity)
    return _accept(maps, course, judge, base)


def refine_by_procrustes(maps: Maps, sample: Unpaired, judge: Judge, *, rounds: int, similarity: str) -> Maps:
    """Return the best of some rotations by the criterion, each fitted on the translations that the one before induces.

    The map that is given counts as the first; it stays if no rotation is better.
    """
    best, highest = maps, judge.of_map(maps)
    source, target = sample.words
    for _ in range(rounds):
        left, right = mutual_pairs(maps[0].transform(source), target, similarity)
        if len(left) < max(LEAST_PAIRS, source.shape[1]):
            break
        maps = fit_rotation(VectorPairs(source[left], target[right]))
        value = judge.of_map(maps)
        if value > highest or np.isnan(highest):
            best, highest = maps, value
    return best


def _check(sample: VectorPairs, base: str) -> None:
    pairs, dimension = sample.source.shape
    if base in SUPERVISED and pairs < dimension:
        raise InputError(
            f"{pairs} pairs are fewer than the {dimension} dimensions of the vectors: too few to train {base}"
        )
    for rows in (sample.source_vectors, sample.target_vectors):
        if not np.isfinite(rows).all():
            raise InputError("some vectors hold values that are not numbers: no map can be trained on them")
        if len(rows) < dimension:
            raise InputError(f"{len(rows)} vectors of a language are fewer than their {dimension} dimensions")
    if sample.source_vectors.shape == sample.target_vectors.shape and np.array_equal(
        sample.source_vectors, sample.target_vectors
    ):
        raise InputError("both languages have the same vectors: are source and target the same texts?")


def _unpaired(sample: VectorPairs) -> Unpaired:
    """Return every vector of a language once, however often texts repeat it, and the most frequent ones."""
    sides = (sample.source_vectors, sample.target_vectors)
    source, target = (distinct_rows(rows, len(rows)) for rows in sides)
    return Unpaired(source, target, (distinct_rows(sides[0], _SEARCHED), distinct_rows(sides[1], _SEARCHED)))


def default_steps(base: str, sample: VectorPairs) -> int:
    """Return the largest number of steps of a training by default: twenty epochs, within limits."""
    batches = -(-len(sample.source if base in SUPERVISED else sample.source_vectors) // _BATCH)
    return min(_LONGEST[base], max(200, _EPOCHS * batches)) if base != "muse" else _LONGEST[base]


def _training(
    name: str, samples: tuple[VectorPairs, Unpaired], judge: Judge, settings: DensitySettings
) -> TrainedModel:
    sample, unpaired = samples
    base, _, constraint = name.partition("+")
    if base in SUPERVISED:
        model: Model = (
            NetworkModel(sample.source, sample.target)
            if base == "fcnn"
            else FlowModel(sample.source_vectors, sample.target_vectors, settings.size, seed=settings.seed)
        )
        return SupervisedTraining(model, sample, judge, steps=settings.steps, batch=_BATCH, rate=settings.rate)
    game = AdversarialSettings(
        settings.steps,
        batch=32 if base == "muse" else 128,
        constraint="" if constraint == "procrustes" else constraint,
        rounds=settings.rounds,
        constraint_weight=1.0 if base == "muse" else 10.0,
        similarity=settings.similarity,
    )
    if base == "muse":
        return MuseTraining(LinearModel(unpaired.source.shape[1]), unpaired, judge, game, seed=settings.seed)
    flow = FlowModel(unpaired.source, unpaired.target, settings.size, seed=settings.seed)
    return AdversarialTraining(flow, unpaired, judge, game, seed=settings.seed)


def _accept(maps: Maps, course: LoopResult, judge: Judge, base: str) -> DensityFit:
    before, after = judge.of_map((Chain(), Chain())), judge.of_map(maps)
    notes = list(course.notes)
    if base in UNSUPERVISED and not after >= before:
        notes.append(f"{base} collapsed (criterion {after:.4f}, {before:.4f} without a map): no map is used")
        return DensityFit((Chain(), Chain()), course, before, after, tuple(notes))
    return DensityFit(maps, course, before, after, tuple(notes))


def _digest(sample: VectorPairs) -> str:
    found = hashlib.sha256()
    for rows in (sample.source, sample.target, sample.source_vectors, sample.target_vectors):
        found.update(np.ascontiguousarray(rows).tobytes())
    return found.hexdigest()
