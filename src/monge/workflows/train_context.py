"""Learning words in context from the references and sources of a test set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monge.errors import InputError
from monge.learned.context import ContextPairs, ContextSettings, estimate_seconds, train_context
from monge.learned.loop import Report, progress_reporter
from monge.text import read_lines


@dataclass(frozen=True)
class TrainContextRequest:
    """Files of references and sources, line by line, the file to write, and how to train."""

    references: str | os.PathLike[str]
    sources: str | os.PathLike[str]
    output: str
    settings: ContextSettings = field(default_factory=ContextSettings)


@dataclass(frozen=True)
class TrainContextResult:
    """What was learned: the digest of the file, its vocabulary, and the figures of every seed."""

    output: str
    digest: str
    pairs: int
    words: int
    figures: Mapping[str, Mapping[str, Any]]

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "file": self.output,
            "digest": self.digest,
            "pairs": self.pairs,
            "words": self.words,
            "seeds": {seed: dict(own) for seed, own in self.figures.items()},
        }


def run_train_context(
    request: TrainContextRequest, *, announce: Callable[[str], None] | None = None, show: bool | None = None
) -> TrainContextResult:
    """Train the networks of a request and write them.

    *announce* is called with the time that training will take before it starts; *show* says whether bars of progress
    are shown (None: on a terminal).

    Raises InputError for files of different lengths or with too few texts, and OptionError for bad settings.
    """
    references, sources = read_lines(request.references), read_lines(request.sources)
    if len(references) != len(sources):
        raise InputError(
            f"{request.references} has {len(references)} lines and {request.sources} {len(sources)}: they must be "
            "references and sources of the same segments"
        )
    pairs = ContextPairs.make(references, sources)
    if announce is not None:
        announce(_describe_time(estimate_seconds(pairs, request.settings), pairs, request.settings))

    def progress(seed: int, steps: int) -> Report:
        return progress_reporter(f"context, seed {seed}", steps, show)

    made = train_context(pairs, request.settings, request.output, progress=progress)
    return TrainContextResult(
        request.output, made.digest, len(pairs.sources), len(pairs.vocabulary), made.history["by_seed"]
    )


def _describe_time(seconds: float, pairs: ContextPairs, settings: ContextSettings) -> str:
    time = f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{max(1, round(seconds))} seconds"
    often = settings.epochs * settings.repeat
    what = f"{len(settings.seeds)} seed(s), {len(pairs.sources)} pairs, each {often} times"
    return f"training will take about {time}: {what}"
