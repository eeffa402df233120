"""Scores of the rows of a data frame: pandas and polars at once, Dask lazily, one partition at a time."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from monge.engine.recipes import Work, load_recipe, make_recipe
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.metrics.protocols import Counting, Metric
from monge.metrics.variants import OPTIONAL_OPTIONS, MetricVariant, parse_variants
from monge.text import Segment, make_segments
from monge.text.columns import find_columns
from monge.workflows.inputs import fit_encoders
from monge.workflows.score import score

_ROWS = 1_000  # of a partition that are scored at once
_SAMPLE = 100  # rows in which the language is looked for


@dataclass(frozen=True)
class TextColumns:
    """Which columns of a frame hold the texts; several columns of references are several references per row."""

    hypothesis: str
    references: tuple[str, ...] = ()
    source: str | None = None


def score_frame(
    frame: Any,
    metrics: str | Sequence[str],
    *,
    hypothesis: str | None = None,
    references: str | Sequence[str] | None = None,
    source: str | None = None,
    environment: Environment | None = None,
    **options: Any,
) -> Any:
    """Score every row of a data frame.

    Parameters
    ----------
    frame
        A DataFrame of pandas, polars or Dask.
    metrics
        Names as in ``monge.score``; each is a column of the result.
    hypothesis, references, source
        Names of columns; None means: those with usual names (``hypothesis``, ``prediction``, ``reference``, ``target``,
        ``source`` …). A cell of references may hold a list of texts, and several columns may be named.
    environment
        Where models are kept, and whether they may be fetched; workers of Dask read their own ``MONGE_*`` variables.
    options
        Options of all metrics that have them.

    Returns
    -------
    A frame of the same kind with one column of scores per metric and the rows (pandas: the index) of *frame*; missing
    scores are NaN. That of Dask is computed when it is asked for: metrics travel as recipes, and each worker loads an
    encoder once. Statistics of all rows (idf) are counted by the workers first, which happens at once.

    Raises
    ------
    InputError
        For a column that is not there or a cell that holds no text.
    OptionError
        For anything that is not such a frame, and for metrics that a Dask frame cannot be scored with.

    >>> import pandas
    >>> frame = pandas.DataFrame({"output": ["a b c", "a x"], "reference": ["a b c", "a y"]}, index=[7, 9])
    >>> score_frame(frame, "rouge1")["rouge1"].to_dict()
    {7: 1.0, 9: 0.5}
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    package = type(frame).__module__.partition(".")[0]
    if package not in ("pandas", "polars", "dask") or not hasattr(frame, "columns"):
        raise OptionError(f"{type(frame).__name__} is not a data frame of pandas, polars or Dask")
    columns = _choose_columns(list(frame.columns), hypothesis, references, source)
    if package == "dask":
        variants = parse_variants(names, options, optional=OPTIONAL_OPTIONS)
        return _score_dask(frame, variants, columns, Environment.read() if environment is None else environment)
    texts = _read_texts(frame, columns)
    if texts["hypotheses"]:
        scores: Mapping[str, Any] = score(**texts, metrics=names, environment=environment, **options).scores
    else:
        scores = {one.label: np.zeros(0) for one in parse_variants(names, options, optional=OPTIONAL_OPTIONS)}
    made = importlib.import_module(package).DataFrame
    return made(scores, index=frame.index) if package == "pandas" else made(scores)


def _choose_columns(
    names: Sequence[str], hypothesis: str | None, references: str | Sequence[str] | None, source: str | None
) -> TextColumns:
    usual = find_columns(name for name in names if isinstance(name, str))
    given = (references,) if isinstance(references, str) else tuple(references or ())
    own = usual.get("reference") if references is None else None
    chosen = TextColumns(
        hypothesis or usual.get("hypothesis") or "",
        given or (() if own is None else (own,)),
        source or usual.get("source"),
    )
    listed = ", ".join(map(str, names)) or "none"
    if not chosen.hypothesis:
        raise InputError(f"no column holds hypotheses: name it (hypothesis=…); there are {listed}")
    for name in (chosen.hypothesis, *chosen.references, *filter(None, [chosen.source])):
        if name not in names:
            raise InputError(f"there is no column {name!r}; there are {listed}")
    return chosen


