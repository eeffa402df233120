"""How well a metric agrees with people, with its uncertainty, for one set of judgments or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.errors import OptionError, suggest
from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores
from monge.meta.judged_metric import select_metric
from monge.meta.levels import WHOLE, Arrangement, Draw, make_arrangement
from monge.meta.statistics import Statistic

_BUDGET = 4_000_000  # numbers held at once while resamples are evaluated

RESAMPLED = ("segments", "systems", "both")
LEAST_DRAWN = 4  # segments or systems from which an interval is drawn: draws of fewer are mostly the data over again
LEAST_RESAMPLES, MOST_RESAMPLES = 10, 1_000_000  # fewer make no interval, more outgrow the memory


@dataclass(frozen=True)
class Resampling:
    """A bootstrap: what is drawn with replacement (segments, systems or both), how often, from which seed."""

    over: str = "segments"
    count: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.over not in RESAMPLED:
            raise OptionError(f"resample segments, systems or both, not {self.over!r}{suggest(self.over, RESAMPLED)}")
        if self.count and not LEAST_RESAMPLES <= self.count <= MOST_RESAMPLES:
            bounds = f"from {LEAST_RESAMPLES} to {MOST_RESAMPLES:,}, or 0 for no intervals"
            raise OptionError(f"the number of resamples must be {bounds}, not {self.count}")
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence must lie between 0 and 1, not {self.confidence:g}")


@dataclass(frozen=True)
class Agreement:
    """The value of one metric, its interval, what it is based on, and why it is NaN or lacks groups (``reason``).

    ``items`` is how many things are compared: the outputs used, or the systems at system level. ``chance`` is the value
    of guessing on the same judgments. ``drawn`` is how many different segments or systems the resamples draw from (the
    more, if both are drawn); with fewer than ``LEAST_DRAWN`` there is no interval.
    """

    task: str
    metric: str
    value: float
    low: float
    high: float
    used: int
    unused: int
    groups: int = 1
    skipped: int = 0
    reason: str = ""
    chance: float = 0.0
    items: int = 0
    drawn: int = 0
    draws: Array = field(default_factory=lambda: np.empty(0), repr=False, compare=False)


def measure_agreement(
    scores: JudgedScores, statistic: Statistic, *, level: str = "segment", resampling: Resampling | None = None
) -> dict[str, Agreement]:
    """Return the agreement of every metric in *scores*; all metrics share the resamples, so their draws are paired."""
    arrangement = make_arrangement(level, scores)
    plan = Resampling(count=0) if resampling is None else resampling
    draws = list(_draw_resamples(scores, arrangement, plan))
    drawn = _count_drawn(scores, arrangement, plan.over)
    results = {}
    for metric in scores.metrics:
        judged = select_metric(scores, metric, arrangement)
        ready = statistic.prepare(judged)
        whole = ready.evaluate(judged, WHOLE)
        value = float(np.atleast_1d(whole.values)[0])
        fixed = plan.over == "segments" and judged.metric_totals is not None and judged.human_totals is not None
        moved = draws if np.isfinite(value) and not fixed else []  # scores of whole systems stay whatever is drawn
        values = [np.atleast_1d(ready.evaluate(judged, draw).values) for draw in moved]
        resampled = np.concatenate(values) if values else np.empty(0)
        low, high = interval(resampled, plan.confidence, drawn)
        results[metric] = Agreement(
            task=scores.name,
            metric=metric,
            value=value,
            low=low,
            high=high,
            used=int(scores.used.sum()),
            unused=scores.unused,
            groups=whole.groups,
            skipped=whole.skipped,
            reason=whole.reason,
            chance=ready.chance(judged),
            items=int((judged.samples(WHOLE)[0].weights > 0).sum()),
            drawn=drawn,
            draws=resampled,
        )
    return results


def average_agreement(parts: Sequence[Agreement], *, name: str = "average", confidence: float = 0.95) -> Agreement:
    """Average one metric over tasks; its interval comes from averaging the tasks' resamples, draw by draw.

    A task without a value makes the average NaN and is named in the reason: an average over fewer tasks than the
    next metric's would not be comparable.
    """
    failed = [part for part in parts if not np.isfinite(part.value)]
    same = not failed and len({part.draws.size for part in parts}) == 1
    draws = np.mean([part.draws for part in parts], axis=0) if same else np.empty(0)
    drawn = min(part.drawn for part in parts)
    low, high = interval(draws, confidence, drawn)
    return Agreement(
        task=name,
        metric=parts[0].metric,
        value=float("nan") if failed else float(np.mean([part.value for part in parts])),
        low=low,
        high=high,
        used=sum(part.used for part in parts),
        unused=sum(part.unused for part in parts),
        groups=sum(part.groups for part in parts),
        skipped=sum(part.skipped for part in parts),
        reason="; ".join(f"{part.task}: {part.reason}" for part in failed),
        chance=float(np.mean([part.chance for part in parts])),
        items=sum(part.items for part in parts),
        drawn=drawn,
        draws=draws,
    )


def interval(draws: Array, confidence: float, drawn: int = LEAST_DRAWN) -> tuple[float, float]:
    """Return the percentile interval of the finite draws; NaN if fewer than half are finite or *drawn* is too small."""
    finite = draws[np.isfinite(draws)]
    if drawn < LEAST_DRAWN or finite.size == 0 or finite.size < draws.size / 2:
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(finite, [tail, 1 - tail])
    return float(low), float(high)


def _draw_resamples(scores: JudgedScores, arrangement: Arrangement, plan: Resampling) -> Iterator[Draw]:
    """Yield the resamples in chunks that keep memory bounded; the whole is the same whatever the chunk."""
    systems = len(scores.systems)
    if plan.over in ("systems", "both") and plan.count and systems < 2:
        raise OptionError(f"{scores.name or 'these scores'}: systems cannot be resampled, there is only one")
    generator = np.random.default_rng(plan.seed)
    used = np.flatnonzero(scores.used.any(axis=1))
    units = np.unique(arrangement.units[scores.used.any(axis=0)])
    step = max(1, min(plan.count, _BUDGET // max(1, int(scores.used.sum()))))
    for start in range(0, plan.count, step):
        count = min(step, plan.count - start)
        yield Draw(
            systems=_counts(generator, used, systems, count) if plan.over != "segments" else None,
            segments=_counts(generator, units, int(arrangement.units.max()) + 1, count)[:, arrangement.units]
            if plan.over != "systems"
            else None,
        )


def _count_drawn(scores: JudgedScores, arrangement: Arrangement, over: str) -> int:
    """Return how many different segments (or documents) or systems a resample draws from."""
    segments = len(np.unique(arrangement.units[scores.used.any(axis=0)]))
    systems = int(scores.used.any(axis=1).sum())
    return {"segments": segments, "systems": systems, "both": max(segments, systems)}[over]


def _counts(generator: np.random.Generator, members: NDArray[np.int64], size: int, count: int) -> Array:
    counts = np.zeros((count, size))
    counts[:, members] = generator.multinomial(len(members), np.full(len(members), 1 / len(members)), size=count)
    return counts
