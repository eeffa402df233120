"""All methods that put two languages into one space, by name: closed forms, VecMap, and those that are trained."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from monge.crosslingual.fit import METHODS, Maps, VectorPairs, fit_remap, parse_methods
from monge.crosslingual.maps import Chain
from monge.crosslingual.vecmap import VecmapSettings, fit_vecmap
from monge.learned.density import TRAINED, DensitySettings, fit_density

ALL_METHODS = (*METHODS, "vecmap", *TRAINED)


@dataclass(frozen=True)
class Fitting:
    """How the methods that need more than a formula are fitted.

    ``checkpoint`` is the start of the names of files that keep the state of trainings until :meth:`discard_checkpoints`
    (None: nothing is kept); ``words`` limits the vocabulary that VecMap learns on; ``progress`` None means: on a
    terminal.
    """

    training: DensitySettings = field(default_factory=DensitySettings)
    checkpoint: str | os.PathLike[str] | None = None
    words: int = VecmapSettings.words
    progress: bool | None = None

    def place_of(self, number: int, name: str) -> str | None:
        """Return the file that keeps the state of training *number*, by the method *name*."""
        return None if self.checkpoint is None else f"{os.fspath(self.checkpoint)}.{number}.{name}"

    def discard_checkpoints(self) -> None:
        """Delete the files that a repeated run would continue from; call it once the maps have been saved."""
        if self.checkpoint is not None:
            start = Path(self.checkpoint)
            for file in start.parent.iterdir():
                if file.name.startswith(f"{start.name}.") and file.is_file():
                    file.unlink()


def parse_all_methods(text: str) -> tuple[str, ...]:
    """Return the methods of ``umd,real-nvp``; raises OptionError for one that does not exist.

    >>> parse_all_methods("gbdd, gan-real-nvp+cc")
    ('umd', 'gan-real-nvp+cc')
    """
    return parse_methods(text, ALL_METHODS)


def fit_methods(
    sample: VectorPairs, methods: tuple[str, ...], fitting: Fitting | None = None
) -> tuple[Chain, Chain, tuple[str, ...]]:
    """Return the maps of both languages that *methods* make in their order, and notes on trainings.

    Raises what :func:`~monge.learned.density.fit_density` raises.
    """
    fitting = fitting or Fitting()
    notes: list[str] = []
    fitters: dict[str, Callable[[VectorPairs], Maps]] = dict(METHODS)
    numbers = itertools.count(1)  # of trainings: a method may be named twice
    fitters["vecmap"] = lambda rows: _vecmap(rows, fitting, numbers)
    for name in TRAINED:
        fitters[name] = _trainer(name, fitting, notes, numbers)
    source, target = fit_remap(sample, methods, fitters)
    return source, target, tuple(notes)


def _trainer(name: str, fitting: Fitting, notes: list[str], numbers: Iterator[int]) -> Callable[[VectorPairs], Maps]:
    from monge.learned.progress import Report, progress_reporter

    def report(title: str, steps: int) -> Report:
        return progress_reporter(title, steps, fitting.progress)

    def train(rows: VectorPairs) -> Maps:
        place = fitting.place_of(next(numbers), name)
        found = fit_density(name, rows, fitting.training, checkpoint=place, report=report)
        kept = found.course.best_step
        change = f"{fitting.training.criterion} criterion {found.before:.4f} before, {found.after:.4f} after"
        notes.append(f"{name}: {len(found.course.losses)} steps, weights of step {kept} kept, {change}")
        notes.extend(f"{name}: {note}" for note in found.notes)
        return found.maps

    return train


def _vecmap(rows: VectorPairs, fitting: Fitting, numbers: Iterator[int]) -> Maps:
    from tqdm import tqdm

    shown = sys.stderr is not None and sys.stderr.isatty() if fitting.progress is None else fitting.progress
    bar = tqdm(desc="vecmap", unit=" iterations", disable=not shown, file=sys.stderr)

    def show(_: int, objective: float) -> None:
        bar.set_postfix_str(f"objective {objective:.4f}", refresh=False)
        bar.update()

    settings = VecmapSettings(seed=fitting.training.seed, words=fitting.words)
    with bar:
        return fit_vecmap(rows, settings, show=show, checkpoint=fitting.place_of(next(numbers), "vecmap"))
