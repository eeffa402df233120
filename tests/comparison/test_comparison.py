"""The whole comparison: what it returns, and what it refuses."""

import numpy as np
import pytest

from monge.comparison import CompareSettings, compare_systems
from monge.comparison.clusters import count_cycles, find_cycles, rank_ranges, significance_clusters
from monge.errors import InputError, OptionError
from monge.scores import ScoreTable

RNG = np.random.default_rng(5)
SHARED = RNG.normal(size=150)
VALUES = np.stack([SHARED + RNG.normal(size=150) * 0.6 + shift for shift in (0.0, 0.25, 0.9)])
QUICK = CompareSettings(draws=200, orders=5)


def make(values: np.ndarray, *, higher: bool = True, names: str = "ABCDEFG") -> ScoreTable:
    return ScoreTable(tuple(names[: len(values)]), tuple(f"s{k}" for k in range(values.shape[1])), values, "x", higher)


def test_it_repeats_to_the_digit() -> None:
    one, again = (compare_systems(make(VALUES)) for _ in range(2))
    assert one.pairs == again.pairs
    for first, second in zip(one.rankings, again.rankings, strict=True):
        assert (first.values == second.values).all()
        assert (first.low == second.low).all()


def test_another_seed_moves_only_what_is_random() -> None:
    one = compare_systems(make(VALUES))
    other = compare_systems(make(VALUES), settings=CompareSettings(seed=1))
    assert (one.ranking("bt").values == other.ranking("bt").values).all()
    assert (one.ranking("bt").low != other.ranking("bt").low).any()
    assert one.pairs[0].p_values["sign"] == other.pairs[0].p_values["sign"]


def test_lower_is_better_mirrors_everything() -> None:
    plain = compare_systems(make(VALUES), settings=QUICK)
    mirrored = compare_systems(make(-VALUES, higher=False), settings=QUICK)
    assert [p.winner for p in plain.pairs] == [p.winner for p in mirrored.pairs]
    assert plain.pairs == mirrored.pairs
    assert mirrored.ranking("mean").ranks.tolist() == plain.ranking("mean").ranks.tolist()
    assert mirrored.ranking("mean").values == pytest.approx(-plain.ranking("mean").values)  # shown as given
    assert mirrored.ranking("mean").low == pytest.approx(-plain.ranking("mean").high)
    assert (mirrored.ranking("mean").low <= mirrored.ranking("mean").high).all()


def test_the_order_of_systems_does_not_matter() -> None:
    plain = compare_systems(make(VALUES), settings=QUICK)
    turned = compare_systems(make(VALUES[::-1], names="CBA"), settings=QUICK)
    assert plain.clusters == turned.clusters
    assert plain.order == turned.order
    one, other = plain.pair("A", "C"), turned.pair("A", "C").swapped()
    assert (one.wins, one.losses, one.advantage) == pytest.approx((other.wins, other.losses, other.advantage))
    assert one.p_values["sign"] == other.p_values["sign"]


def test_swapping_a_pair_twice_changes_nothing() -> None:
    pair = compare_systems(make(VALUES), settings=QUICK).pairs[0]
    twice = pair.swapped().swapped()
    assert twice.low == pytest.approx(pair.low)
    assert (twice.first, twice.wins, twice.advantage_low) == (pair.first, pair.wins, pair.advantage_low)


def test_missing_scores_are_left_out_of_their_pairs_only() -> None:
    holed = VALUES.copy()
    holed[0, :10] = np.nan
    comparison = compare_systems(make(holed), settings=QUICK)
    assert [p.instances for p in comparison.pairs] == [140, 140, 150]
    without = compare_systems(make(VALUES[:, 10:]), settings=QUICK)
    for name in ("sign", "t", "wilcoxon", "mood"):
        assert comparison.pair("A", "B").p_values[name] == pytest.approx(without.pair("A", "B").p_values[name])
    assert comparison.ranking("mean").values[0] == pytest.approx(VALUES[0, 10:].mean())


def test_a_sparse_system_leaves_the_intervals_of_the_others_alone() -> None:
    holed = VALUES.copy()
    holed[2, 1:] = np.nan
    sparse, alone = compare_systems(make(holed), settings=QUICK), compare_systems(make(VALUES[:2]), settings=QUICK)
    one, other = sparse.pair("A", "B"), alone.pair("A", "B")
    assert (one.advantage_low, one.advantage_high) == pytest.approx((other.advantage_low, other.advantage_high))
    assert (sparse.pair("A", "C").advantage_low, sparse.pair("A", "C").advantage_high) == (-np.inf, np.inf)
    mean = sparse.ranking("mean")
    assert np.isfinite(mean.low[:2]).all()
    assert mean.low[2] == -np.inf  # one score bounds nothing


def test_strengths_of_any_size_are_distinguished() -> None:
    values = np.repeat(np.arange(7.0, 0.0, -1.0)[:, None], 1000, axis=1)
    for k in range(6):  # each system wins 999 of 1000 instances against the next, and all against the others
        values[[k, k + 1], k] = values[[k + 1, k], k]
    order = [3, 0, 6, 2, 5, 1, 4]
    names = "".join("ABCDEFG"[k] for k in order)
    comparison = compare_systems(make(values[order], names=names), settings=CompareSettings(draws=100, orders=2))
    assert comparison.ranking("bt").values.min() < 1e-9 * comparison.ranking("bt").values.max()
    assert comparison.order == list("ABCDEFG")
    assert comparison.clusters == tuple((name,) for name in "ABCDEFG")


