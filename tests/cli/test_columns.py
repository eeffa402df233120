"""Parquet and Arrow in and out, on disk and behind URLs."""

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from monge.cli import main
from monge.engine.columns import write_score_columns
from monge.engine.inputs import spool_columnar
from monge.errors import InputError, OptionError
from monge.storage.urls import open_filesystem

ROWS = {
    "system": ["a", "a", "b"],
    "id": ["x", "y", "x"],
    "hypothesis": ["the boy ran", "a dog", "the boy walked"],
    "references": [["the boy ran", "a boy ran"], ["the dog"], ["the boy ran"]],
    "human": [1.0, 2.0, 3.0],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    table = pyarrow.table(ROWS)
    pyarrow.parquet.write_table(table.slice(0, 2), tmp_path / "part-0.parquet")
    with pyarrow.ipc.new_file(tmp_path / "part-1.arrow", table.schema) as writer:
        writer.write_table(table.slice(2, 1))
    return tmp_path


def test_scores_of_columns_are_those_of_lines(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = data / "scores"
    main(["score", "--parquet", str(data / "part-*"), "-m", "chrf", "ter", "--output", str(out), "-q"])
    capsys.readouterr()
    table = pyarrow.parquet.read_table(out / "segments-00000.parquet").to_pydict()
    assert list(table) == ["system", "id", "chrf", "ter", "notes"]
    assert (table["system"], table["id"], table["ter"][0]) == (ROWS["system"], ROWS["id"], 0.0)
    lines = data / "rows.jsonl"
    with lines.open("w") as stream:
        for i in range(3):
            stream.write(json.dumps({name: column[i] for name, column in ROWS.items()}) + "\n")
    main(["score", "--jsonl", str(lines), "-m", "chrf", "ter", "--output", str(data / "one.arrow"), "-q"])
    with pyarrow.ipc.open_file(data / "one.arrow") as reader:
        assert reader.read_all().to_pydict() == table


def test_columns_behind_a_url(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("monge.engine.columns.PART_ROWS", 2)
    filesystem, root = open_filesystem("memory://columns")
    filesystem.pipe_file(f"{root}/in/a.parquet", (data / "part-0.parquet").read_bytes())
    filesystem.pipe_file(f"{root}/in/b.parquet", (data / "part-1.arrow").read_bytes())
    inputs = ["--parquet", "memory://columns/in/*.parquet"]
    main(["score", *inputs, "-m", "chrf", "--output", "memory://columns/out", "-q"])
    assert [name.rpartition("/")[2] for name in sorted(filesystem.ls(f"{root}/out", detail=False))] == [
        "segments-00000.parquet",
        "segments-00001.parquet",
    ]
    with filesystem.open(f"{root}/out/segments-00001.parquet") as stream:
        assert pyarrow.parquet.read_table(stream).to_pydict()["id"] == ["x"]


def test_what_cannot_be_read_is_named(data: Path, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("not a table", encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.table({"words": ["a"]}), tmp_path / "no.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"hypothesis": ["a", None]}), tmp_path / "null.parquet")
    for name, why in (
        ("text.parquet", "neither Parquet nor Arrow"),
        ("no.parquet", "row 1: no field .hypothesis."),
        ("null.parquet", "row 2: field 'hypothesis' must be text"),
        ("missing-*.parquet", "no file matches"),
        ("missing.parquet", "cannot read"),
    ):
        with pytest.raises(InputError, match=why):
            spool_columnar([str(tmp_path / name)])


def test_one_file_cannot_hold_segments_and_documents() -> None:
    from types import SimpleNamespace

    results = [SimpleNamespace(unit="segment"), SimpleNamespace(unit="document")]
    with pytest.raises(OptionError, match="name a folder"):
        write_score_columns("scores.parquet", results)  # type: ignore[arg-type]
