"""How far one score can be trusted: intervals whose coverage is measured on human judgments.

A metric's score s of an output is compared with t, the score that the output would have if the metric ordered outputs
as people do: t = F_s⁻¹(F_h(h)) for the judgment h. An interval s ± q·(σ + β) should hold t in 90 % of cases, say; σ is
how unstable this one score is (over references, layers, words left out), β is the median of σ, and q is chosen on data
(split conformal prediction; Papadopoulos et al. 2002, Lei et al. 2018).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError
from monge.storage.atomic import write_text
from monge.wording import count_noun

Floats = NDArray[np.float64]
CONSTANT = "constant"  # the source of a width that is the same for all scores
FORMAT = 1
_FEWEST = 60  # judged outputs, which are divided into three parts


@dataclass(frozen=True)
class SourceQuality:
    """How good the intervals of one source are on outputs that chose nothing: coverage, mean width, interval score.

    ``chosen_by`` is the interval score (Winkler 1972: width plus 2/α times what is missed) on the part that chooses.
    ``explains`` is Spearman's ρ between σ and the error |s − t|: does the source know which scores are bad?
    """

    source: str
    coverage: float
    width: float
    interval_score: float
    chosen_by: float
    explains: float


@dataclass(frozen=True)
class ScoreConfidence:
    """A calibrated interval: half-width = ``factor`` · (σ + ``offset``), with σ by ``source``; saved as JSON.

    ``layers`` holds mean and deviation of the scores by layer, the metric's own first, where the source is ``layers``.
    """

    metric: str
    signature: str
    source: str
    level: float
    factor: float
    offset: float
    data: str = ""
    layers: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def half_width(self, spread: float) -> float:
        """Return half the width of the interval of a score whose spread is *spread* (ignored by a constant width)."""
        return self.factor * (1.0 if self.source == CONSTANT else spread + self.offset)

    def decides(self, first: float, second: float, spreads: tuple[float, float]) -> bool:
        """Whether two scores differ by more than both may be wrong, errors taken as independent."""
        return abs(first - second) > math.hypot(*(self.half_width(spread) for spread in spreads))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        write_text(path, json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ScoreConfidence:
        """Read it; raises InputError for a file of another kind."""
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
            if record.pop("format", None) != FORMAT:
                raise ValueError("another format")
            return cls(**record)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not a file that `monge confidence --save` wrote ({error})") from error


@dataclass(frozen=True)
class ConfidenceStudy:
    """The chosen interval, and every source beside it; ``outputs`` were judged in all."""

    confidence: ScoreConfidence
    sources: tuple[SourceQuality, ...]
    outputs: int

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        sources = [{k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in asdict(s).items()}
                   for s in self.sources]  # fmt: skip
        return {"confidence": asdict(self.confidence), "sources": sources, "outputs": self.outputs}


def study_confidence(
    scores: Floats, human: Floats, spreads: Mapping[str, Floats], *, level: float = 0.9, seed: int = 0
) -> tuple[dict[str, tuple[float, float]], list[SourceQuality]]:
    """Calibrate and judge the intervals of every source.

    Parameters
    ----------
    scores, human
        Scores (higher = better) and judgments (n,) of the same outputs.
    spreads
        By source, σ of every score (n,); a constant width is always among the sources.
    level
        The coverage that intervals should have.

    Returns
    -------
    dict, list
        Factor and offset by source, calibrated on two fifths of the outputs; and the quality of every source, the best
        by the interval score on three tenths first, measured on the remaining three tenths.

    Raises
    ------
    OptionError
        If *level* is not between 0 and 1.
    InputError
        If there are too few outputs.
    """
    if not 0 < level < 1:
        raise OptionError(f"level={level:g}: must lie between 0 and 1")
    if len(scores) < _FEWEST:
        raise InputError(
            f"{count_noun(len(scores), 'judged output')}: too few to calibrate an interval; {_FEWEST} are needed"
        )
    order = np.random.default_rng(seed).permutation(len(scores))
    fit, choose, report = np.split(order, [int(0.4 * len(order)), int(0.7 * len(order))])
    fitted, found = {}, []
    for source, own in {CONSTANT: np.zeros(len(scores)), **spreads}.items():
        known = np.isfinite(own)
        offset = 1.0 if source == CONSTANT else float(np.median(own[fit][known[fit]])) if known[fit].any() else math.nan
        scale = np.where(known, own, offset) + offset
        if not math.isfinite(offset) or not (scale > 0).all():
            continue  # this source does not exist for these data (one reference, one layer)
        errors = np.abs(scores - match_quantiles(human, human[fit], scores[fit]))
        factor = conformal_quantile(errors[fit] / scale[fit], level)
        fitted[source] = (factor, offset)
        half = factor * scale
        quality = [_interval_score(errors[part], half[part], level) for part in (choose, report)]
        covered = float(np.mean(errors[report] <= half[report]))
        explains = math.nan if source == CONSTANT else _rank_correlation(scale[report], errors[report])
        width = float(2 * half[report].mean())
        found.append(SourceQuality(source, covered, width, quality[1], quality[0], explains))
    return fitted, sorted(found, key=lambda one: one.chosen_by)


def match_quantiles(values: Floats, own: Floats, other: Floats) -> Floats:
    """Return, for each of *values* among *own*, the value at the same level among *other*; ends are kept.

    >>> match_quantiles(np.array([2.0]), np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 60.0])).tolist()
    [20.0]
    """
    below = np.searchsorted(np.sort(own), values, side="left")
    above = np.searchsorted(np.sort(own), values, side="right")
    levels = np.clip((below + above - 1) / 2 / max(len(own) - 1, 1), 0, 1)
    return np.asarray(np.quantile(other, levels))


def conformal_quantile(errors: Floats, level: float) -> float:
    """Return the ⌈(n+1)·level⌉-th smallest error, which covers a new one with at least that probability.

    >>> conformal_quantile(np.array([1.0, 2.0, 3.0, 4.0]), 0.8)
    4.0
    """
    place = min(len(errors), math.ceil((len(errors) + 1) * level))
    return float(np.sort(errors)[place - 1])


def _interval_score(errors: Floats, half: Floats, level: float) -> float:
    return float(np.mean(2 * half + 2 / (1 - level) * np.maximum(errors - half, 0)))


def _rank_correlation(first: Floats, second: Floats) -> float:
    from scipy.stats import spearmanr

    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    return float(spearmanr(first, second).statistic)
