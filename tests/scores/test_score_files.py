"""Tables of scores in every form, and every fault named."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from monge.errors import InputError
from monge.scores import ScoreTable
from monge.scores.files import read_scores

WIDE = "id\tA\tB\ttype\n1\t0.5\t0.25\tnews\n2\t0.75\t\tchat\n"
LONG = "system,id,score,type\nA,1,0.5,news\nA,2,0.75,chat\nB,1,0.25,news\n"
OBJECTS = (
    '{"system": "A", "id": 1, "score": 0.5, "type": "news"}\n\n'
    '{"system": "A", "id": 2, "score": 0.75, "type": "chat"}\n'
    '{"system": "B", "id": 1, "score": 0.25, "type": "news"}\n{"system": "B", "id": 2, "score": null, "type": "chat"}\n'
)
WIDE_OBJECTS = '{"id": "1", "A": 0.5, "B": 0.25, "type": "news"}\n{"id": "2", "A": 0.75, "B": null, "type": "chat"}\n'
RESULTS = json.dumps(
    [
        {
            "system": s,
            "metric": "",
            "score": 1.0,
            "signature": "",
            "segments": [{"id": i, "score": v, "type": t} for i, v, t in rows],
        }
        for s, rows in (
            ("A", [("1", 0.5, "news"), ("2", 0.75, "chat")]),
            ("B", [("1", 0.25, "news"), ("2", None, "chat")]),
        )
    ]
)


@pytest.mark.parametrize(
    "text", [WIDE, LONG, OBJECTS, WIDE_OBJECTS, RESULTS], ids=["wide", "long", "jsonl", "wide jsonl", "json"]
)
def test_all_forms_hold_the_same_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores"
    path.write_text(text, encoding="utf-8")
    (table,) = read_scores(path).values()
    assert table.systems == ("A", "B")
    assert table.segments == ("1", "2")
    assert np.array_equal(table.values, [[0.5, 0.75], [0.25, np.nan]], equal_nan=True)
    assert table.types == ("news", "chat")
    assert table.higher_is_better


def test_gzip_quotes_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress('\ufeffid,"A, large",B\n"x, 1",1,2\n'.encode()))
    (table,) = read_scores(path).values()
    assert table.systems == ("A, large", "B")
    assert table.segments == ("x, 1",)


def test_the_id_need_not_come_first(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"A": 0.5, "B": 0.7, "id": 1}\n{"B": 0.1, "id": 2, "A": 0.2}\n', encoding="utf-8")
    (table,) = read_scores(path).values()
    assert table.systems == ("A", "B")
    assert table.segments == ("1", "2")
    assert table.values.tolist() == [[0.5, 0.2], [0.7, 0.1]]


def test_instances_of_several_parts_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("part\tsystem\tid\tscore\nde-en\tA\t1\t0.5\ncs-en\tA\t1\t0.75\n", encoding="utf-8")
    (table,) = read_scores(path).values()
    assert table.segments == ("de-en 1", "cs-en 1")


def test_scores_made_in_two_ways_are_not_one_table(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"

    def write(*signatures: str) -> None:
        segments = [{"id": "1", "score": 0.5}]
        pairs = zip("AB", signatures, strict=True)
        results = [{"system": s, "metric": "m", "signature": g, "segments": segments} for s, g in pairs]
        path.write_text(json.dumps(results), encoding="utf-8")

    write("metric:m|encoder:minilm|version:1", "metric:m|encoder:mpnet|version:1")
    with pytest.raises(InputError, match="m of system 'B': made with encoder mpnet, other scores of it with minilm"):
        read_scores(path)
    fitted = "metric:m|weighting:idf(references={})|lambda_c:1.0*{}"
    write(fitted.format("aa", 0.5), fitted.format("bb", 0.6))
    assert read_scores(path)["m"].signature == fitted.format("aa", 0.5)


def test_parts_may_have_different_numbers_of_references(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"

    def write(*rows: tuple[str, str, int]) -> None:
        lines = [f"{part}\t{system}\t1\tbleu\t0.5\tmetric:bleu|nrefs:{nrefs}" for part, system, nrefs in rows]
        path.write_text("\n".join(["part\tsystem\tid\tmetric\tscore\tsignature", *lines]), encoding="utf-8")

    write(("de-en", "A", 1), ("de-en", "B", 1), ("zh-en", "A", 2), ("zh-en", "B", 2))
    assert read_scores(path)["bleu"].segments == ("de-en 1", "zh-en 1")
    write(("de-en", "A", 1), ("de-en", "B", 1), ("zh-en", "A", 2), ("zh-en", "B", 1))
    with pytest.raises(InputError, match="bleu of system 'B': made with nrefs 1, other scores of it with 2"):
        read_scores(path)


def test_several_metrics_make_several_tables(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,metric,A,B\n1,bleu,10,20\n1,ter,0.5,0.4\n2,bleu,30,40\n", encoding="utf-8")
    tables = read_scores(path)
    assert list(tables) == ["bleu", "ter"]
    assert tables["bleu"].segments == ("1", "2")
    assert tables["ter"].segments == ("1",)


def test_direction_comes_from_the_caller_or_the_result(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(WIDE, encoding="utf-8")
    assert not read_scores(path, higher_is_better=False)[""].higher_is_better
    results = [
        {
            "system": "A",
            "metric": "ter",
            "higher_is_better": False,
            "signature": "metric:ter",
            "segments": [{"id": "1", "score": 1}],
        }
    ]
    path.write_text(json.dumps(results), encoding="utf-8")
    table = read_scores(path)["ter"]
    assert not table.higher_is_better
    assert table.signature == "metric:ter"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\tA\n1\tx\n", r"line 2, column 'A': 'x' is not a number"),
        ("id\tA\n1\tinf\n", r"line 2, column 'A': infinite score 'inf'"),
        ("id\tA\n1\t2\t3\n", r"line 2: 3 cells where 2 columns are named"),
        ("id\tA\tA\n1\t2\t3\n", r"column 'A' appears twice"),
        ("id\tA\n1\t2\n1\t3\n", r"line 3: instance '1' of system 'A' appears a second time"),
        ("just text\n", r"needs two columns or more"),
        ("id\tA\n", r"holds no scores"),
        ("system\tname\tscore\nA\t1\t2\n", r"line 2: a score needs the name of its system and instance"),
        ("system\tid\tscore\n\t1\t2\n", r"line 2: a score needs the name of its system and instance"),
        ("id\tA\ttype\n1\t2\tx\n2\t2\tx\n", None),
        ("system\tid\tscore\ttype\nA\t1\t2\tx\nB\t1\t2\ty\n", r"line 3: instance '1' is 'y' here but 'x' before"),
        ("{broken\n", r"line 1: not JSON"),
        ('{"id": 1, "A": true}\n', r"line 1, column 'A': True is not a number"),
        ("[1, [2]]\n", r"no scores are found in this JSON"),
        ('[{"system": "A", "metric": "m"}]\n', r"no column of scores beside system, metric"),
        ('[{"system": "A", "segments": []}]\n', r"result 1 has no 'metric'"),
        ('id,A\n"1,2\n', r"line 2: not a table"),
        ('\n{"id": 1, "A": "x"}\n', r"line 2, column 'A': 'x' is not a number"),
        ("system\tid\tscore\thigher_is_better\nA\t1\t2\tyes\n", r"line 2, column 'higher_is_better': 'yes' is neither"),
        (
            "system\tid\tscore\thigher_is_better\nA\t1\t2\ttrue\nB\t1\t2\tfalse\n",
            r"line 3: score is better when lower, but when higher above",
        ),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str | None) -> None:
    path = tmp_path / "scores"
    path.write_text(text, encoding="utf-8")
    if message is None:
        read_scores(path)
        return
    with pytest.raises(InputError, match=message):
        read_scores(path)


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_scores(tmp_path / "nothing.tsv")
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match="empty"):
        read_scores(tmp_path / "empty")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "JSON nested too deeply"),
        ('{"id": "1", "system": "a", "score": ' + "1" * 5000 + "}", "line 1: a number of thousands of digits"),
        ('{"id": "1", "system": "a", "score": ' + "1" * 400 + "}", "is not a number"),
    ],
)
def test_json_beyond_reading_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_scores(path)


def read_text(folder: Path, text: str) -> ScoreTable:
    path = folder / "scores"
    path.write_text(text, encoding="utf-8")
    (table,) = read_scores(path).values()
    return table


def test_rows_named_system_are_systems(tmp_path: Path) -> None:
    """Columns are instances then, and the note says so; they were taken for systems, and rows for instances."""
    table = read_text(tmp_path, "system\ts1\ts2\ts3\nA\t0.5\t0.75\t\nB\t0.25\t0.5\t1\n")
    assert table.systems == ("A", "B")
    assert table.segments == ("s1", "s2", "s3")
    assert np.array_equal(table.values, [[0.5, 0.75, np.nan], [0.25, 0.5, 1]], equal_nan=True)
    assert table.notes == (
        "the scores were read as one system per row (named by column 'system'), one instance per column "
        "(2 systems, 3 instances)",
    )


@pytest.mark.parametrize(
    ("text", "systems", "layout"),
    [
        ("Model,s1,s2\nA,1,2\nB,3,4\n", ("A", "B"), "one system per row (named by column 'Model')"),
        ("metric,system,s1,s2\nm,A,1,2\nm,B,3,4\n", ("A", "B"), "one system per row (named by column 'system')"),
        ('{"s1": 1, "s2": 2, "system": "A"}\n{"s1": 3, "system": "B"}\n', ("A", "B"), "one system per row"),
        ("id,model,rival\n1,1,2\n2,3,4\n", ("model", "rival"), "one instance per row (named by column 'id')"),
        ("name,model,rival\n1,1,2\n2,3,4\n", ("model", "rival"), "one instance per row (named by column 'name')"),
        (WIDE, ("A", "B"), "one system per column, type in column 'type' (2 systems, 2 instances)"),
        (LONG, ("A", "B"), "one score per row (system: column 'system', instance: column 'id'), type in column 'type'"),
        (RESULTS, ("A", "B"), "results of monge score (2 systems, 2 instances)"),
    ],
)
def test_how_a_table_was_read_is_reported(tmp_path: Path, text: str, systems: tuple[str, ...], layout: str) -> None:
    table = read_text(tmp_path, text)
    assert table.systems == systems
    (note,) = table.notes
    assert layout in note


@pytest.mark.parametrize("by", ["instances", "systems", "long"])
def test_every_layout_comes_back_as_it_was_written(tmp_path: Path, by: str) -> None:
    rng = np.random.default_rng(0)
    systems, segments = ("A", "system", "b c"), tuple(f"s{n}" for n in range(7))
    values = rng.normal(size=(3, 7)).round(3)
    rows: dict[str, list[list[object]]] = {
        "instances": [["id", *systems], *([name, *values[:, n]] for n, name in enumerate(segments))],
        "systems": [["system", *segments], *([name, *values[s]] for s, name in enumerate(systems))],
        "long": [["system", "id", "score"]]
        + [[name, own, values[s, n]] for s, name in enumerate(systems) for n, own in enumerate(segments)],
    }
    table = read_text(tmp_path, "".join("\t".join(map(str, row)) + "\n" for row in rows[by]))
    assert (table.systems, table.segments) == (systems, segments)
    assert np.array_equal(table.values, values)


def test_types_belong_to_instances_not_to_systems(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: column 'type' gives the type of an instance, but here every row"):
        read_text(tmp_path, "system\ts1\ttype\nA\t1\tnews\n")


def test_scores_of_whole_systems_are_kept(tmp_path: Path) -> None:
    results = [
        {"system": s, "metric": "bleu", "part": part, "score": total, "segments": [{"id": "1", "score": 0.5}]}
        for s, part, total in (("A", "", 31.5), ("B", "", 29.0))
    ]
    table = read_text(tmp_path, json.dumps(results))
    assert table.name == "bleu"
    assert table.totals == {"A": 31.5, "B": 29.0}
    long = "system\tid\tscore\tlevel\nA\t1\t0.5\tsegment\nA\t\t31.5\tsystem\n"
    assert read_text(tmp_path, long).totals == {"A": 31.5}
    with pytest.raises(InputError, match="line 3, column 'level': 'corpus' is neither segment nor system"):
        read_text(tmp_path, long.replace("31.5\tsystem", "31.5\tcorpus"))
    parts = [{**results[0], "part": "de-en"}, {**results[0], "part": "cs-en"}]
    assert read_text(tmp_path, json.dumps(parts)).totals == {}


def test_a_table_without_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("0.5,0.25\n0.75,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: numbers where the names of the columns are expected"):
        read_scores(str(path))


@pytest.mark.parametrize(
    ("text", "systems", "segments"),
    [
        ("A,B\n0.5,0.6\n0.4,0.3\n", ("A", "B"), ("1", "2")),
        ("A\tB\n1\t2\n1\t3\n2\t1\n", ("A", "B"), ("1", "2", "3")),
        ("line,A,B\n10,0.6,1\n20,0.3,2\n", ("A", "B"), ("10", "20")),
        ("name,A,B\nx,0.6,1\ny,0.3,2\n", ("A", "B"), ("x", "y")),
    ],
)
def test_a_first_column_of_scores_is_no_name(
    tmp_path: Path, text: str, systems: tuple[str, ...], segments: tuple[str, ...]
) -> None:
    path = tmp_path / "scores"
    path.write_text(text, encoding="utf-8")
    (table,) = read_scores(path).values()
    assert (table.systems, table.segments) == (systems, segments)
    assert ("numbered" in table.notes[0]) is (segments[0] == "1")
