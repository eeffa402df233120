"""The examples of Peyrard et al. (2021), chapter 11 of the thesis."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from monge.comparison import CompareSettings, compare_systems, fit_bradley_terry
from monge.comparison.pairs import PairedScores, count_pairs
from monge.scores import ScoreTable

# figure 1, read off the plot: equal means, medians 11, 7 and 11
FIGURE_1 = {"A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18], "C": [5, 11, 12, 17, 1]}


def table(scores: dict[str, list[float]]) -> ScoreTable:
    size = len(next(iter(scores.values())))
    return ScoreTable(tuple(scores), tuple(str(k) for k in range(size)), np.array(list(scores.values()), dtype=float))


def strengths(scores: dict[str, list[float]]) -> dict[str, float]:
    counts = count_pairs(PairedScores.from_table(table(scores)))
    return dict(zip(scores, fit_bradley_terry(counts.points).strengths.tolist(), strict=True))


def test_figure_1_means_are_equal_and_the_median_misleads() -> None:
    comparison = compare_systems(table(FIGURE_1))
    mean, median = comparison.ranking("mean"), comparison.ranking("median")
    assert mean.values.tolist() == pytest.approx([9.2] * 3)
    assert mean.ranks.tolist() == [1, 1, 1]
    assert median.values.tolist() == [11, 7, 11]
    assert median.ranks.tolist() == [1, 3, 1]  # A above B, which beats A on four of five instances


def test_figure_1_paired_mechanisms_see_who_wins() -> None:
    comparison = compare_systems(table(FIGURE_1))
    for winner, loser in (("B", "A"), ("C", "A"), ("C", "B")):
        pair = comparison.pair(winner, loser)
        share = pair.probability if pair.first == winner else 1 - pair.probability
        assert share == pytest.approx(4 / 5)
    for mechanism in ("bt", "elo", "trueskill"):
        assert comparison.ranking(mechanism).ranks.tolist() == [3, 2, 1]


def test_appendix_f_two_systems() -> None:
    assert strengths({"A": [1, 2, 3], "B": [2, 3, 1]}) == pytest.approx({"A": 1 / 3, "B": 2 / 3})


def test_appendix_f_a_third_system_makes_all_equal() -> None:
    # The text prints C = [3, 2, 1]; the equality it claims needs the cycle A > C > B > A, which [3, 1, 2] gives.
    cycle = strengths({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]})
    assert list(cycle.values()) == pytest.approx([1 / 3] * 3)


def test_appendix_f_as_printed() -> None:
    # With C as printed, two comparisons are ties; counted half they pull A and B together but keep B ahead.
    printed = strengths({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 2, 1]})
    assert printed["B"] > printed["C"] > printed["A"]
    assert 0.5 < printed["B"] / (printed["A"] + printed["B"]) < 2 / 3


def test_removing_the_third_system_changes_the_order_of_the_others() -> None:
    scores = {"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]}
    with_c, without_c = strengths(scores), strengths({name: scores[name] for name in "AB"})
    assert without_c["B"] > without_c["A"]
    assert with_c["B"] == pytest.approx(with_c["A"])  # independence of irrelevant alternatives fails (Arrow)


values = st.lists(st.integers(-50, 50), min_size=3, max_size=15)


@given(values, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_proposition_1(first: list[int], random) -> None:
    """Mean prefers A ⟺ E_A > E_B; median ⟺ M_A > M_B; Bradley–Terry ⟺ the median of the differences is positive."""
    second = [random.randint(-50, 50) for _ in first]
    difference = np.array(first) - np.array(second)
    assume((difference != 0).all() and len(first) % 2 == 1)  # the proposition knows no ties
    fitted = strengths({"A": first, "B": second})
    assert (fitted["A"] > fitted["B"]) == (np.median(difference) > 0)
    comparison = compare_systems(table({"A": first, "B": second}), settings=CompareSettings(draws=50, orders=1))
    for mechanism, statistic in (("mean", np.mean), ("median", np.median)):
        ranks = comparison.ranking(mechanism).ranks
        assert (ranks[0] < ranks[1]) == (statistic(first) > statistic(second))


def test_figure_2_pairing_changes_only_bradley_terry() -> None:
    """Permuting one system's types keeps both marginals, hence mean and median, but turns the paired verdict."""
    noise = np.random.default_rng(0).normal(0, 0.1, size=(2, 150))
    first = np.repeat([23, 50, 40], 50) + noise[0]
    ranks = {}
    for name, means in {"as drawn": [28, 45, 30], "permuted": [30, 28, 45]}.items():
        second = np.repeat(means, 50) + noise[1]
        comparison = compare_systems(table({"A": first.tolist(), "B": second.tolist()}))
        assert comparison.ranking("mean").ranks.tolist() == [1, 2]
        assert comparison.ranking("median").ranks.tolist() == [1, 2]
        ranks[name] = comparison.ranking("bt").ranks.tolist()
    assert ranks == {"as drawn": [1, 2], "permuted": [2, 1]}
