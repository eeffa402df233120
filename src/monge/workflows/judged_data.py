"""Reading the judged outputs that a study names: a file, a folder, a public set by name, or rows in memory."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from monge.environment import Environment
from monge.errors import InputError, OptionError, suggest
from monge.meta import LEVELS
from monge.meta.data import (
    CATALOG,
    DOCUMENTS,
    HALVES,
    DataSpec,
    JudgedSet,
    find_data,
    judge_records,
    read_named_columns,
)
from monge.meta.data.generation import read_flickr
from monge.meta.data.mtme import read_tree
from monge.meta.data.named_columns import open_records
from monge.meta.data.nested import preference_columns, read_preferences
from monge.meta.data.tac import is_tac_file, read_tac
from monge.scores.records import Record
from monge.text import iter_lines
from monge.text.detokenize import detokenize

TEXTS = ("auto", "as-is", "detokenised")
_FEWEST_INPUTS = 3
_TABLE = re.compile(r"\.(tsv|csv|jsonl)(\.gz)?$", re.IGNORECASE)


class Columns(Protocol):
    """A table in memory: columns of equal length by name (a dict of lists, a pandas DataFrame)."""

    def keys(self) -> Any: ...
    def __getitem__(self, name: str, /) -> Any: ...


Source = str | os.PathLike[str] | Sequence[Mapping[str, Any]] | Columns


@dataclass(frozen=True)
class JudgedData:
    """Which judged outputs to read, and how.

    Parameters
    ----------
    source
        A table (.tsv, .csv, .jsonl), a set of the catalogue (``NAME`` or ``NAME/PART,PART``), a folder of
        mt-metrics-eval, WMT's RR-seglevel.csv, pairs of texts of which one was preferred, or rows in memory: a list of
        dicts, or columns by name. ``@odd`` or ``@even`` after a path or name takes one half of the documents,
        ``@documents`` joins segments to documents, whose judgments are the means of theirs (``@documents@odd``), and
        ``:summary`` and the like name the level at which agreement is measured: ``summeval@odd:summary``.
    human, columns, score_columns
        Of a table: the columns of judgments, the column of each role, the columns of metric scores.
    captions
        The file of captions that *source* judges (Flickr8k).
    aspects
        The aspects to use where several were judged; none means all.
    sample
        How many inputs of each part to draw at random; None means all.
    texts
        ``detokenised`` undoes Moses tokenisation before scoring, ``as-is`` does not, ``auto`` decides by the set.
    """

    source: Source
    human: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    score_columns: tuple[str, ...] = ()
    captions: str | None = None
    aspects: tuple[str, ...] = ()
    sample: int | None = None
    texts: str = "auto"

    def __post_init__(self) -> None:
        if self.texts not in TEXTS:
            raise OptionError(f"texts can be {', '.join(TEXTS)}, not {self.texts!r}{suggest(self.texts, TEXTS)}")
        if self.sample is not None and self.sample < _FEWEST_INPUTS:
            raise OptionError(f"a sample of {self.sample}: fewer than {_FEWEST_INPUTS} inputs are not enough")

    @property
    def name(self) -> str:
        """What reports call these data."""
        return os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else "rows"

    @property
    def half(self) -> str:
        """Which half of the documents the source names: ``odd``, ``even`` or, for all of them, nothing."""
        return next((mark for mark in self._marks if mark in HALVES), "")

    @property
    def joined(self) -> bool:
        """Whether the source asks for documents in place of segments."""
        return DOCUMENTS in self._marks

    @property
    def _marks(self) -> tuple[str, ...]:
        """The words after ``@`` at the end of the source, the last first."""
        text, marks = self._unlevelled, list[str]()
        for _ in range(2):  # at most a half, and documents
            start, mark, end = text.rpartition("@")
            if not mark or end not in (*HALVES, DOCUMENTS) or Path(text).exists():
                break
            marks.append(end)
            text = start
        return tuple(marks)

    @property
    def level(self) -> str:
        """The level of agreement that the source names, or nothing."""
        _, mark, end = self.name.rpartition(":")
        return end if mark and end in LEVELS and not Path(self.name).exists() else ""

    @property
    def _unlevelled(self) -> str:
        return self.name.removesuffix(f":{self.level}")

    @property
    def place(self) -> str:
        """The path or name of the whole set."""
        return self._unlevelled.removesuffix("".join(f"@{mark}" for mark in reversed(self._marks)))

    @property
    def path(self) -> Path | None:
        """The source as a path, or None where it is rows in memory."""
        return Path(self.place) if isinstance(self.source, str | os.PathLike) else None

    @property
    def spec(self) -> DataSpec | None:
        """The set of the catalogue that the source names, if it does."""
        if self.path is None or self.path.is_file():
            return None
        name = self.place.partition("/")[0]
        return next((spec for spec in CATALOG if spec.name == name), None)

    @property
    def is_ranking(self) -> bool:
        """Whether the source is a file of ranked pairs, by its header (LP DATA SID BETTER WORSE)."""
        if self.path is None or not self.path.is_file() or self.path.suffix not in (".csv", ".tsv", ".txt"):
            return False
        return {"BETTER", "WORSE", "SID"} <= set(next(iter(iter_lines(self.path)), "").split())

    @property
    def is_preference(self) -> bool:
        """Whether the source holds pairs of texts of which one was preferred (better and worse, chosen, rejected)."""
        if self.path is None:
            first = _make_records(self.source)[:1]
        elif self.is_ranking or not (self.path.is_file() and _TABLE.search(self.path.name)):
            return False
        else:
            first = list(itertools.islice(open_records(self.path), 1))
        return bool(first) and preference_columns(list(first[0].fields)) is not None


def read_judged_sets(data: JudgedData, *, environment: Environment, seed: int = 0) -> list[JudgedSet]:
    """Read the judged sets that *data* names, choose aspects, draw the sample and prepare the texts."""
    sets = [judged.choose_aspects(data.aspects) for judged in _read_source(data, environment)]
    if data.joined:
        sets = [judged.join_documents() for judged in sets]
    if data.half:
        sets = [judged.take_half(data.half) for judged in sets]
    if data.sample is not None:
        sets = [judged.sample_inputs(data.sample, seed=seed) for judged in sets]
    if data.texts == "detokenised" or (data.texts == "auto" and data.spec is not None and data.spec.tokenised):
        sets = [judged.change_texts(detokenize) for judged in sets]
    return sets


def _read_source(data: JudgedData, environment: Environment) -> list[JudgedSet]:
    path = data.path
    table: dict[str, Any] = {"columns": data.columns, "human": data.human, "scores": data.score_columns}
    if data.is_preference:
        records = _make_records(data.source) if path is None else list(open_records(path))
        return read_preferences(records, name=data.name if path is None else path.name.partition(".")[0])
    if path is None:
        return judge_records(_make_records(data.source), name=data.name, place=data.name, **table)
    if data.is_ranking:
        return [JudgedSet("ranking", (), {}, whole=True)]
    if path.is_dir() and (path / "sources").is_dir():
        return read_tree(path)
    if data.captions is not None and path.is_file():
        return read_flickr(path, data.captions, name=path.name.partition(".")[0])
    if path.is_file() and is_tac_file(path):
        return read_tac(path)[:1]  # the summaries that people wrote are among the references
    if path.is_file():
        return read_named_columns(path, **table)
    return read_catalogue_set(data, environment)


def read_catalogue_set(data: JudgedData, environment: Environment) -> list[JudgedSet]:
    """Read ``NAME`` or ``NAME/PART,PART``; a part may be an aspect of every part (``summeval/coherence``)."""
    text = data.place
    name, _, chosen = text.partition("/")
    if data.spec is None and ("." in text or "/" in text):
        raise OptionError(f"{text}: no such file, folder or data set; `monge data list` names the sets")
    spec = find_data(name)
    wanted = [part for part in chosen.split(",") if part]
    sets = spec.load(["all"] if wanted else [], environment=environment)
    names = [judged.name for judged in sets]
    aspects = list(dict.fromkeys(aspect for judged in sets for aspect in judged.aspects))
    parts = [part for part in wanted if part in names or part == "all"]
    named = [part for part in wanted if part not in parts]
    if not set(named) <= set(aspects):
        spec.load([part for part in named if part not in aspects], environment=environment)  # names what there is
    if wanted and parts != ["all"]:
        usual = spec.load(environment=environment) if not parts else []
        sets = [judged for judged in sets if judged.name in parts] if parts else usual
    return [judged.choose_aspects(named) for judged in sets]


def _make_records(source: Source) -> list[Record]:
    """Return rows in memory as records; a missing value of a data frame (NaN) is None."""
    if isinstance(source, str | os.PathLike):
        raise OptionError(f"{source} is a path, not rows")
    if isinstance(source, Sequence):
        rows = [dict(row) for row in source if isinstance(row, Mapping)]
        if len(rows) < len(source):
            raise InputError("rows: every row must map column names to values")
    else:
        columns = {str(name): list(source[name]) for name in source.keys()}  # noqa: SIM118  # a data frame
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"rows: columns differ in length: {lengths}")
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if not rows:
        raise InputError("rows: there is no row")
    return [
        Record({str(name): None if _is_missing(value) else value for name, value in row.items()}, f"row {number}")
        for number, row in enumerate(rows, start=1)
    ]


def _is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
