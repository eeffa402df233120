"""Williams, permutation, bootstrap and clusters."""

import itertools

import numpy as np
import pytest
from scipy import stats

from monge.meta.agreement import Resampling, measure_agreement
from monge.meta.judged import pair_scores
from monge.meta.judged_metric import select_metric
from monge.meta.levels import WHOLE, make_arrangement
from monge.meta.significance import (
    bootstrap_pairs,
    cluster,
    permutation_pairs,
    rank_metrics,
    williams,
    williams_pairs,
)
from monge.meta.statistics import find_statistic
from monge.meta.study import AgreementPlan, study_agreement
from monge.meta.swaps import swap_pearson, swap_scores
from monge.meta.wording import study_verdict
from monge.scores import ScoreTable


def make(human, **metrics):
    segments = tuple(map(str, range(human.shape[1])))
    systems = tuple(f"s{i}" for i in range(len(human)))
    return pair_scores(
        ScoreTable(systems, segments, human), {n: ScoreTable(systems, segments, v) for n, v in metrics.items()}
    )


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p"),
    [
        # outputs of R's cocor package (williams1959) in two published analyses; correlations there have four digits
        (0.5447, 0.8, 0.0729, 70, -2.8114, 0.0065),
        (0.8066, 0.2383, 0.2255, 177, 9.3823, 0.0),
        # Steiger (1980): masculinity and femininity against verbal ability; R's psych gives t = 0.89, p < 0.37
        (0.5, 0.4, 0.1, 103, 0.89, 0.37),
    ],
)
def test_williams_reproduces_published_examples(r12, r13, r23, n, t, p):
    result = williams(r12, r13, r23, n)
    assert result.df == n - 3
    assert result.t == pytest.approx(t, abs=3e-3)
    assert result.p == pytest.approx(p, abs=5e-3)


def test_williams_of_the_vectors_of_mt_metrics_eval():
    # its stats_test: one-sided p = 0.019 for gold 1..5
    gold = np.array([[1.0, 2, 3, 4, 5]])
    scores = make(gold, a=np.array([[1.1, 2, 3.1, 4, 5.1]]), b=np.array([[1.5, 2, 3.1, 4, 5.5]]))
    assert williams_pairs(scores)["a", "b"] / 2 == pytest.approx(0.019, abs=5e-4)


def test_williams_is_undefined_for_three_items_and_certain_for_equal_correlations():
    assert np.isnan(williams(0.5, 0.4, 0.3, 3).p)
    assert williams(0.5, 0.5, 0.3, 50).p == 1.0


def test_a_metric_is_no_better_than_its_own_percentages():
    # the correlations differ in the sixteenth digit, and their spread is 0: t was infinite for every second such pair
    rng = np.random.default_rng(0)
    for size in range(5, 105):
        human = rng.normal(size=(1, size))
        metric = human + rng.normal(size=(1, size))
        scores = make(human, share=metric, percent=100 * metric + 3)
        found = measure_agreement(scores, find_statistic("pearson"), resampling=Resampling(count=20))
        for p in (williams_pairs(scores), bootstrap_pairs(found)):
            assert p["share", "percent"] == 1.0


def test_williams_keeps_its_level_under_the_null():
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(1000):
        truth = rng.normal(size=60)
        a, b = truth + rng.normal(size=(2, 60))
        r = [np.corrcoef(x, y)[0, 1] for x, y in itertools.combinations((truth, a, b), 2)]
        rejected += williams(*r, 60).p < 0.05
    assert 30 <= rejected <= 70


def noisy(seed, spread_a, spread_b, shape=(5, 40)):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape) + np.arange(shape[0])[:, None] / 2
    a, b = (human + s * rng.normal(size=shape) for s in (spread_a, spread_b))
    return make(human, a=a, b=b)


@pytest.mark.parametrize("statistic", ["pearson", "kendall", "tie-accuracy", "accuracy"])
@pytest.mark.parametrize("level", ["item", "by-system"])
def test_permutation_finds_the_better_metric(statistic, level):
    scores = noisy(1, 0.3, 3.0)
    assert permutation_pairs([scores], find_statistic(statistic), level=level, count=200)["a", "b"] < 0.02
    equal = make(scores.human, a=scores.metrics["a"], b=scores.metrics["a"])
    assert permutation_pairs([equal], find_statistic(statistic), level=level, count=100)["a", "b"] == 1.0


