"""The settings of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from monge.comparison.significance import CORRECTIONS, find_test
from monge.errors import OptionError, suggest

RESAMPLES, TRIALS = 1_000, 10_000  # of the bootstrap and of approximate randomisation, as in sacrebleu
MAX_DRAWS = 1_000_000  # kept for every system, to rank it in each: 8 MB per system and mechanism
MAX_ORDERS = 1_000  # each holds up to 10,000 rounds, played one after another: 80 MB and minutes


@dataclass(frozen=True)
class CompareSettings:
    """Level, deciding test, correction over pairs, resampling and seed of a comparison.

    Parameters
    ----------
    alpha
        The level of tests and intervals, between 0 and 1.
    decide_by
        The test that stars, clusters and conclusions follow. The default is the sign test, since it tests what
        Bradley–Terry ranks by: who wins more instances.
    correction
        How p-values of many pairs are corrected: ``holm``, ``fdr`` or ``none``.
    draws
        Resamples of the bootstrap and trials of approximate randomisation; at most a million. None stands for
        sacrebleu's defaults, which are 1,000 resamples and 10,000 trials.
    orders
        Random orders of games that Elo and TrueSkill are averaged over; at most a thousand.
    seed
        Seed of everything random.
    power
        The probability with which a difference should be found, for recommended sizes of a test set.
    tie_margin
        Differences up to this size count as ties.

    Raises
    ------
    OptionError
        When a value is out of range, or the draws are too few to show the level.

    >>> CompareSettings(draws=10**12)
    Traceback (most recent call last):
    ...
    monge.errors.OptionError: draws must be at least 1 and at most 1,000,000, not 1,000,000,000,000
    """

    alpha: float = 0.05
    decide_by: str = "sign"
    correction: str = "holm"
    draws: int | None = None
    orders: int = 50
    seed: int = 12345
    power: float = 0.8
    tie_margin: float = 0.0

    def __post_init__(self) -> None:
        find_test(self.decide_by)
        if self.correction not in CORRECTIONS:
            known = ", ".join(CORRECTIONS)
            raise OptionError(f"no correction {self.correction!r}{suggest(self.correction, CORRECTIONS)}; use {known}")
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            if not 0.0 < value < 1.0:
                raise OptionError(f"{name} must lie between 0 and 1, not {value}")
        for name, count, most in (("draws", self.resamples, MAX_DRAWS), ("orders", self.orders, MAX_ORDERS)):
            if not 1 <= count <= most:
                raise OptionError(f"{name} must be at least 1 and at most {most:,}, not {count:,}")
        if self.resamples * self.alpha < 2:
            raise OptionError(f"{self.resamples} draws cannot show a level of {self.alpha:g}; {self._advice()}")
        if self.seed < 0:
            raise OptionError(f"seed must be at least 0, not {self.seed}")

    @property
    def resamples(self) -> int:
        """How many times the bootstrap draws."""
        return RESAMPLES if self.draws is None else self.draws

    @property
    def trials(self) -> int:
        """How many times approximate randomisation exchanges scores."""
        return TRIALS if self.draws is None else self.draws

    def _advice(self) -> str:
        if MAX_DRAWS * self.alpha < 2:
            return f"alpha must be at least {2 / MAX_DRAWS:g}, since at most {MAX_DRAWS:,} draws are possible"
        return f"use {min(int(20 / self.alpha), MAX_DRAWS)}"

    def level(self, pairs: int) -> float:
        """Return the level that one of *pairs* pairs must reach in the hardest case, when no other pair differs.

        Holm and Benjamini–Hochberg both require α / pairs then.
        """
        return self.alpha if self.correction == "none" else self.alpha / pairs
