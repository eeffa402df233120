"""What a study says, in words."""

import numpy as np
import pytest

from monge.meta import Resampling, find_statistic, pair_scores
from monge.meta.records import study_record
from monge.meta.study import AgreementPlan, study_agreement
from monge.meta.wording import show_number, study_heading, study_notes, study_verdict
from monge.report.correlate.text import study_markup, study_text
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
    plan = AgreementPlan(find_statistic(statistic), level, Resampling(count=100))
    return study_agreement([scores], plan)


def test_a_clear_winner_is_named():
    (first, second) = study_verdict(study({"good": 0.2, "poor": 3.0}))
    assert first.startswith("Use good: it agrees best with people, Pearson r .9")
    assert second == "It is significantly better than all others."


def test_what_cannot_be_told_apart_is_not_called_better():
    (sentence,) = study_verdict(study({"a": 1.0, "b": 1.01}, size=10))
    assert "cannot distinguish it from" in sentence
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
    assert study_verdict(bad)[-1].startswith(("But that is hardly better than guessing, .", "But its interval reaches"))
    assert 0.4 < bad.averages["a"].chance < 0.7
    good = study({"a": 0.2, "b": 3.0}, **options)
    assert not any("guessing" in sentence for sentence in study_verdict(good))


def test_one_metric_alone_is_held_against_chance_too():
    (good,) = study_verdict(study({"a": 0.2}))
    assert good.startswith("a: Pearson r .9")
    (accurate,) = study_verdict(study({"a": 0.2}, statistic="tie-accuracy", level="item", systems=6))
    assert "; guessing gets ." in accurate
    bad = study_verdict(study({"a": 80.0}))
    assert bad[1] == "But that is hardly any agreement: do not trust it here."


def test_an_interval_that_reaches_chance_is_no_ground_to_choose_on():
    few = study_verdict(study({"a": 1.0, "b": 1.5}, size=5, systems=1))
    assert not any("use any of them" in sentence or sentence.startswith("Use") for sentence in few)
    assert few[-1] == "But its interval reaches 0, no agreement: judge more outputs before you trust it."


def test_systems_are_counted_where_systems_are_compared():
    found = study({"a": 0.2, "b": 0.21}, level="system", systems=6)
    outputs = f"{found.averages['a'].used:,} outputs"
    assert study_heading(found, "set") == f"set: Pearson r, between 6 systems; {outputs}"
    assert "6 systems cannot distinguish it from" in study_verdict(found)[0]


def test_an_interval_that_cannot_be_had_is_explained():
    rng = np.random.default_rng(0)
    systems, segments = tuple("abcdef"), tuple(map(str, range(20)))
    table = ScoreTable(systems, segments, rng.normal(size=(6, 20)))
    totals = dict(zip(systems, range(6), strict=True))
    whole = ScoreTable(systems, segments, np.full((6, 20), np.nan))
    scores = pair_scores(whole, {"m": table}, human_totals=totals, metric_totals={"m": {**totals, "a": 2.5}})
    plan = AgreementPlan(level="system", resampling=Resampling(count=50))
    found = study_agreement([scores], plan)
    assert np.isnan(found.averages["m"].low)
    assert any(note.startswith("note: m: no interval, because scores of whole systems") for note in study_notes(found))


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


def test_a_handful_of_inputs_gives_no_interval():
    """Two inputs with three outputs each: most draws are the data over again, their interval starts at the value."""
    found = study({"a": 0.3, "b": 0.4}, size=2)
    assert np.isfinite(found.averages["a"].value)
    assert np.isnan(found.averages["a"].low)
    assert "note: no interval: at least 4 different inputs are needed, not 2" in study_notes(found)
    assert study_verdict(found)[-1] == "But so few inputs (2) cannot show how sure that is."
    assert np.isfinite(study({"a": 0.3}, size=4).averages["a"].low)
