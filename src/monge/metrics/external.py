"""Scores that another tool computed, as a metric: ``external:FILE``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Self

from monge.errors import InputError, OptionError, suggest
from monge.metrics.base import MetricBase, mean_of_known
from monge.metrics.external_spec import PREFIX, SYSTEM, external_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.scores.row_tables import direction_of
from monge.scores.rows import ScoreRow, read_score_rows
from monge.storage.digests import hash_files
from monge.text import Segment
from monge.version import __version__
from monge.wording import count_noun

_DIRECTIONS: Mapping[str, bool | None] = {"auto": None, "true": True, "false": False}


@dataclass(frozen=True, eq=False)
class ExternalScores(MetricBase):
    """Looks scores up in a file, by system and segment id, or by order where the file has no ids.

    ``bind`` chooses the scores of one system. Where the file also holds the texts that were scored, they must be those
    of the segments.
    """

    spec: MetricSpec
    file: str
    column: str
    rows: tuple[ScoreRow, ...]
    found: Mapping[str, ScoreRow] | None = field(default=None, repr=False)
    total: float = math.nan

    @property
    def signature(self) -> Signature:
        """The file, the digest of its contents, and the name of the scores within it."""
        digest = "by system" if SYSTEM in self.file else hash_files([Path(self.file)])[:8]
        fields = {"metric": "external", "file": f"{PurePath(self.file).name}@{digest}"}
        return Signature({**fields, **({"column": self.column} if self.column else {}), "version": __version__})

    @property
    def bound(self) -> bool:
        """Whether the scores of a system have been chosen."""
        return self.found is not None

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Check that the scores can be told apart by system, if there are several."""
        if SYSTEM in self.file or any(row.system for row in self.rows):
            return self
        ids = [segment.id for segment in corpus]  # the same id twice is the sign of a second system
        if len({segment.system for segment in corpus}) > 1 or len(set(ids)) < len(ids):
            raise InputError(
                f"{self.file} names no system, but several are scored: write one file per system, as in "
                f"{PREFIX}scores/{SYSTEM}.txt"
            )
        return self

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return the scores of the system that *corpus* belongs to; raises InputError if they do not fit it."""
        self.bind_shared(corpus)
        system = corpus[0].system if corpus else ""
        rows = self._rows_of(system)
        single = [row for row in rows if not row.total]
        found = _match(single, corpus, self.file)
        totals = [row.score for row in rows if row.total]
        return dataclasses.replace(self, found=found, total=totals[0] if totals else math.nan)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return the score of each segment; one that the file does not hold is missing, with a note."""
        known = self.bind(segments).found if self.found is None else self.found
        scores = []
        for place, segment in enumerate(segments, start=1):
            row = (known or {}).get(segment.id or str(place))
            if row is None or math.isnan(row.score):
                scores.append(Score(math.nan, notes=(f"no score in {PurePath(self.file).name}",)))
                continue
            _check_text(row, segment)
            scores.append(Score(row.score))
        return scores

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return the score of the whole system if the file gives one and all segments are here, else the mean."""
        complete = self.found is not None and len(self.found) == len(segments)
        return self.total if complete and math.isfinite(self.total) else mean_of_known([s.value for s in scores])

    def _rows_of(self, system: str) -> tuple[ScoreRow, ...]:
        if SYSTEM in self.file:
            path = self.file.replace(SYSTEM, system)
            return _choose(path, self.column)
        names = dict.fromkeys(row.system for row in self.rows)
        if len(names) == 1 and (not system or "" in names):
            return self.rows
        own = [name for name in names if name == system] or [name for name in names if _stem(name) == system]
        if len(own) != 1:
            listed = ", ".join(repr(name) for name in names)
            raise InputError(f"{self.file} has no scores of system {system!r}{suggest(system, names)}; it has {listed}")
        return tuple(row for row in self.rows if row.system == own[0])


def make_external(file: str, *, column: str = "", higher_is_better: str = "auto") -> ExternalScores:
    """Scores of another tool, read from *file* (``{system}`` in its name stands for the system).

    ``column`` names the scores where the file has several kinds. ``higher_is_better`` is true, false, or auto: what the
    file says (MetricX: lower is better), else true.
    """
    if higher_is_better not in _DIRECTIONS:
        raise OptionError(f"higher_is_better={higher_is_better!r}: must be one of {', '.join(_DIRECTIONS)}")
    rows = () if SYSTEM in file else _choose(file, column)
    stated = _DIRECTIONS[higher_is_better]
    direction = (direction_of(rows) is not False) if stated is None else stated
    spec = dataclasses.replace(external_spec(PREFIX + file), higher_is_better=direction)
    return ExternalScores(spec, file, column, rows)


def _choose(path: str, column: str) -> tuple[ScoreRow, ...]:
    """Return the scores of one kind; raises OptionError where there are several and none is chosen."""
    rows = list(read_score_rows(path, columns="metrics"))
    kinds = list(dict.fromkeys(row.metric for row in rows))
    if not rows:
        raise InputError(f"{path} holds no scores")
    if column and column not in kinds:
        raise OptionError(f"{path}: no scores called {column!r}{suggest(column, kinds)}; there are {', '.join(kinds)}")
    if not column and len(kinds) > 1:
        raise OptionError(f"{path} holds {', '.join(kinds)}: choose one, as in {PREFIX}{path},column={kinds[0]}")
    return tuple(row for row in rows if row.metric == (column or kinds[0]))


def _match(rows: Sequence[ScoreRow], corpus: Sequence[Segment], file: str) -> dict[str, ScoreRow]:
    """Return rows by segment id: by their own ids, or in order if no id fits and there are as many."""
    ids = [segment.id or str(place) for place, segment in enumerate(corpus, start=1)]
    named: dict[str, ScoreRow] = {}
    for row in rows:
        if row.id and named.setdefault(row.id, row) is not row:
            raise InputError(f"{row.place}: segment {row.id!r} appears a second time")
    shared = set(ids) & named.keys()
    zero_based = len(named) == len(ids) and "0" in named and "0" not in ids
    if shared and not zero_based:
        return {name: named[name] for name in ids if name in shared}
    if len(rows) == len(ids):
        return dict(zip(ids, rows, strict=True))
    raise InputError(
        f"{file} has {count_noun(len(rows), 'score')} for "
        f"{count_noun(len(ids), 'segment')}, and no segment id in common with them"
    )


def _check_text(row: ScoreRow, segment: Segment) -> None:
    if row.text is not None and row.text.split() != segment.hypothesis.split():
        raise InputError(
            f"{row.place}: the score belongs to another output than segment {segment.id!r} of system "
            f"{segment.system!r} ({row.text[:40]!r} instead of {segment.hypothesis[:40]!r})"
        )


def _stem(name: str) -> str:
    return PurePath(name).name.removesuffix(".gz").rpartition(".")[0] or PurePath(name).name
