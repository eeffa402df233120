"""What a comparison was asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from monge.compare.significance import CORRECTIONS, find_test
from monge.errors import OptionError, suggest


@dataclass(frozen=True)
class CompareSettings:
    """Level, deciding test, correction over pairs, resampling and seed of a comparison.

    ``decide_by`` names the test that stars, clusters and verdicts follow: the sign test by default, since it tests
    what Bradley–Terry ranks by (who wins more instances). ``power`` is the chance with which a difference should be
    found when sizes are recommended. ``orders`` is how many random orders Elo and TrueSkill are averaged over.
    """

    alpha: float = 0.05
    decide_by: str = "sign"
    correction: str = "holm"
    draws: int = 1000
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
        for name, count in (("draws", self.draws), ("orders", self.orders)):
            if count < 1:
                raise OptionError(f"{name} must be at least 1, not {count}")
        if self.draws * self.alpha < 2:
            raise OptionError(f"{self.draws} draws cannot show a level of {self.alpha:g}; use {int(20 / self.alpha)}")
        if self.seed < 0:
            raise OptionError(f"seed must be at least 0, not {self.seed}")

    def level(self, pairs: int) -> float:
        """Return the level one of so many pairs must reach in the hardest case, when it alone differs.

        Holm and Benjamini–Hochberg both ask for α / pairs then.
        """
        return self.alpha if self.correction == "none" else self.alpha / pairs
