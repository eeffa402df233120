"""Corpus statistics of transport metrics: what ``bind`` computes, and the counts it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from monge.clouds import IdfModel


@dataclass(frozen=True)
class CorpusStatistics:
    """What ``bind`` computed: idf of hypotheses and references (rows, columns), and the encoder's typical cost.

    ``notes`` report what could not be computed; ``uniform`` says that idf could not, so that all tokens weigh the same.
    """

    idf_hypothesis: IdfModel | None = None
    idf_reference: IdfModel | None = None
    typical_cost: float | None = None
    notes: tuple[str, ...] = ()
    uniform: bool = False


class CorpusCounts(NamedTuple):
    """The counts of a part of a corpus; ``compared`` is what all hypotheses are compared with, None if it varies."""

    hypothesis: IdfModel | None
    other: IdfModel | None
    compared: tuple[str, ...] | None


def add_counts(counts: Sequence[CorpusCounts]) -> CorpusCounts | None:
    """Return the counts of a corpus from those of its parts; None if nothing was counted."""
    counted = [part for part in counts if part.other is not None]
    if not counted:
        return None
    hypothesis = [part.hypothesis for part in counted if part.hypothesis is not None]
    compared = {part.compared for part in counted}
    return CorpusCounts(
        IdfModel.add(hypothesis) if hypothesis else None,
        IdfModel.add([part.other for part in counted if part.other is not None]),
        compared.pop() if len(compared) == 1 else None,
    )
