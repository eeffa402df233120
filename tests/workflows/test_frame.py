"""Data frames of pandas, polars and Dask: the scores are those of monge.score."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import monge
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError

dd = pytest.importorskip("dask.dataframe")

WORDS = ["boy", "girl", "dog", "cat", "man"]
OUTPUTS = [f"the {word} ran {'home' if n % 2 else 'away'} quickly" for n, word in enumerate(WORDS)]
REFERENCES = [f"a {word} walked home" for word in ["boy", "girl", "bird", "cat", "woman"]]
METRICS = ["chrf", "bertscore,encoder=hashed", "yisi1,encoder=hashed,layers=0"]


def make_frame(kind: str, **more: Any) -> Any:
    columns = {"prediction": OUTPUTS, "target": REFERENCES, **more}
    if kind == "polars":
        return pl.DataFrame(columns)
    frame = pd.DataFrame(columns, index=[10, 11, 12, 13, 14])
    return frame if kind == "pandas" else dd.from_pandas(frame, npartitions=3)


def compute(frame: Any) -> Any:
    return frame.compute(scheduler="synchronous") if hasattr(frame, "compute") else frame


@pytest.mark.parametrize("kind", ["pandas", "polars", "dask"])
def test_rows_score_as_texts_do(kind: str) -> None:
    """Also with idf, which is that of all rows and not of a partition."""
    result = monge.score_frame(make_frame(kind), METRICS)
    assert type(result) is type(make_frame(kind))
    expected = monge.score(OUTPUTS, REFERENCES, metrics=METRICS).scores
    found = compute(result)
    assert list(found.columns) == METRICS
    for metric in METRICS:
        np.testing.assert_array_equal(np.array(found[metric]), expected[metric])
    if kind != "polars":
        assert list(found.index) == [10, 11, 12, 13, 14]


def test_a_dask_frame_is_lazy_and_keeps_its_partitions() -> None:
    result = monge.score_frame(make_frame("dask"), "chrf")
    assert result.npartitions == make_frame("dask").npartitions
    assert str(result.dtypes["chrf"]) == "float64"


@pytest.mark.parametrize("kind", ["pandas", "polars", "dask"])
def test_columns_can_be_named(kind: str) -> None:
    others = [text.upper() for text in REFERENCES]
    frame = make_frame(kind, second=others, original=OUTPUTS)
    result = compute(monge.score_frame(frame, "chrf", hypothesis="original", references=["target", "second"]))
    expected = monge.score(OUTPUTS, list(zip(REFERENCES, others, strict=True)), metric="chrf").scores
    np.testing.assert_array_equal(np.array(result["chrf"]), expected)


def test_a_cell_may_hold_several_references() -> None:
    lists = [[text, text.upper()] for text in REFERENCES]
    frame = pd.DataFrame({"hypothesis": OUTPUTS, "references": lists})
    expected = monge.score(OUTPUTS, lists, metric="chrf").scores
    np.testing.assert_array_equal(monge.score_frame(frame, "chrf", references="references")["chrf"], expected)


@pytest.mark.parametrize("kind", ["pandas", "polars", "dask"])
def test_bad_frames_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="no column 'nothing'; there are prediction, target"):
        monge.score_frame(make_frame(kind), "chrf", references="nothing")
    frame = make_frame(kind, gappy=["a", None, "b", "c", "d"])
    with pytest.raises(InputError, match="column 'gappy', row 2: must be a text"):
        compute(monge.score_frame(frame, "chrf", references="gappy"))


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InputError, match="no column holds hypotheses"):
        monge.score_frame(pd.DataFrame({"x": ["a"]}), "chrf")
    with pytest.raises(OptionError, match="list is not a data frame"):
        monge.score_frame([1, 2], "chrf")


def test_what_workers_cannot_compute_is_refused() -> None:
    with pytest.raises(OptionError, match="encoders by name"):
        monge.score_frame(make_frame("dask"), "bertscore", encoder=HashedEncoder())
    with pytest.raises(OptionError, match="more than counts of all rows"):
        monge.score_frame(make_frame("dask"), "lazy_emd,encoder=hashed,lambda_unit=relative")


def test_more_rows_than_are_scored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.workflows.frame._ROWS", 2)
    found = compute(monge.score_frame(make_frame("dask"), METRICS))
    expected = monge.score(OUTPUTS, REFERENCES, metrics=METRICS).scores
    np.testing.assert_allclose(found[METRICS[1]], expected[METRICS[1]], rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask, when a cluster closes
def test_workers_of_a_cluster_score_a_frame() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster),
    ):
        found = monge.score_frame(make_frame("dask"), METRICS).compute()
    expected = monge.score(OUTPUTS, REFERENCES, metrics=METRICS).scores
    for metric in METRICS:
        np.testing.assert_array_equal(np.array(found[metric]), expected[metric])


def test_a_frame_without_rows_has_no_scores() -> None:
    frame = pd.DataFrame({"output": [], "reference": []})
    assert list(monge.score_frame(frame, ["chrf", "bleu"]).columns) == ["chrf", "bleu"]
