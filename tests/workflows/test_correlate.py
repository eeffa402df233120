"""`monge.workflows.correlate` from Python: the same answer for a file, rows and columns in memory."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.errors import InputError, MongeError, OptionError
from monge.scores import ScoreTable
from monge.workflows.agreement_options import AgreementOptions
from monge.workflows.correlate import CorrelateRequest, correlate, run_correlate
from monge.workflows.judged_data import JudgedData


def test_rows_columns_and_files_are_the_same_data(rows: list[dict[str, object]], tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    found = [correlate(data, metrics=["chrf", "ter"], draws=50) for data in (rows, columns, path, str(path))]
    values = [{m: a.value for m, a in result.study.averages.items()} for result in found]
    assert values == [values[0]] * 4
    assert [result.data for result in found] == ["rows", "rows", str(path), str(path)]
    assert found[0].signatures["chrf"].startswith("metric:chrf|")


def test_missing_values_of_a_data_frame_are_not_judged(rows: list[dict[str, object]]) -> None:
    holes = [{**row, "human": float("nan") if i < 6 else row["human"]} for i, row in enumerate(rows)]
    assert correlate(holes, metrics="chrf", draws=0).study.averages["chrf"].used == len(rows) - 6


def test_labels_options_and_statistics(rows: list[dict[str, object]]) -> None:
    metrics = ["short:=chrf,char_order=2", "chrf"]
    result = correlate(rows, metrics=metrics, statistic=["kendall", "pearson"], level="item", draws=0)
    assert [study.statistic.name for study in result.studies] == ["kendall", "pearson"]
    assert set(result.study.averages) == {"short", "chrf"}
    record = result.record()
    assert isinstance(record, list)
    assert [part["level"] for part in record] == ["item", "item"]
    json.dumps(record, allow_nan=False)


def test_tables_of_scores_need_no_texts(rows: list[dict[str, object]]) -> None:
    scored = correlate(rows, metrics="chrf", draws=0)
    ((_, tables),) = scored.scores
    bare = [{key: row[key] for key in ("id", "system", "human")} for row in rows]
    again = correlate(bare, scores=tables["chrf"], draws=0)
    assert again.study.averages["chrf"].value == scored.study.averages["chrf"].value
    with pytest.raises(OptionError, match="a table of scores needs a name"):
        correlate(bare, scores=[ScoreTable(("a",), ("1",), np.zeros((1, 1)))])


def test_scores_are_saved_even_where_the_study_fails(rows: list[dict[str, object]], tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    agreement = AgreementOptions(("soft-accuracy",), "segment")
    request = CorrelateRequest(JudgedData(rows), metrics=("chrf",), agreement=agreement, save_scores=path)
    with pytest.raises(OptionError, match="system level"):
        run_correlate(request)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1 + 3 + 60


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ([], {}, "there is no row"),
        (["a"], {}, "every row must map column names"),
        ({"hypothesis": ["a", "b"], "human": [1]}, {}, "columns differ in length"),
        ([{"hypothesis": "a"}], {}, "rows: no column of judgments among hypothesis"),
        ([{"hypothesis": 3, "human": 1}], {}, "row 1: 'hypothesis' must be text"),
        ([{"hypothesis": "a", "human": "x"}], {}, "row 1, column 'human': 'x' is not a number"),
        ([{"hypothesis": "a", "reference": "a", "human": 1}], {"sample": 2}, "fewer than 3 inputs"),
        ([{"hypothesis": "a", "reference": "a", "human": 1}], {"statistic": "pearsn"}, "did you mean 'pearson'"),
        ("nowhere.tsv", {}, "no such file, folder or data set"),
    ],
)
def test_mistakes_name_their_place(data: object, options: dict[str, object], message: str) -> None:
    with pytest.raises((InputError, OptionError), match=message) as caught:
        correlate(data, metrics="chrf", **options)  # type: ignore[arg-type]
    assert isinstance(caught.value, MongeError)