def test_a_clear_winner_is_named_and_clustered() -> None:
    comparison = compare_systems(make(VALUES), settings=QUICK)
    assert comparison.clusters[0] == ("C",)
    assert comparison.pair("A", "C").winner == "C"
    assert comparison.rank_ranges["C"] == (1, 1)


def test_the_correction_is_over_all_pairs() -> None:
    holm = compare_systems(make(VALUES), settings=QUICK)
    bare = compare_systems(make(VALUES), settings=CompareSettings(draws=200, orders=5, correction="none"))
    for one, other in zip(holm.pairs, bare.pairs, strict=True):
        assert one.p_values == other.p_values == other.adjusted
        assert all(one.adjusted[name] >= one.p_values[name] for name in one.adjusted)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "t", "randomisation", "bootstrap", "mood"])
def test_any_test_may_decide(test: str) -> None:
    comparison = compare_systems(make(VALUES), settings=CompareSettings(draws=500, orders=5, decide_by=test))
    assert comparison.pair("A", "C").winner == "C"


def test_a_tie_margin_makes_ties() -> None:
    wide = compare_systems(make(VALUES), settings=CompareSettings(draws=200, orders=5, tie_margin=0.5))
    exact = compare_systems(make(VALUES), settings=QUICK)
    assert exact.pairs[0].ties == 0
    difference = np.abs(VALUES[0] - VALUES[1])
    assert wide.pairs[0].ties == int((difference <= 0.5).sum()) > 0
    assert wide.pairs[0].instances == 150


def test_identical_systems_are_equal_everywhere() -> None:
    comparison = compare_systems(make(np.stack([SHARED, SHARED])), settings=QUICK)
    (pair,) = comparison.pairs
    assert (pair.ties, pair.probability, pair.winner, pair.more_instances) == (150, 0.5, None, None)
    assert set(pair.p_values.values()) == {1.0}
    for mechanism in ("bt", "mean", "median", "elo", "trueskill"):
        assert comparison.ranking(mechanism).ranks.tolist() == [1, 1]


def test_a_system_that_never_wins_is_ranked_last_and_said() -> None:
    values = np.vstack([VALUES, VALUES.min(axis=0) - 1])
    bt = compare_systems(make(values), settings=QUICK).ranking("bt")
    assert bt.ranks[3] == 4
    assert "0.5 virtual wins" in bt.notes[0]


def test_one_instance_is_enough_to_run() -> None:
    comparison = compare_systems(make(np.array([[1.0], [2.0]])), settings=QUICK)
    assert comparison.pair("A", "B").winner is None
    assert comparison.ranking("mean").ranks.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((1, 3)), "needs at least two systems; only 'A' is given"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "'A' and 'B' have no scored instance in common"),
        (np.array([[1.0, 2.0], [np.nan, np.nan]]), "system 'B' has no score at all"),
    ],
)
def test_what_cannot_be_compared_is_refused(values: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_systems(make(values), settings=QUICK)


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(InputError, match="infinite score of system 'B' on segment 's1'"):
        make(np.array([[1.0, 2.0], [1.0, np.inf]]))


def test_types_must_match_the_instances() -> None:
    with pytest.raises(InputError, match="2 types for 150 instances"):
        compare_systems(make(VALUES), types=["a", "b"])


def test_an_unknown_pair_is_named() -> None:
    with pytest.raises(InputError, match="no pair 'A', 'Z'"):
        compare_systems(make(VALUES), settings=QUICK).pair("A", "Z")


def test_a_bad_tie_margin_is_refused() -> None:
    with pytest.raises(OptionError, match="tie margin"):
        compare_systems(make(VALUES), settings=CompareSettings(tie_margin=-1.0))


def test_clusters_need_everyone_above_to_beat_everyone_below() -> None:
    beats = np.zeros((4, 4), dtype=bool)
    beats[0, 2:] = beats[1, 2:] = True
    beats[2, 3] = True
    assert significance_clusters(beats, [0, 1, 2, 3]) == ((0, 1), (2,), (3,))
    beats[1, 3] = False
    assert significance_clusters(beats, [0, 1, 2, 3]) == ((0, 1, 2, 3),)
    assert rank_ranges(beats)[3] == (3, 4)


def test_cycles_are_counted_and_found() -> None:
    majority = np.zeros((4, 4), dtype=bool)
    majority[0, 1] = majority[1, 2] = majority[2, 0] = True
    majority[:3, 3] = True
    assert count_cycles(majority) == 1
    assert find_cycles(majority) == [(0, 1, 2)]
    reverse = np.zeros((3, 3), dtype=bool)
    reverse[0, 2] = reverse[2, 1] = reverse[1, 0] = True
    assert count_cycles(reverse) == len(find_cycles(reverse)) == 1


def test_scores_beyond_arithmetic_are_refused() -> None:
    with pytest.raises(InputError, match=r"1e\+308 in size \(system 'B', instance 's1'\) is too large"):
        compare_systems(make(np.array([[1.0, 2.0], [3.0, -1e308]])))