def test_permutation_keeps_its_level_under_the_null():
    statistic = find_statistic("pearson")
    rejected = sum(
        permutation_pairs([noisy(seed, 1.0, 1.0, (4, 30))], statistic, level="segment", count=99)["a", "b"] <= 0.05
        for seed in range(300)
    )
    assert 5 <= rejected <= 27


def test_permutation_equals_the_enumeration_of_all_swaps():
    rng = np.random.default_rng(5)
    human, a, b = rng.normal(size=(3, 1, 8))
    za, zb = stats.zscore(a[0]), stats.zscore(b[0])
    observed = np.corrcoef(human[0], a[0])[0, 1] - np.corrcoef(human[0], b[0])[0, 1]
    hits = 0
    for swap in itertools.product([False, True], repeat=8):
        x, y = np.where(swap, zb, za), np.where(swap, za, zb)
        hits += abs(np.corrcoef(human[0], x)[0, 1] - np.corrcoef(human[0], y)[0, 1]) >= abs(observed) - 1e-12
    p = permutation_pairs([make(human, a=a, b=b)], find_statistic("pearson"), level="segment", count=4000)["a", "b"]
    assert p == pytest.approx(hits / 256, abs=0.03)


@pytest.mark.parametrize("missing", [False, True])
def test_swaps_of_pearson_in_closed_form_equal_swaps_written_out(missing):
    scores = noisy(3, 0.5, 1.0)
    if missing:
        human = scores.human.copy()
        human[0, :7] = np.nan
        scores = make(human, **dict(scores.metrics))
    arrangement = make_arrangement("segment", scores)
    sides = [select_metric(scores, name, arrangement) for name in ("a", "b")]
    statistic = find_statistic("pearson")
    written = swap_scores(*sides, lambda c: statistic.evaluate(c, WHOLE).values, count=50, seed=1)
    np.testing.assert_allclose(swap_pearson(*sides, count=50, seed=1), written, rtol=0, atol=1e-12)


def test_permutation_averages_over_tasks():
    tasks = [noisy(seed, 1.0, 1.6, (3, 25)) for seed in range(6)]
    alone = [permutation_pairs([t], find_statistic("pearson"), level="segment", count=300)["a", "b"] for t in tasks]
    together = permutation_pairs(tasks, find_statistic("pearson"), level="segment", count=300)["a", "b"]
    assert together < np.median(alone)


def oracle_among(others, *, seed=0, shape=(4, 60)):
    """An oracle and metrics that know nothing."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape)
    metrics = {f"random {i}": rng.normal(size=shape) for i in range(others)}
    return make(human, oracle=human + 0.01 * rng.normal(size=shape), **metrics)


@pytest.mark.parametrize("others", [2, 10, 13])
@pytest.mark.parametrize("draws", [0, 100, 1000])
@pytest.mark.parametrize("correction", ["holm", "fdr"])
def test_an_oracle_wins_however_many_metrics_there_are(others, draws, correction):
    """1000 permutations cannot give less than 1/1001, which 55 pairs turn into .055: more are needed."""
    plan = AgreementPlan(level="item", resampling=Resampling(count=draws), correction=correction)
    study = study_agreement([oracle_among(others)], plan)
    assert study.test == "permutation"
    assert study.ranking.metrics[0] == "oracle"
    assert study.ranking.beats[0, 1:].all()
    assert not study.ranking.beats[1:, 1:].any()
    assert study.limit == ""


def test_permutations_beyond_the_plan_do_not_raise_false_alarms():
    """Six equally good metrics, 15 pairs: at level .05 at most a few of 40 studies may find any difference."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        human = rng.normal(size=(1, 40))
        metrics = {f"m{i}": human + rng.normal(size=human.shape) for i in range(6)}
        plan = AgreementPlan(find_statistic("spearman"), resampling=Resampling(count=0))
        found += bool(study_agreement([make(human, **metrics)], plan).ranking.beats.any())
    assert found <= 6


