"""Learning words in context from the references and sources of a test set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monge.errors import InputError
from monge.learned.context import LONGEST, ContextPairs, ContextSettings, train_context
from monge.learned.progress import Report, progress_reporter
from monge.learned.truncation import describe_cut
from monge.text import read_lines
from monge.wording import count_noun


@dataclass(frozen=True)
class TrainContextRequest:
    """Files of references and sources, line by line, the file to write, and how to train."""

    references: str | os.PathLike[str]
    sources: str | os.PathLike[str]
    output: str
    settings: ContextSettings = field(default_factory=ContextSettings)


@dataclass(frozen=True)
class TrainContextResult:
    """What was learned: the digest of the file, its vocabulary, the figures of every seed, and notes."""

    output: str
    digest: str
    pairs: int
    words: int
    figures: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "file": self.output,
            "digest": self.digest,
            "pairs": self.pairs,
            "words": self.words,
            "seeds": {seed: dict(own) for seed, own in self.figures.items()},
            "notes": list(self.notes),
        }


def run_train_context(
    request: TrainContextRequest, *, announce: Callable[[str], None] | None = None, show: bool | None = None
) -> TrainContextResult:
    """Train the networks of a request and write them.

    *announce* is called with the size of the training before it starts; *show* says whether its time and a bar of
    progress are shown (None: the bar on a terminal).

    Raises InputError for files of different lengths or with too few texts, and OptionError for bad settings.
    """
    references, sources = read_lines(request.references), read_lines(request.sources)
    if len(references) != len(sources):
        raise InputError(
            f"{request.references} has {count_noun(len(references), 'line')} "
            f"and {request.sources} {len(sources)}: they must be "
            "references and sources of the same segments"
        )
    pairs = ContextPairs.make(references, sources)
    settings = request.settings
    if announce is not None:
        often = count_noun(settings.epochs * settings.repeat, "time")
        seeds, count = count_noun(len(settings.seeds), "seed"), count_noun(len(pairs.sources), "pair")
        announce(f"{seeds}, {count}, each {often}")

    def progress(seed: int, steps: int) -> Report:
        place = settings.seeds.index(seed) + 1
        return progress_reporter(f"seed {seed} ({place} of {len(settings.seeds)})", steps, show)

    made = train_context(pairs, settings, request.output, progress=progress)
    notes = (describe_cut(pairs.cut, LONGEST),) if pairs.cut else ()
    return TrainContextResult(
        request.output, made.digest, len(pairs.sources), len(pairs.vocabulary), made.history["by_seed"], notes
    )
