"""The simulation of contextual bilingual lexicon induction: which map finds the translation of an occurrence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.cbli import CbliSetting, Occurrences, SimulatedPair, cbli_precision
from monge.crosslingual.fit import METHODS, Maps, VectorPairs, fit_remap, parse_methods
from monge.crosslingual.maps import Array, Chain
from monge.crosslingual.vecmap import VecmapSettings, fit_vecmap
from monge.errors import OptionError
from monge.learned.density import TRAINED, DensitySettings, fit_density
from monge.workflows.align_methods import ALL_METHODS

DEFAULT_METHODS = (
    "identity", "rotation", "centre,rotation", "fcnn", "real-nvp", "muse", "vecmap", "gan-real-nvp",
    "gan-real-nvp+cc", "gan-real-nvp+procrustes",
)  # fmt: skip
_STEPS = {"fcnn": 300, "real-nvp": 300, "muse": 300, "gan-real-nvp": 100}
_RATES = {"fcnn": 1e-2, "real-nvp": 2e-3}
_JUDGED = 400  # points that choose the epoch


@dataclass(frozen=True)
class CbliRequest:
    """What to simulate: kinds of languages, shifts ε of the tested occurrences, methods, and how many runs of each.

    A method is a name of ``monge align`` or several with commas; ``identity`` is none. Raises OptionError for unknown
    ones, no runs, or a negative seed.
    """

    setting: CbliSetting = field(default_factory=CbliSetting)
    epsilons: tuple[float, ...] = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    methods: tuple[str, ...] = DEFAULT_METHODS
    runs: int = 10
    seed: int = 1
    rounds: int = 10

    def __post_init__(self) -> None:
        for method in self.methods:
            if method != "identity":
                parse_methods(method, ALL_METHODS)
        if self.runs < 1 or not self.epsilons or not self.methods or self.seed < 0:
            raise OptionError("a simulation needs a run, a shift, a method, and a seed that is not negative")


@dataclass(frozen=True, eq=False)
class CbliResult:
    """Precision by method (runs, shifts, 2): of occurrences and of words; the first run's points for a figure.

    ``examples`` are the tested points of the first run mapped by each method, with those of the target language.
    """

    request: CbliRequest
    precision: Mapping[str, NDArray[np.float64]]
    examples: Mapping[str, tuple[Array, Array]]
    labels: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def simulate_cbli(
    request: CbliRequest | None = None,
    *,
    show_progress: Callable[[Iterable[tuple[int, str]]], Iterable[tuple[int, str]]] = iter,
) -> CbliResult:
    """Run a simulation. Every run draws new languages; each method is fitted once per run and tested at every ε.

    The epoch of trained methods is chosen by the word precision on a validation set, also that of methods that see no
    pairs otherwise. The chapter draws that set with the shift ε of the test; here it has none, so that one fit serves
    every ε.

    >>> setting = CbliSetting(occurrences=10, transform="rigid")
    >>> result = simulate_cbli(CbliRequest(setting, (0.0,), ("centre,rotation",), runs=2))
    >>> float(result.precision["centre,rotation"].mean())
    1.0
    """
    request = request or CbliRequest()
    found = {method: np.zeros((request.runs, len(request.epsilons), 2)) for method in request.methods}
    examples: dict[str, tuple[Array, Array]] = {}
    notes: list[str] = []
    labels = np.zeros(0, dtype=np.int64)
    for run, method in show_progress([(run, method) for run in range(request.runs) for method in request.methods]):
        pair = SimulatedPair.draw(request.setting, request.seed + run)
        base = 1000 * (request.seed + run)
        source, target = _fit(method, pair.sample(base), pair.sample(base + 1), request, notes)
        for place, epsilon in enumerate(request.epsilons):
            test = pair.sample(base + 2, epsilon)
            mapped, wanted = source.transform(test.source), target.transform(test.target)
            found[method][run, place] = cbli_precision(mapped, wanted, test.labels)
            if run == place == 0:
                examples[method], labels = (mapped, wanted), test.labels
    return CbliResult(request, found, examples, labels, tuple(dict.fromkeys(notes)))


def _fit(method: str, train: Occurrences, valid: Occurrences, request: CbliRequest, notes: list[str]) -> Maps:
    if method == "identity":
        return Chain(), Chain()
    fitters: dict[str, Callable[[VectorPairs], Maps]] = dict(METHODS)
    fitters["vecmap"] = lambda rows: fit_vecmap(rows, VecmapSettings(request.seed, _JUDGED, patience=10))
    for name in TRAINED:
        fitters[name] = _trainer(name, valid, request, notes)
    names = parse_methods(method, ALL_METHODS)
    return fit_remap(VectorPairs(train.source, train.target), names, fitters)


def _trainer(name: str, valid: Occurrences, request: CbliRequest, notes: list[str]) -> Callable[[VectorPairs], Maps]:
    def fit(sample: VectorPairs) -> Maps:
        from monge.learned.supervised import Judge

        base = name.partition("+")[0]
        settings = DensitySettings(
            _STEPS[base], request.seed, rounds=request.rounds, rate=_RATES.get(base, 1e-3), patience=0,
            similarity="distance",
        )  # fmt: skip
        rows = np.linspace(0, len(valid.labels) - 1, min(_JUDGED, len(valid.labels))).astype(np.int64)
        labels = valid.labels[rows]
        judge = Judge(valid.source[rows], valid.target[rows], lambda a, b: cbli_precision(a, b, labels)[1])
        found = fit_density(name, sample, settings, report=lambda *_: lambda *_: None, judge=judge)
        notes.extend(f"{name}: {note.partition(' (')[0]} in some runs" for note in found.notes)
        return found.maps

    return fit