def test_a_test_that_cannot_decide_says_so():
    scores = oracle_among(10)
    for test, alpha, reason in (
        ("bootstrap", 0.05, "200 resamples are too few for 55 pairs of metrics at level 0.05, which need 2,200"),
        ("permutation", 1e-6, "100,000 permutations are too few for 55 pairs of metrics at level 1e-06"),
    ):
        two = (
            scores
            if test == "bootstrap"
            else make(scores.human[:, :9], **{n: t[:, :9] for n, t in scores.metrics.items()})
        )
        plan = AgreementPlan(level="item", resampling=Resampling(count=200), test=test, alpha=alpha)
        study = study_agreement([two], plan)
        assert not study.ranking.beats.any()
        assert study.limit == reason
        assert study_verdict(study)[0].endswith(f"but the test cannot decide between metrics: {reason}.")
    few = make(scores.human[:, :1], **{n: t[:, :1] for n, t in scores.metrics.items()})
    study = study_agreement([few], AgreementPlan(level="item", resampling=Resampling(count=0)))
    assert study.limit == "4 judged outputs are too few for 55 pairs of metrics at level 0.05"


def test_bootstrap_agrees_with_williams_on_a_clear_case():
    scores = noisy(2, 0.5, 1.2, (1, 200))
    found = measure_agreement(scores, find_statistic("pearson"), resampling=Resampling(count=1000))
    assert bootstrap_pairs(found)["a", "b"] < 0.01
    assert williams_pairs(scores)["a", "b"] < 0.01


def test_bootstrap_tests_soft_accuracy():
    scores = noisy(4, 0.3, 6.0, (5, 40))
    plan = Resampling("segments", count=100)
    found = measure_agreement(scores, find_statistic("soft-accuracy"), level="system", resampling=plan)
    assert found["a"].value > found["b"].value
    assert 0 < bootstrap_pairs(found)["a", "b"] <= 1


def holm(p):  # written out for three values
    order = np.argsort(p)
    result = np.empty(len(p))
    worst = 0.0
    for k, i in enumerate(order):
        worst = max(worst, (len(p) - k) * p[i])
        result[i] = min(1.0, worst)
    return result


def test_ranking_orders_corrects_and_clusters():
    found = measure_agreement(noisy(3, 0.5, 1.0), find_statistic("pearson"))
    c = measure_agreement(noisy(3, 3.0, 1.0), find_statistic("pearson"))["a"]
    named = {"b": found["b"], "a": found["a"], "c": type(c)(**{**c.__dict__, "metric": "c"})}
    ranking = rank_metrics(named, {("a", "b"): 0.03, ("b", "c"): 0.001, ("a", "c"): 0.02}, correct=holm)
    assert ranking.metrics == ("a", "b", "c")
    np.testing.assert_allclose(ranking.corrected[np.triu_indices(3, 1)], [0.04, 0.04, 0.003])
    assert ranking.beats.tolist() == [[False, True, True], [False, False, True], [False] * 3]
    assert ranking.clusters == (1, 2, 3)


def test_a_metric_without_a_value_comes_last_and_beats_nobody():
    scores = noisy(1, 0.5, 1.0)
    broken = make(scores.human, a=np.ones_like(scores.human), b=scores.metrics["b"])
    found = measure_agreement(broken, find_statistic("pearson"))
    p = permutation_pairs([broken], find_statistic("pearson"), level="segment", count=50)
    ranking = rank_metrics(found, p, correct=holm)
    assert ranking.metrics == ("b", "a")
    assert not ranking.beats.any()
    assert np.isnan(ranking.p[0, 1])


def test_clusters_open_where_a_member_beats_the_next():
    beats = np.zeros((4, 4), dtype=bool)
    beats[0, 2] = beats[0, 3] = beats[1, 3] = True
    assert cluster(beats) == (1, 1, 2, 2)
    beats[2, 3] = True
    assert cluster(beats) == (1, 1, 2, 3)
