"""Every test against scipy or statsmodels, and corrections against statsmodels."""

import argparse
import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from monge.cli.compare import add_arguments
from monge.comparison.pairs import PairedScores
from monge.comparison.significance import (
    CORRECTIONS,
    TESTS,
    PairBlock,
    bootstrap_test,
    correct_holm,
    find_test,
    mood_test,
    paired_t_test,
    randomisation_test,
    run_tests,
    sign_test,
    wilcoxon_test,
)
from monge.errors import OptionError

RNG = np.random.default_rng(7)
FIRST = np.round(RNG.normal(0.3, 1.0, size=(6, 40)), 1)  # rounded: ties happen
SECOND = np.round(RNG.normal(0.0, 1.0, size=(6, 40)), 1)


def block(first: np.ndarray = FIRST, second: np.ndarray = SECOND, draws: int = 2000, seed: int = 1) -> PairBlock:
    """The pairs (first[k], second[k])."""
    size = len(first)
    names = tuple(map(str, range(2 * size))), tuple(map(str, range(first.shape[1])))
    scores = PairedScores(*names, np.vstack([first, second]))
    return PairBlock(scores, np.arange(size), size + np.arange(size), first - second, draws, seed)


def test_paired_t_is_scipys() -> None:
    statistic, p = paired_t_test(block())
    expected = stats.ttest_rel(FIRST, SECOND, axis=1)
    assert statistic == pytest.approx(expected.statistic)
    assert p == pytest.approx(expected.pvalue)


def test_sign_is_the_binomial_test_without_ties() -> None:
    _, p = sign_test(block())
    for k in range(len(FIRST)):
        wins, losses = int((FIRST[k] > SECOND[k]).sum()), int((FIRST[k] < SECOND[k]).sum())
        assert p[k] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_wilcoxon_is_scipys_and_its_sign_the_rank_sums() -> None:
    statistic, p = wilcoxon_test(block())
    for k in range(len(FIRST)):
        d = FIRST[k] - SECOND[k]
        d = d[d != 0]
        ranks = stats.rankdata(np.abs(d))
        assert p[k] == pytest.approx(stats.wilcoxon(FIRST[k] - SECOND[k]).pvalue)
        assert np.sign(statistic[k]) == np.sign(ranks[d > 0].sum() - ranks[d < 0].sum())


def test_mood_is_scipys() -> None:
    _, p = mood_test(block())
    for k in range(len(FIRST)):
        assert p[k] == pytest.approx(stats.median_test(FIRST[k], SECOND[k]).pvalue)


def test_randomisation_approaches_the_exact_enumeration() -> None:
    d = np.array([0.9, -0.2, 0.7, 0.4, -0.1, 1.1, 0.3, 0.8])
    sums = [abs(np.dot(signs, d)) for signs in itertools.product((-1, 1), repeat=len(d))]
    exact = np.mean(np.array(sums) >= abs(d.sum()) - 1e-9)
    _, p = randomisation_test(block(d[None], np.zeros((1, 8)), draws=50_000))
    assert p[0] == pytest.approx(exact, abs=0.003)


def test_randomisation_is_scipys_permutation_test() -> None:
    _, p = randomisation_test(block(draws=20_000))
    for k in range(len(FIRST)):
        expected = stats.permutation_test(
            (FIRST[k], SECOND[k]), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=20_000, rng=3
        )
        assert p[k] == pytest.approx(expected.pvalue, abs=0.015)


def test_bootstrap_is_near_the_z_test_on_many_instances() -> None:
    first = np.random.default_rng(0).normal(0.05, 1.0, size=(4, 2000))
    second = np.zeros_like(first)
    _, p = bootstrap_test(block(first, second, draws=20_000))
    z = first.mean(axis=1) / (first.std(axis=1) / np.sqrt(2000))
    assert p == pytest.approx(2 * stats.norm.sf(np.abs(z)), abs=0.02)


def test_missing_scores_are_left_out_pairwise() -> None:
    first, second = FIRST.copy(), SECOND.copy()
    first[:, 3], second[:, 5] = np.nan, np.nan
    kept = np.delete(np.arange(40), [3, 5])
    for test in TESTS:
        holed = test.compute(block(first, second))
        if test.name in ("randomisation", "bootstrap"):  # other draws: the same within sampling error
            assert holed[1] == pytest.approx(test.compute(block(FIRST[:, kept], SECOND[:, kept]))[1], abs=0.06)
        else:
            assert holed[1] == pytest.approx(test.compute(block(FIRST[:, kept], SECOND[:, kept]))[1])


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_identical_systems_are_never_different(test) -> None:
    statistic, p = test.compute(block(FIRST, FIRST))
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_swapping_systems_turns_the_statistic_and_keeps_p(test) -> None:
    one, other = test.compute(block()), test.compute(block(SECOND, FIRST))
    assert other[0] == pytest.approx(-one[0])
    tolerance = 0.03 if test.name in ("randomisation", "bootstrap") else 1e-9
    assert other[1] == pytest.approx(one[1], abs=tolerance)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_a_constant_score_breaks_nothing(test) -> None:
    statistic, p = test.compute(block(np.ones((1, 10)), np.zeros((1, 10))))
    assert statistic[0] > 0
    assert 0 < p[0] <= 1


@pytest.mark.parametrize("test", [find_test("t"), find_test("bootstrap")], ids=lambda test: test.name)
@pytest.mark.parametrize(("gap", "size"), [(0.1, 6), (1.0, 2), (0.1, 1)])
def test_differences_that_never_vary_are_judged_by_the_sign_test(test, gap: float, size: int) -> None:
    first = np.array([[0.5, 0.6, 0.7, 0.2, 0.3, 0.9][:size]])  # 0.5 − 0.4 and 0.3 − 0.2 differ by rounding
    _, p = test.compute(block(first, np.round(first - gap, 1)))
    assert p[0] == pytest.approx(min(1.0, 2 * 0.5**size))


def test_run_tests_covers_all_pairs_and_repeats_to_the_digit() -> None:
    values = np.vstack([FIRST[:3], SECOND[:2]])
    scores = PairedScores(tuple("ABCDE"), tuple(map(str, range(40))), values)
    one, again = run_tests(scores, draws=500, seed=4), run_tests(scores, draws=500, seed=4)
    for name in one:
        assert len(one[name][1]) == 10
        assert (one[name][1] == again[name][1]).all()
    assert (run_tests(scores, draws=500, seed=5)["bootstrap"][1] != one["bootstrap"][1]).any()


@pytest.mark.parametrize(("name", "peer"), [("holm", "holm"), ("fdr", "fdr_bh")])
def test_corrections_are_statsmodels(name: str, peer: str) -> None:
    p = np.random.default_rng(1).uniform(size=25) ** 3
    assert CORRECTIONS[name](p) == pytest.approx(multipletests(p, method=peer)[1])
    assert (CORRECTIONS["none"](p) == p).all()


def test_holm_of_nothing_is_nothing() -> None:
    assert correct_holm(np.array([])).tolist() == []


def test_an_unknown_test_is_named() -> None:
    with pytest.raises(OptionError, match=r"no test 'wilcox' \(did you mean 'wilcoxon'\?\)"):
        find_test("wilcox")


def test_the_command_offers_every_test_and_correction() -> None:
    """Its help must not wait for scipy, so it lists them itself."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    choices = {action.dest: action.choices for action in parser._actions}
    assert choices["test"] == tuple(test.name for test in TESTS)
    assert choices["correction"] == tuple(CORRECTIONS)
