"""Relative rankings: pairs of outputs of which people found one better (WMT's daRR)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from monge.errors import InputError
from monge.meta.data.wmt import RankedPair
from monge.meta.judged import JudgedScores, pair_scores
from monge.scores import ScoreTable

RANKED_THRESHOLD = 0.5  # people's verdict is 1 for the better output and 0 for the worse


def pair_rankings(pairs: Sequence[RankedPair], metrics: Mapping[str, ScoreTable], *, name: str = "") -> JudgedScores:
    """Arrange ranked pairs as items of two outputs: tau-like (threshold 0.5) and accuracy at item level count them.

    The segment of a pair is its document: a bootstrap at summary level draws segments with all their pairs.

    >>> from monge.meta.statistics import find_statistic
    >>> from monge.meta.agreement import measure_agreement
    >>> table = ScoreTable(("a", "b", "c"), ("1",), np.array([[0.9], [0.4], [0.4]]))
    >>> ranked = pair_rankings([RankedPair("1", "a", "b"), RankedPair("1", "b", "c")], {"m": table})
    >>> measure_agreement(ranked, find_statistic("tau-like", threshold=0.5), level="item")["m"].value
    0.0
    """
    if not pairs:
        raise InputError(f"{name or 'rankings'}: no ranked pair")
    ids = tuple(str(i) for i in range(1, len(pairs) + 1))
    sides = ("better", "worse")
    human = ScoreTable(sides, ids, np.array([[1.0] * len(pairs), [0.0] * len(pairs)]), "human:ranking")
    laid = {metric: _lay_out(pairs, table, sides, ids) for metric, table in metrics.items()}
    documents = {i: pair.segment for i, pair in zip(ids, pairs, strict=True)}
    return pair_scores(human, laid, name=name, documents=documents)


def _lay_out(
    pairs: Sequence[RankedPair], table: ScoreTable, sides: tuple[str, str], ids: tuple[str, ...]
) -> ScoreTable:
    rows = {system: i for i, system in enumerate(table.systems)}
    columns = {segment: i for i, segment in enumerate(table.segments)}

    def value(system: str, segment: str) -> float:
        if system not in rows or segment not in columns:
            return float("nan")
        return float(table.values[rows[system], columns[segment]])

    values = [[value(getattr(pair, side), pair.segment) for pair in pairs] for side in sides]
    return ScoreTable(sides, ids, np.array(values), table.signature, table.higher_is_better)
