"""What systems cost, beside how well they do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from monge.errors import InputError
from monge.scores.records import PathLike, read_csv_records, read_tsv_records


@dataclass(frozen=True)
class Budget:
    """Costs by name (seconds, FLOPs, parameters …) and system; lower is cheaper."""

    costs: Mapping[str, Mapping[str, float]]

    def efficient(self, cost: str, scores: Mapping[str, float]) -> list[str]:
        """Return the systems that no other one beats in score without costing more (the Pareto front), cheapest first.

        *scores* are higher = better. A system without a known cost is left out.

        >>> Budget({"s": {"a": 1.0, "b": 2.0, "c": 3.0}}).efficient("s", {"a": 0.5, "b": 0.4, "c": 0.9})
        ['a', 'c']
        """
        own = self.costs[cost]
        known = [name for name in scores if math.isfinite(own.get(name, math.nan))]
        best, front = -math.inf, []
        for name in sorted(known, key=lambda n: (own[n], -scores[n])):
            if scores[name] > best:
                best = scores[name]
                front.append(name)
        return front


def read_budget(path: PathLike) -> Budget:
    """Read a table (.tsv, .csv) whose column ``system`` names systems and whose other columns are costs.

    Raises InputError if there is no column ``system`` or no cost.
    """
    read = read_csv_records if str(path).endswith(".csv") else read_tsv_records
    costs: dict[str, dict[str, float]] = {}
    for record in read(path):
        name = record.text("system")
        for column in record.fields:
            if column != "system":
                costs.setdefault(column, {})[name] = record.number(column)
    if not costs:
        raise InputError(f"{path}: a column system and at least one column of costs are expected")
    return Budget(costs)
