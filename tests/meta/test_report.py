"""What a study says, in words."""

import numpy as np
import pytest

from monge.compare.significance import correct_holm
from monge.meta import Resampling, find_statistic, pair_scores
from monge.meta.study import StudyPlan, run_study
from monge.report.correlation import show_number, study_markup, study_record, study_text, study_verdict
from monge.scores import ScoreTable


def study(spreads, size=60, statistic="pearson", level="segment", systems=3):
    rng = np.random.default_rng(1)
    human = rng.normal(size=(systems, size)) + np.arange(systems)[:, None]
    names = tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(size)))
    metrics = {
        name: ScoreTable(*names, human + spread * rng.normal(size=human.shape) if spread else np.ones_like(human))
        for name, spread in spreads.items()
    }
    scores = pair_scores(ScoreTable(*names, human), metrics, name="set")
    plan = StudyPlan(level=level, resampling=Resampling(count=100), permutations=100)
    return run_study([scores], find_statistic(statistic), plan=plan, correct=correct_holm)


def test_a_clear_winner_is_named():
    (first, second) = study_verdict(study({"good": 0.2, "poor": 3.0}))
    assert first.startswith("Use good: it agrees best with people, Pearson r .9")
    assert second == "It is significantly better than all others."


def test_what_cannot_be_told_apart_is_not_called_better():
    (sentence,) = study_verdict(study({"a": 1.0, "b": 1.01}, size=10))
    assert "cannot tell it apart from" in sentence
    assert "judge more outputs" in sentence


def test_no_agreement_is_called_so():
    sentences = study_verdict(study({"a": 80.0, "b": 90.0}))
    assert sentences[-1].startswith("But that is hardly any agreement")


@pytest.mark.parametrize(
    ("statistic", "level"), [("accuracy", "item"), ("tie-accuracy", "item"), ("soft-accuracy", "system")]
)
def test_an_accuracy_that_guessing_reaches_is_called_so(statistic, level):
    """The chance of an accuracy is not 0: half of the pairs, or the share that people tie."""
    options = {"statistic": statistic, "level": level, "systems": 6}
    bad = study({"a": 200.0, "b": 300.0}, **options)
    assert study_verdict(bad)[-1].startswith("But that is hardly better than guessing, .")
    assert 0.4 < bad.averages["a"].chance < 0.7
    good = study({"a": 0.2, "b": 3.0}, **options)
    assert not any("guessing" in sentence for sentence in study_verdict(good))


def test_nothing_to_say_has_its_reason():
    assert study_verdict(study({"flat": 0, "even": 0})) == ["No metric has a value: set: scores all equal."]


def test_the_terminal_report_fits():
    text = study_text(study({"a": 0.5, "b": 2.0, "c": 2.1}), data="set", width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "used 180 of 180 judged outputs; 0 unused" in text


def test_markup_and_record_hold_the_same_values():
    found = study({"a": 0.5, "b": 2.0}, statistic="kendall", level="item", systems=5)
    record = study_record(found, data="set", signatures={"a": "metric:a"})
    assert record["test"] == "permutation"
    value = record["metrics"][0]["average"]["value"]
    assert f"| {record['metrics'][0]['metric']} | {show_number(value)} |" in study_markup(found, data="set")
    assert record["pairs"][0]["significant"] == (record["pairs"][0]["corrected"] < 0.05)
    assert study_markup(found, data="set", latex=True).startswith(r"\begin{tabular}")


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1.000"), (0.9999, "1.000"), (-0.0001, ".000"), (-1.0, "−1.000")])
def test_numbers_at_the_edges(value, shown):
    assert show_number(value) == shown