def _read_texts(frame: Any, columns: TextColumns) -> dict[str, Any]:
    """Return the texts of a frame of pandas or polars by the names that ``score`` gives them."""
    texts: dict[str, Any] = {"hypotheses": _read_column(frame, columns.hypothesis)}
    if columns.references:
        own = [_read_column(frame, name, several=True) for name in columns.references]
        texts["references"] = [[text for cell in row for text in cell] for row in zip(*own, strict=True)]
    if columns.source is not None:
        texts["sources"] = _read_column(frame, columns.source)
    return texts


def _read_column(frame: Any, name: str, *, several: bool = False) -> list[Any]:
    cells: list[Any] = []
    for number, cell in enumerate(frame[name], start=1):
        lists = several and not isinstance(cell, str) and isinstance(cell, Iterable)
        found = list(cell) if lists else [cell]
        wrong = [value for value in found if not isinstance(value, str)]
        if wrong or not found:
            raise InputError(f"column {name!r}, row {number}: must be a text, not {(wrong or [cell])[0]!r}")
        cells.append(found if several else cell)
    return cells


def _read_segments(frame: Any, columns: TextColumns) -> list[Segment]:
    texts = _read_texts(frame, columns)
    return make_segments(texts["hypotheses"], texts.get("references"), texts.get("sources"))


# -- Dask --------------------------------------------------------------------------------------------------------------


def _score_dask(frame: Any, variants: Sequence[MetricVariant], columns: TextColumns, environment: Environment) -> Any:
    sample = _read_segments(frame.head(_SAMPLE, npartitions=-1), columns)
    fitted = fit_encoders(variants, [sample])
    works = [Work(variant.label, variant.load(environment), variant) for variant in fitted]
    recipes = {work.label: _pack(work, environment) for work in works}
    open_works = [work for work in works if not work.metric.bound]
    if open_works:
        bound = _bind(frame, open_works, [recipes[work.label] for work in open_works], columns)
        recipes |= {work.label: _pack(work, environment) for work in bound}
    meta = importlib.import_module("pandas").DataFrame({label: [0.0] for label in recipes}).iloc[:0]
    return frame.map_partitions(score_partition, recipes, columns, meta=meta)


def _pack(work: Work, environment: Environment) -> bytes:
    recipe = make_recipe(work, environment, local=False)
    if recipe is None:
        raise OptionError(f"{work.label} can only be computed in this process: a Dask frame needs encoders by name")
    return recipe.pack()


def _bind(frame: Any, works: Sequence[Work], recipes: Sequence[bytes], columns: TextColumns) -> list[Work]:
    """Return the metrics with the statistics of all rows, which the workers count."""
    for work in works:
        metric = work.metric
        if not isinstance(metric, Counting) or metric.shares_statistics:
            how = "score texts, not a frame: monge.score(…, executor='dask')"
            raise OptionError(f"{work.label} needs more than counts of all rows; {how}")
    dask = importlib.import_module("dask")
    count = dask.delayed(count_partition)
    counts = dask.compute(*(count(part, tuple(recipes), columns) for part in frame.to_delayed()))
    return [work.rebound(_bind_counted(work.metric, [own[i] for own in counts])) for i, work in enumerate(works)]


def _bind_counted(metric: Metric, counts: Sequence[Any]) -> Metric:
    assert isinstance(metric, Counting)
    return metric.bind_counted((), counts)


def score_partition(part: Any, recipes: Mapping[str, bytes], columns: TextColumns) -> Any:
    """Return the scores of a partition of a Dask frame, in a worker."""
    segments = _read_segments(part, columns)
    scores = {label: _score_rows(load_recipe(recipe), segments) for label, recipe in recipes.items()}
    return importlib.import_module("pandas").DataFrame(scores, index=part.index, dtype="float64")


def count_partition(part: Any, recipes: Sequence[bytes], columns: TextColumns) -> list[Any]:
    """Return the counts that metrics need of a partition, in a worker."""
    segments = _read_segments(part, columns)
    metrics = [load_recipe(recipe) for recipe in recipes]
    return [metric.count(segments) if isinstance(metric, Counting) else None for metric in metrics]


def _score_rows(metric: Metric, segments: Sequence[Segment]) -> list[float]:
    blocks = (segments[start : start + _ROWS] for start in range(0, len(segments), _ROWS))
    return [one.value for block in blocks for one in metric.score(block)]
