"""Tables of scores by kinds of instances."""

from __future__ import annotations

import math
from collections.abc import Sequence

from monge.comparison.buckets import Buckets
from monge.comparison.wording import p_value
from monge.report.compare.tables import Table, short_names

MOST_SYSTEMS = 6  # columns of a table
TITLES = {
    "length": "Mean score by length of the reference, in words",
    "frequency": "Mean score by the rarest word of the reference: how often it is in all references",
    "words": "Words kept (F1), by how often they are in all references",
    "type": "Mean score by type of instance",
}


def bucket_table(buckets: Buckets, *, width: int = 18) -> Table:
    """Return one table: buckets in rows, the first systems in columns, who is ahead, and how certain that is."""
    systems = buckets.systems[:MOST_SYSTEMS]
    names = short_names(buckets.systems, width)
    tested = any(bucket.p_value is not None for bucket in buckets.buckets)
    header = [
        ("bucket", "words" if buckets.kind == "words" else "instances"),
        tuple(names[name] for name in systems),
        ("ahead", *(["sign test"] if tested else [])),
    ]
    rows = [
        (
            bucket.name,
            f"{bucket.count:,}",
            *(_value(value) for value in bucket.values[: len(systems)]),
            names[bucket.ahead],
            *([p_value(bucket.p_value)] if bucket.p_value is not None else []),
        )
        for bucket in buckets.buckets
    ]
    return Table(TITLES[buckets.kind], tuple(cell for part in header for cell in part), tuple(rows))


def bucket_tables(all_buckets: Sequence[Buckets], *, width: int = 18) -> list[Table]:
    """Return one table for each kind of bucket that has any."""
    return [bucket_table(buckets, width=width) for buckets in all_buckets if buckets.buckets]


def _value(value: float) -> str:
    return "—" if math.isnan(value) else f"{value:.4g}" if abs(value) >= 1 else f"{value:.4f}"
