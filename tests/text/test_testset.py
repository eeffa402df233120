"""Test sets: parallel files, JSONL and TSV, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from monge.errors import InputError
from monge.text import Segment, TestSet, make_segments, read_parallel, read_table, write_jsonl


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_parallel_files(tmp_path: Path) -> None:
    hypotheses = [write(tmp_path / "a.txt", "h1\nh2\n"), write(tmp_path / "b.txt", "g1\ng2\n")]
    references = [write(tmp_path / "r1", "r1\nr2\n"), write(tmp_path / "r2", "s1\ns2\n")]
    source = write(tmp_path / "src", "q1\nq2")
    test_set = read_parallel(hypotheses, references, source)
    assert test_set.systems == ("a", "b")
    assert test_set.by_system()["b"] == [
        Segment("g1", ("r1", "s1"), "q1", id="1", system="b"),
        Segment("g2", ("r2", "s2"), "q2", id="2", system="b"),
    ]
    assert len(test_set) == 4


def test_unequal_files_are_told_with_both_counts(tmp_path: Path) -> None:
    short, long = write(tmp_path / "hyp.txt", "1\n2\n"), write(tmp_path / "ref.txt", "1\n2\n3\n4\n")
    with pytest.raises(InputError) as caught:
        read_parallel([short], [long])
    assert str(caught.value) == f"{short} has 2 lines but {long} has 4: line 3 of {long} has no partner in {short}"
    with pytest.raises(InputError, match=r"line 3 of .*ref\.txt has no partner in .*hyp\.txt$"):
        read_parallel([long], [short])
    with pytest.raises(InputError, match=r"ref\.txt has 4"):
        read_parallel([short], [short], long)


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only once"):
        read_parallel(["-"], ["-"])
    with pytest.raises(InputError, match="no hypothesis file"):
        read_parallel([], [write(tmp_path / "r", "x")])


def test_jsonl(tmp_path: Path) -> None:
    path = write(
        tmp_path / "set.jsonl",
        '{"id": 7, "system": "x", "source": "q", "hypothesis": "h", "references": ["a", "b"], "document": "d"}\n'
        "\n"
        '{"system": "x", "hypothesis": "", "references": "only"}\n'
        '{"hypothesis": "h", "reference": "one", "score": 3}\n'
        '{"hypothesis": "no reference", "references": null}\n',
    )
    assert read_table(path).segments == (
        Segment("h", ("a", "b"), "q", id="7", system="x", document="d"),
        Segment("", ("only",), None, id="2", system="x"),
        Segment("h", ("one",), None, id="1", system="set"),  # named after the file
        Segment("no reference", (), None, id="2", system="set"),
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", r"line 2: not JSON \(.* at column 2\)"),
        ("[1]", "line 2: a JSON object is expected, not a list"),
        ('{"hypotesis": "x"}', r"line 2: no field 'hypothesis' \(did you mean 'hypotesis'\?\)"),
        ('{"hypothesis": null}', "line 2: field 'hypothesis' must be text, not null"),
        ('{"hypothesis": "x", "references": ["a", 3]}', r"line 2: field 'references\[2\]' must be text, not a number"),
        ('{"hypothesis": "x", "reference": {}}', "line 2: field 'reference' must be text, not an object"),
        ('{"hypothesis": "x", "reference": "a", "references": ["b"]}', "line 2: both 'references' and 'reference'"),
        ('{"hypothesis": "x", "id": true}', "line 2: field 'id' must be text or a whole number, not true or false"),
        ('{"hypothesis": "x", "source": 1.5}', "line 2: field 'source' must be text, not a number"),
        (r'{"hypothesis": "a\ud83d"}', r"line 2: field 'hypothesis' contains a lone surrogate \(U\+D83D\)"),
        (r'{"hypothesis": "x", "system": "\udc00"}', r"line 2: field 'system' contains a lone surrogate \(U\+DC00\)"),
        ('{"hypothesis": "x", "id": "1"}', "segment id '1' appears twice in system 'bad'"),
        ("[" * 100_000, "line 2: JSON nested too deeply"),
    ],
)
def test_jsonl_faults_name_file_line_and_field(tmp_path: Path, line: str, complaint: str) -> None:
    path = write(tmp_path / "bad.jsonl", '{"hypothesis": "fine", "id": "1"}\n' + line + "\n")
    with pytest.raises(InputError, match=rf"bad\.jsonl.*{complaint}"):
        read_table(path)


def test_blank_jsonl_holds_no_segment(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no segments"):
        read_table(write(tmp_path / "blank.jsonl", "\n \n"))


def test_records_come_back(tmp_path: Path) -> None:
    test_set = TestSet(
        (
            Segment("h\twith\ttabs\nand lines", ("a", ""), "q", id="1", system="x", document="d"),
            Segment("", (), None, id="2", system="x"),
            Segment("\u2028 ¿ 猫 🙂", ("r",), "", id="1", system="y"),
        )
    )
    path = tmp_path / "set.jsonl.gz"
    write_jsonl(path, test_set.records())
    again = read_table(path)
    assert [s.hypothesis for s in again.segments] == [s.hypothesis for s in test_set.segments]
    assert again == test_set


def test_tsv_with_header(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        'ID\tSystem\tHypothesis\treference1\tReference 2\thuman\n1\tx\tsays "hi"\ta\tb\t0.5\n2\tx\th\ta\t\t0.1\n',
    )
    assert read_table(path).segments == (
        Segment('says "hi"', ("a", "b"), None, id="1", system="x"),
        Segment("h", ("a",), None, id="2", system="x"),
    )


def test_a_table_without_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no segments"):
        read_table(write(tmp_path / "t.tsv", "source\treference\thypothesis\n"))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_columns_with_usual_names(tmp_path: Path, kind: str) -> None:
    rows = [["Seg_ID", "model", "src", "prediction", "target"], ["7", "x", "s", "h, h", "r"]]
    text = {
        "csv": "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows),
        "tsv": "\n".join("\t".join(row) for row in rows),
        "jsonl": json.dumps(dict(zip(*rows, strict=True))),
    }[kind]
    assert read_table(write(tmp_path / f"t.{kind}", text)).segments == (Segment("h, h", ("r",), "s", "7", "x"),)


def test_samples_of_lm_eval(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {"q": 1}, "target": 5, "resps": [["so 5"]], "filtered_resps": ["5"], "acc": 1.0}
    path = write(tmp_path / "samples.jsonl", json.dumps(sample))
    assert read_table(path).segments == (Segment("5", ("5",), id="0", system="samples"),)


def test_an_only_reference_may_be_empty(tmp_path: Path) -> None:
    assert read_table(write(tmp_path / "t.tsv", "hypothesis\treference\nh\t\n")).segments[0].references == ("",)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hypotesis\treference\na\tb\n", r"no field 'hypothesis' \(did you mean"),
        ("left\tright\na\tb\n", "line 2: no field 'hypothesis'; there are left, right$"),
        ("hypothesis\treference\na\tb\tc\n", "line 2: 3 cells where 2 columns are named"),
        ("hypothesis\thypothesis\na\tb\n", "column 'hypothesis' appears twice"),
    ],
)
def test_tsv_faults(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_table(write(tmp_path / "t.tsv", text))


def test_a_table_may_be_a_json_array(tmp_path: Path) -> None:
    rows = [{"prediction": "a", "target": "b"}, {"prediction": "c", "target": "d"}]
    lines = read_table(write(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))).segments
    for indent in (None, 2):
        assert read_table(write(tmp_path / "t.json", "\n" + json.dumps(rows, indent=indent) + "\n")).segments == lines
    for text, complaint in (
        ('\n[{"hypothesis": "a"},\n 3]', "t.json, entry 2: a JSON object is expected, not a number"),
        ('[{"hypothesis": "a"},\n {"hypothesis" 3}]', r"t.json: not JSON \(.* at line 2, column 16\)"),
        ("[]", "contains no segments"),
    ):
        with pytest.raises(InputError, match=complaint):
            read_table(write(tmp_path / "t.json", text))


def test_records_are_plain(tmp_path: Path) -> None:
    record = TestSet((Segment("h", ("r",), id="1"),)).records()[0]
    assert json.loads(json.dumps(record)) == {"id": "1", "hypothesis": "h", "references": ["r"]}


def test_a_number_beyond_reading_is_told(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"hypothesis": "x", "id": ' + "1" * 5000 + "}\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: a number of thousands of digits"):
        read_table(path)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((["a", "b"], ["x", None]), "references of text 2 must be a sequence of texts, not NoneType"),
        ((["a"], [5]), "references of text 1 must be a sequence of texts, not int"),
        ((["a"], ["x"], [5]), "a source must be text, not int"),
    ],
)
def test_lists_with_holes_are_told(arguments: tuple[list[Any], ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        make_segments(*arguments)


def test_no_references_are_an_empty_sequence() -> None:
    with pytest.raises(InputError, match="not NoneType"):
        Segment("a", None)  # type: ignore[arg-type]


def test_document_ids_of_plain_files(tmp_path: Path) -> None:
    texts, ids = write(tmp_path / "h", "a\nb\nc\n"), write(tmp_path / "ids", "news 1\nnews 1\nnews 2\n")
    found = read_parallel([texts], [texts], None, ids)
    assert [segment.document for segment in found.segments] == ["news 1", "news 1", "news 2"]
    assert [segment.source for segment in found.segments] == [None] * 3
    with pytest.raises(InputError, match=r"h has 3 lines but .*short has 2"):
        read_parallel([texts], [texts], None, write(tmp_path / "short", "x\nx\n"))
    with pytest.raises(InputError, match="gap, line 2: there is no document id"):
        read_parallel([texts], [texts], texts, write(tmp_path / "gap", "x\n \nx\n"))
