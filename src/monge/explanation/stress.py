"""What a metric misses: the share of damaged texts that it scores below good ones."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from monge.errors import InputError, ModelError, OptionError, suggest
from monge.explanation.attacks import ATTACKS, Attack, make_victim
from monge.metrics.base import bind_to, sign_scores
from monge.metrics.protocols import Metric
from monge.text import Segment

Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True)
class Rate:
    """How often the good text was preferred in *trials*; a tie counts half."""

    wins: int
    ties: int
    trials: int

    @property
    def share(self) -> float:
        """Wins plus half the ties, divided by trials; NaN without trials."""
        return (self.wins + self.ties / 2) / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share.

        >>> tuple(round(bound, 3) for bound in Rate(8, 0, 10).interval)
        (0.49, 0.943)
        """
        if not self.trials:
            return math.nan, math.nan
        share, weight = self.share, Z * Z / self.trials
        centre = (share + weight / 2) / (1 + weight)
        half = Z / (1 + weight) * math.sqrt(share * (1 - share) / self.trials + weight / (4 * self.trials))
        return max(0.0, centre - half), min(1.0, centre + half)

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        if not self.trials:
            return {"trials": 0, "share": None, "interval": None, "ties": 0}
        return {"trials": self.trials, "share": self.share, "interval": list(self.interval), "ties": self.ties}


@dataclass(frozen=True)
class AttackResult:
    """One attack on one metric.

    ``notices``: a good text scores above a damaged copy of it. ``resists``: a good paraphrase scores above a damaged
    copy of the reference, which shares more words with the reference.
    """

    attack: str
    summary: str
    notices: Rate
    resists: Rate
    remark: str = ""


@dataclass(frozen=True)
class StressResult:
    """All attacks on one metric."""

    metric: str
    signature: str
    attacks: tuple[AttackResult, ...]
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "metric": self.metric,
            "attacks": {
                result.attack: {"notices": result.notices.record(), "resists": result.resists.record()}
                | ({"remark": result.remark} if result.remark else {})
                for result in self.attacks
            },
            "notes": list(self.notes),
            "signature": self.signature,
        }


def own_pairs() -> list[Segment]:
    """Return monge's own English pairs: a good paraphrase as hypothesis, its reference, a German source."""
    content = files("monge.explanation").joinpath("stress_pairs.json").read_text(encoding="utf-8")
    return [
        Segment(paraphrase, (reference,), source, id=str(i))
        for i, (reference, paraphrase, source) in enumerate(json.loads(content), start=1)
    ]


def run_stress(
    metric: Metric, pairs: Sequence[Segment], attacks: Sequence[str] = (), *, seed: int = 12345
) -> StressResult:
    """Attack a metric on good texts (hypotheses) and their first references.

    *attacks* are names of ``ATTACKS`` (default: all). An attack that needs a missing tagger is reported in its
    ``remark``. Raises OptionError for an unknown attack, and InputError if no text has a reference.

    >>> from monge.metrics import load_metric
    >>> result = run_stress(load_metric("chrf"), own_pairs(), ["empty"])
    >>> result.attacks[0].notices.share
    1.0
    """
    chosen = [_find(name) for name in attacks] if attacks else list(ATTACKS.values())
    good = [segment for segment in pairs if segment.references and segment.hypothesis.strip()]
    if not good:
        raise InputError("a stress test needs good texts with references")
    bound = bind_to(metric, good)
    baseline = [score.value for score in bound.score(good)]
    results = tuple(_attack(attack, bound, good, baseline, seed) for attack in chosen)
    return StressResult(bound.spec.name, str(sign_scores(bound, good)), results, bound.binding_notes)


def _attack(
    attack: Attack, metric: Metric, good: Sequence[Segment], baseline: Sequence[float], seed: int
) -> AttackResult:
    try:
        damaged = _damage(attack, good, [segment.hypothesis for segment in good], seed)
        copies = _damage(attack, good, [segment.references[0] for segment in good], seed) if attack.of_text else {}
    except ModelError as error:
        return AttackResult(attack.name, attack.summary, Rate(0, 0, 0), Rate(0, 0, 0), str(error))
    variants = [_with(good[i], text) for found in (damaged, copies) for i, text in found.items()]
    scores = [score.value for score in metric.score(variants)]
    notices = count_wins(metric, [baseline[i] for i in damaged], scores[: len(damaged)])
    resists = count_wins(metric, [baseline[i] for i in copies], scores[len(damaged) :])
    return AttackResult(attack.name, attack.summary, notices, resists)


def _damage(attack: Attack, good: Sequence[Segment], texts: Sequence[str], seed: int) -> dict[int, str]:
    """Return the damaged texts by the number of their segment, where the attack applies."""
    found = {}
    for i, text in enumerate(texts):
        victim = make_victim(text, good[i].source, texts, attack=attack.name, seed=seed)
        damaged = attack.damage(victim)
        if damaged is not None and damaged != text:
            found[i] = damaged
    return found


def _with(segment: Segment, text: str) -> Segment:
    return Segment(text, segment.references, segment.source, segment.id)


def count_wins(metric: Metric, good: Sequence[float], damaged: Sequence[float]) -> Rate:
    """Return how often the good score is better; a damaged text without a score was noticed, a good one is skipped."""
    sign = 1.0 if metric.spec.higher_is_better else -1.0
    pairs = [(sign * a, sign * b) for a, b in zip(good, damaged, strict=True) if not math.isnan(a)]
    wins = sum(math.isnan(b) or a - b > 1e-12 for a, b in pairs)  # a damaged text without a score was noticed
    ties = sum(abs(a - b) <= 1e-12 for a, b in pairs)
    return Rate(wins, ties, len(pairs))


def _find(name: str) -> Attack:
    if name not in ATTACKS:
        raise OptionError(f"no attack {name!r}{suggest(name, ATTACKS)}; there are {', '.join(ATTACKS)}")
    return ATTACKS[name]


def weak_spots(result: StressResult, *, least: float = 0.9) -> Mapping[str, float]:
    """Return the attacks that a metric significantly misses: its interval of notices is below *least*."""
    return {
        attack.attack: attack.notices.share
        for attack in result.attacks
        if attack.notices.trials and attack.notices.interval[1] < least
    }


def fooled_by(result: StressResult) -> Mapping[str, float]:
    """Return the attacks whose damaged copies a metric significantly prefers: its interval of resists is below 1/2."""
    return {
        attack.attack: attack.resists.share
        for attack in result.attacks
        if attack.resists.trials and attack.resists.interval[1] < 0.5
    }
