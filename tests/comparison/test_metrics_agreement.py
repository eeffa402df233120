"""Several metrics: the joint verdict never hides that they disagree."""

import numpy as np
import pytest

from monge.comparison import CompareSettings, combine_metrics, compare_systems, describe_verdict
from monge.errors import InputError
from monge.scores import ScoreTable

RNG = np.random.default_rng(0)


def comparison(*shifts: float, names: str = "ABC", seed: int = 0):
    rng = np.random.default_rng(seed)
    values = np.stack([rng.normal(shift, 1.0, size=120) for shift in shifts])
    table = ScoreTable(tuple(names[: len(shifts)]), tuple(map(str, range(120))), values)
    return compare_systems(table, settings=CompareSettings(draws=100, orders=2))


def test_unanimous_leaning_undecided_and_conflicting_metrics() -> None:
    up, down, flat = comparison(0.0, 1.0), comparison(1.0, 0.0), comparison(0.0, 0.0, seed=1)
    cases = {
        "unanimous": ({"x": up, "y": up}, "B beats A by both metrics"),
        "leaning": ({"x": up, "y": flat}, "B beats A by x; y does not separate them"),
        "undecided": ({"x": flat, "y": flat}, "A and B cannot be told apart by both metrics"),
        "conflict": ({"x": up, "y": down}, "metrics contradict each other on A and B: y prefers A, x prefers B"),
    }
    for kind, (given, sentence) in cases.items():
        (verdict,) = combine_metrics(given).verdicts
        assert verdict.kind == kind
        assert describe_verdict(verdict).startswith(sentence)
        assert (verdict.winner is None) == (kind in ("undecided", "conflict"))


def test_agreement_is_one_with_itself_and_minus_one_with_its_reverse() -> None:
    up = comparison(0.0, 1.0, 2.0)
    table = up.table
    reverse = compare_systems(ScoreTable(table.systems, table.segments, -table.values), settings=up.settings)
    agreement = combine_metrics({"x": up, "y": up, "z": reverse})
    assert agreement.rank_agreement == pytest.approx(np.array([[1, 1, -1], [1, 1, -1], [-1, -1, 1]]))
    assert agreement.instance_agreement == pytest.approx(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))


def test_systems_and_instances_may_come_in_another_order() -> None:
    up = comparison(0.0, 1.0, 2.0)
    order = RNG.permutation(120)
    shuffled = ScoreTable(("C", "A", "B"), tuple(str(k) for k in order), up.table.values[[2, 0, 1]][:, order])
    agreement = combine_metrics({"x": up, "y": compare_systems(shuffled, settings=up.settings)})
    assert agreement.rank_agreement[0, 1] == pytest.approx(1.0)
    assert agreement.instance_agreement[0, 1] == pytest.approx(1.0)


def test_other_systems_are_refused() -> None:
    with pytest.raises(InputError, match="metric 'y' does not score the same systems"):
        combine_metrics({"x": comparison(0.0, 1.0), "y": comparison(0.0, 1.0, names="AZ")})
