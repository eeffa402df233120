"""What monge.score returns, from what it may be given, and the helper for training loops."""

import json
import math
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sacrebleu

import monge
from monge.engine.records import bootstrap_half_width
from monge.environment import Environment

OUTPUTS = ["the boy ran home", "rain fell on a town", "two dogs sat on the mat", "a man read a book"]
REFERENCES = ["the boy ran home", "rain fell on the town", "two dogs sat on a mat", "a man read the book"]
GREEDY = "bertscore,encoder=hashed,layers=1"


def test_one_metric_has_attributes_and_is_a_dict() -> None:
    result = monge.score(OUTPUTS, REFERENCES, metric=GREEDY)
    assert result.score == result["score"] == pytest.approx(result.scores.mean())
    assert isinstance(result.scores, np.ndarray)
    assert result.scores.tolist() == result["scores"]
    assert set(result.parts) == {"precision", "recall", "f"}
    assert result.parts["f"] == pytest.approx(result.score)
    assert result.segment_parts["recall"].shape == (4,)
    assert result.signature.startswith("metric:bertscore|nrefs:1")
    assert result.higher_is_better
    assert repr(result) == f"<{GREEDY}: {result.score:.4f}, 4 texts>"
    assert json.loads(json.dumps(result)) == dict(result)


def test_corpus_parts_are_those_of_sacrebleu() -> None:
    result = monge.score(OUTPUTS, REFERENCES, metric="bleu")
    theirs = sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES])
    assert result.score == pytest.approx(theirs.score, abs=1e-10)
    assert [result.parts[f"precision{n}"] for n in (1, 2, 3, 4)] == pytest.approx(theirs.precisions)
    assert result.parts["brevity_penalty"] == theirs.bp


def test_the_interval_is_that_of_the_command_line() -> None:
    result = monge.score(OUTPUTS, REFERENCES, metric="chrf")
    low, high = result.interval()
    assert low <= result.score <= high
    metric = monge.load_metric("chrf")
    assert (high - low) / 2 == pytest.approx(
        bootstrap_half_width(metric, result.segments, metric.score(result.segments))
    )
    assert result.interval(0.5)[0] > low
    with pytest.raises(monge.MongeError, match="between 0 and 1"):
        result.interval(95)


def test_frames_hold_one_row_per_text() -> None:
    frame = monge.score(OUTPUTS, REFERENCES, metric=GREEDY).to_frame()
    assert list(frame.columns) == ["id", "hypothesis", "reference", "score", "precision", "recall", "f", "notes"]
    assert len(frame) == 4
    several = monge.score(OUTPUTS, REFERENCES, metrics=["chrf", "rougeL"]).to_frame()
    assert list(several.columns) == ["id", "hypothesis", "reference", "chrf", "rougeL"]


def test_several_metrics_give_one_entry_each() -> None:
    result = monge.score(OUTPUTS, REFERENCES, metrics=["bleu", f"greedy:={GREEDY}"], lowercase=True)
    assert list(result) == ["bleu", "greedy"]
    assert result.score == {"bleu": result["bleu"].score, "greedy": result["greedy"].score}
    assert "case:lc" in result["bleu"].signature
    assert set(result.interval(draws=10)) == set(result.parts) == set(result.notes) == set(result.signature)
    assert repr(result).startswith("<bleu: ")
    for wrong in ([], [3]):
        with pytest.raises(monge.MongeError, match="metrics"):
            monge.score(OUTPUTS, REFERENCES, metrics=wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        (pd.Series(OUTPUTS), pd.Series(REFERENCES)),
        (pl.Series(OUTPUTS), pl.Series([[text] for text in REFERENCES])),
        (iter(OUTPUTS), (text for text in REFERENCES)),
        (tuple(OUTPUTS), np.array(REFERENCES)),
        (pd.DataFrame({"output": OUTPUTS})["output"], [[text] for text in REFERENCES]),
    ],
    ids=["pandas", "polars", "generators", "numpy", "frame"],
)
def test_texts_come_from_any_iterable(hypotheses: object, references: object) -> None:
    result = monge.score(hypotheses, references, metric="chrf")  # type: ignore[call-overload]
    assert result == monge.score(OUTPUTS, REFERENCES, metric="chrf")


def test_one_string_is_one_text() -> None:
    assert monge.score("a b c", "a b c", metric="chrf").score == 100
    assert monge.score("a b c", ["x", "a b c"], metric="rouge1").score == 1
    assert len(monge.score("a b c", "a b c", metric="chrf", sources="x").segments) == 1
    with pytest.raises(monge.MongeError, match="one text"):
        monge.score(OUTPUTS, "a b c", metric="chrf")


