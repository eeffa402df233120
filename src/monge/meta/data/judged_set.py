"""Outputs that people have judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from monge.errors import InputError, OptionError, suggest
from monge.scores import ScoreTable
from monge.text import Segment, iter_documents
from monge.wording import count_noun

HALVES = ("odd", "even")
DOCUMENTS = "documents"


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """One part of a data set (a language pair, a split): texts where there are any, judgments by aspect.

    A segment's id names its input, so that outputs of several systems for one input share it. ``totals`` are judgments
    of whole systems, by aspect and system; ``scores`` are metric scores that came with the data. ``document_of`` names
    the documents of segments without texts. ``whole`` marks a data set that has no parts: its name is that of the file,
    and scores of every part belong to it.
    """

    name: str
    segments: tuple[Segment, ...] = ()
    judgments: Mapping[str, ScoreTable] = field(default_factory=dict)
    totals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    scores: Mapping[str, ScoreTable] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    document_of: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False

    @property
    def part(self) -> str:
        """The name of this part in files of scores; empty for a data set without parts."""
        return "" if self.whole else self.name

    @property
    def aspects(self) -> tuple[str, ...]:
        """What was judged: those of outputs, then those of systems only."""
        return tuple(dict.fromkeys([*self.judgments, *self.totals]))

    @property
    def documents(self) -> dict[str, str]:
        """The document of every segment id."""
        return {**self.document_of, **{segment.id: segment.document for segment in self.segments}}

    def choose_aspects(self, names: Sequence[str]) -> JudgedSet:
        """Return this set with the aspects *names* only; none named keeps all."""
        for name in names:
            if name not in self.aspects:
                known = ", ".join(self.aspects)
                raise OptionError(f"{self.name}: no aspect {name!r}{suggest(name, self.aspects)}; it has {known}")
        keep = names or self.aspects
        return replace(
            self,
            judgments={a: t for a, t in self.judgments.items() if a in keep},
            totals={a: t for a, t in self.totals.items() if a in keep},
        )

    def change_texts(self, change: Callable[[str], str]) -> JudgedSet:
        """Return this set with hypotheses and references changed (detokenised, lower-cased …), not sources."""
        return replace(
            self,
            segments=tuple(
                replace(s, hypothesis=change(s.hypothesis), references=tuple(map(change, s.references)))
                for s in self.segments
            ),
        )

    def judged_segments(self) -> list[Segment]:
        """Return the segments that have a judgment of their own or of their system; raises where there are no texts."""
        if not self.segments:
            raise OptionError(f"{self.name} has judgments but no texts: give scores with --scores")
        wanted: set[tuple[str, str]] = set()
        for table in self.judgments.values():
            rows, columns = np.nonzero(np.isfinite(table.values))
            pairs = zip(rows.tolist(), columns.tolist(), strict=True)
            wanted |= {(table.systems[s], table.segments[n]) for s, n in pairs}
        systems = {system for totals in self.totals.values() for system, v in totals.items() if np.isfinite(v)}
        return [s for s in self.segments if s.system in systems or (s.system, s.id) in wanted]

    def sample_inputs(self, count: int, *, seed: int = 0) -> JudgedSet:
        """Return a set with the outputs of *count* inputs drawn without replacement (all when there are no more)."""
        tables = self.judgments.values()
        ids = list(dict.fromkeys([s.id for s in self.segments] + [name for t in tables for name in t.segments]))
        if count >= len(ids):
            return self
        chosen = {ids[i] for i in np.random.default_rng(seed).permutation(len(ids))[:count]}
        return self._keep(chosen, f"a sample of {count} of {len(ids)} inputs (seed {seed})")

    def _keep(self, chosen: set[str], note: str) -> JudgedSet:
        return replace(
            self,
            segments=tuple(segment for segment in self.segments if segment.id in chosen),
            judgments={aspect: _keep_columns(table, chosen) for aspect, table in self.judgments.items()},
            notes=(*self.notes, note),
        )

    def take_half(self, half: str) -> JudgedSet:
        """Return the outputs of every second document: the first, third … (*half* odd) or the others (even).

        So that nothing is in both halves, outputs of one document stay together; where a segment names no document,
        outputs with the same references and source do. Judgments of whole systems stay as they are.
        """
        units = {s.id: s.document or repr((s.references, s.source)) for s in self.segments} | {
            id: document for id, document in self.document_of.items() if document
        }
        ids = dict.fromkeys([*units, *(name for table in self.judgments.values() for name in table.segments)])
        numbers = {unit: i for i, unit in enumerate(dict.fromkeys(units.get(id, id) for id in ids))}
        if len(numbers) < 2:
            raise OptionError(f"{self.name}: all its outputs belong to one document, which has no halves")
        chosen = {id for id in ids if numbers[units.get(id, id)] % 2 == HALVES.index(half)}
        return self._keep(chosen, f"the {half} half: {len(chosen)} of {len(ids)} inputs")

    def join_documents(self) -> JudgedSet:
        """Return the set with documents in place of segments: texts joined, judgments and scores averaged.

        A judgment of a document is the mean over those of its segments that were judged. Raises OptionError if a
        segment names no document.
        """
        units = self.documents
        lost = next((id for id, document in units.items() if not document), None)
        if lost is not None or not units:
            where = self.name if lost is None else f"{self.name}: segment {lost!r}"
            raise OptionError(f"{where} belongs to no document, so that documents cannot be compared")
        by_system: dict[str, list[Segment]] = {}
        for segment in self.segments:
            by_system.setdefault(segment.system, []).append(segment)
        joined = tuple(document for own in by_system.values() for document in iter_documents(own))
        names = dict.fromkeys(units.values())
        return replace(
            self,
            segments=joined,
            judgments={aspect: _average_columns(table, units) for aspect, table in self.judgments.items()},
            scores={name: _average_columns(table, units) for name, table in self.scores.items()},
            document_of={name: name for name in names},
            notes=(*self.notes, f"{count_noun(len(units), 'input')} joined to {count_noun(len(names), 'document')}"),
        )


def count_shared_outputs(first: Sequence[JudgedSet], second: Sequence[JudgedSet]) -> int:
    """Return how many outputs (hypothesis with references) of *second* are also in *first*."""
    seen = {(s.hypothesis, s.references) for judged in first for s in judged.segments}
    return sum((s.hypothesis, s.references) in seen for judged in second for s in judged.segments)


def tabulate(
    keys: Iterable[tuple[str, str]], values: Iterable[float], *, signature: str = "", place: str = ""
) -> ScoreTable:
    """Return a table of the values of (system, segment id) keys; what is not listed is NaN.

    >>> tabulate([("a", "1"), ("b", "2")], [0.5, 1.0]).values.tolist()
    [[0.5, nan], [nan, 1.0]]
    """
    cells = dict[tuple[str, str], float]()
    for key, value in zip(keys, values, strict=True):
        if key in cells:
            raise InputError(f"{place or 'scores'}: segment {key[1]!r} of system {key[0]!r} appears twice")
        cells[key] = value
    systems = {system: i for i, system in enumerate(dict.fromkeys(system for system, _ in cells))}
    segments = {segment: i for i, segment in enumerate(dict.fromkeys(segment for _, segment in cells))}
    table = np.full((len(systems), len(segments)), np.nan)
    for (system, segment), value in cells.items():
        table[systems[system], segments[segment]] = value
    return ScoreTable(tuple(systems), tuple(segments), table, signature)


def make_judged_set(
    name: str, segments: Sequence[Segment], judgments: Mapping[str, Sequence[float]], *, place: str = ""
) -> JudgedSet:
    """Return a set from segments and, by aspect, one judgment per segment (NaN = not judged)."""
    if not segments:
        raise InputError(f"{place or name}: no judged output")
    keys = [(segment.system, segment.id) for segment in segments]
    tables = {a: tabulate(keys, values, signature=f"human:{a}", place=place) for a, values in judgments.items()}
    return JudgedSet(name, tuple(segments), tables)


def _keep_columns(table: ScoreTable, chosen: set[str]) -> ScoreTable:
    keep = [i for i, segment in enumerate(table.segments) if segment in chosen]
    return replace(table, segments=tuple(table.segments[i] for i in keep), values=table.values[:, keep])


def _average_columns(table: ScoreTable, units: Mapping[str, str]) -> ScoreTable:
    """Return the table with one column per unit: the mean of the known values of its segments."""
    names = list(dict.fromkeys(units[segment] for segment in table.segments))
    owner = np.array([names.index(units[segment]) for segment in table.segments], dtype=np.int64)
    known = np.isfinite(table.values)
    member = owner[:, None] == np.arange(len(names))[None, :]
    counts = known.astype(np.float64) @ member
    sums = np.where(known, table.values, 0.0) @ member
    values = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return replace(table, segments=tuple(names), values=values, types=())