def test_references_in_the_layout_of_sacrebleu_are_explained() -> None:
    with pytest.raises(monge.MongeError, match=r"list\(zip\(\*references\)\)"):
        monge.score(OUTPUTS, [REFERENCES], metric="bleu")


def test_what_other_packages_call_things_is_noted() -> None:
    result = monge.score(
        OUTPUTS, REFERENCES, metric="BERTScore", lang="en", model_type="hashed", num_layers=1, idf=True
    )
    assert result == monge.score(
        OUTPUTS, REFERENCES, metric="bertscore", language="en", encoder="hashed", layers=1, weighting="idf"
    ) | {"notes": result.notes}
    assert result.notes["score"] == [
        "option 'lang' is called 'language' here, and does not choose the encoder",
        "option 'model_type' is called 'encoder' here",
        "option 'num_layers' is called 'layers' here",
        "option 'idf' is called 'weighting=idf' here",
    ]


def test_batches_and_the_cache_change_no_number(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    around = Environment(cache_directory=tmp_path)
    options = {"metric": GREEDY, "environment": around}
    whole = monge.score(OUTPUTS, REFERENCES, cache=False, **options)
    assert not list(tmp_path.rglob("*"))
    assert capfd.readouterr().err == ""
    for _ in range(2):  # the second time from the journal
        parts = monge.score(OUTPUTS, REFERENCES, batch_size=3, progress=True, **options)
        assert parts.scores == pytest.approx(whole.scores, abs=1e-12)
    assert "4/4" in capfd.readouterr().err
    assert list(tmp_path.rglob("*"))
    with pytest.raises(monge.MongeError, match="batch_size"):
        monge.score(OUTPUTS, REFERENCES, batch_size=0, metric="chrf")


def test_missing_scores_stay_missing() -> None:
    result = monge.score(["a", ""], ["a", ""], metric="we,encoder=hashed")
    low, high = result.interval()
    assert math.isnan(low)  # one score says nothing about the spread
    assert math.isnan(high) == math.isnan(low)


def test_results_travel_between_processes() -> None:
    result = monge.score(OUTPUTS, REFERENCES, metric="rouge1")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.scores.tolist() == result.scores.tolist()
    assert again.interval() == result.interval()


def test_a_training_loop_gets_floats_and_keeps_nothing(tmp_path: Path) -> None:
    around = Environment(cache_directory=tmp_path)
    scorer = monge.Scorer(["bleu", GREEDY], prefix="eval_", environment=around)
    before = sorted(os.listdir(tmp_path))
    for _ in range(2):
        values = scorer(OUTPUTS, REFERENCES)
        assert list(values) == ["eval_bleu", f"eval_{GREEDY}"]
        assert all(type(value) is float for value in values.values())
    assert sorted(os.listdir(tmp_path)) == before
    assert values["eval_bleu"] == pytest.approx(monge.score(OUTPUTS, REFERENCES, metric="bleu").score)
    assert set(scorer.signatures) == set(values)
    with pytest.raises(monge.MongeError, match="at least one"):
        monge.Scorer([])


@pytest.mark.parametrize(
    "make",
    [
        lambda: monge.score(OUTPUTS, REFERENCES, metric=GREEDY),
        lambda: monge.score("a <b>", "a", metric="chrf"),
        lambda: monge.score(OUTPUTS, REFERENCES, metrics=["bleu", "ter"]),
        lambda: monge.compare({"A": OUTPUTS, "B": OUTPUTS[::-1]}, REFERENCES, metrics=["chrf", "ter"]),
        lambda: monge.compare({"A": OUTPUTS, "B": OUTPUTS[::-1]}, REFERENCES, metrics="chrf")["chrf"],
        lambda: monge.explain("a red boat", "a blue boat", metric="emd,encoder=hashed"),
        lambda: monge.explain("a red boat", "a blue boat", metric="chrf"),
        lambda: monge.correlate(
            [{"hypothesis": "a b c"[:n], "reference": "a b c", "human": n} for n in (1, 3, 5)], metrics="chrf", draws=0
        ),
    ],
)
def test_notebooks_show_every_result(make: Callable[[], object]) -> None:
    result = make()
    html = result._repr_html_()  # type: ignore[attr-defined]
    assert html.startswith("<style>")
    assert "<script" not in html
    assert html.count("<div") == html.count("</div>")
    assert len(repr(result)) < 120
