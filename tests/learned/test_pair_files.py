"""Pairs with labels, in the forms in which people have them."""

import json

import pytest

from monge.errors import InputError, OptionError
from monge.learned.pair_files import count_classes, read_labelled_pairs

MNLI = "index\tpromptID\tpairID\tgenre\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label"
QNLI = "index\tquestion\tsentence\tlabel"
QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
PAWS = "id\tsentence1\tsentence2\tlabel"
STSB = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def write(path, header, rows):
    path.write_text("\n".join([header, *rows] if header else rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("header", "row", "task", "labels"),
    [
        (MNLI, "{i}\t1\t1n\tfiction\t(x)\t(y)\tA text.\tAnother.\tneutral\t{label}", "nli",
         ("entailment", "neutral", "contradiction")),
        (QNLI, "{i}\tA text.\tAnother.\t{label}", "nli", ("entailment", "not_entailment")),
        (QQP, "{i}\t1\t2\tA text.\tAnother.\t{label}", "paraphrase", ("0", "1")),
        (PAWS, "{i}\tb'A text.'\tb\"Another.\"\t{label}", "paraphrase", ("0", "1")),
        (STSB, "{i}\tmain\tfile\t2012\t3\tnone\tnone\tA text.\tAnother.\t{label}", "similarity", ("0.0", "2.5", "5.0")),
        (MRPC, "{label}\t7\t8\tA text.\tAnother.", "paraphrase", ("0", "1")),
        ("", "main\tMSR\t2012\t0001\t{label}\tA text.\tAnother.", "similarity", ("0.0", "2.5", "5.0")),
        ("", "A text.\tAnother.\t{label}", "nli", ("0", "1", "2")),
    ],
)  # fmt: skip
def test_public_sets(tmp_path, header, row, task, labels):
    rows = [row.format(i=i, label=labels[i % len(labels)]) for i in range(24)]
    data = read_labelled_pairs([write(tmp_path / "train.tsv", header, rows)], task)
    assert set(data.pairs) == {("A text.", "Another.")}
    if task == "similarity":
        assert data.targets[:3] == (0.0, 0.5, 1.0)
    else:
        assert len(data.classes) == len(labels)
        assert sum(count_classes(data).values()) == 24


def test_json_lines_and_commas(tmp_path):
    rows = [
        {"sentence1": "a", "sentence2": "b", "gold_label": ("neutral", "entailment", "-")[i % 3]} for i in range(60)
    ]
    data = read_labelled_pairs([write(tmp_path / "x.jsonl", "", [json.dumps(row) for row in rows])], "nli")
    assert len(data.pairs) == 40
    assert data.notes == ("20 lines without a decided label were left out",)
    rows = [f'"A text, here",another,{i % 6}.0' for i in range(30)]
    data = read_labelled_pairs([write(tmp_path / "x.csv", "", rows)], "similarity")
    assert data.pairs[0] == ("A text, here", "another")
    assert data.targets[1] == pytest.approx(0.2)


def test_a_broken_line_is_left_out_and_said(tmp_path):
    rows = [f"{i}\t1\t2\tA\tB\t{i % 2}" for i in range(30)] + ["31\t1\t2\tA"]
    data = read_labelled_pairs([write(tmp_path / "x.tsv", QQP, rows)], "paraphrase")
    assert data.notes == ("1 lines with another number of cells were left out",)


@pytest.mark.parametrize(
    ("header", "rows", "task", "message"),
    [
        ("", ["one\ttwo\t1"] * 5, "paraphrase", "too few"),
        ("", ["one\ttwo\t1"] * 30, "paraphrase", "all 30 pairs have the label '1'"),
        ("", ["one\ttwo\t3"] * 30, "similarity", "all 30 pairs have the similarity 3"),
        ("", ["one\ttwo\tx"] * 30, "similarity", "line 1: the similarity 'x' is not a number"),
        ("", ["one\ttwo\tmaybe"] * 30, "paraphrase", "line 1: the label 'maybe'"),
        ("", [f"one\ttwo\t{'xyzw'[i % 4]}" for i in range(30)], "nli", "4 different labels"),
        ("", ["one\ttwo"] * 30, "nli", "no column for"),
        (QQP, [f"{i}\tA\tB" for i in range(30)], "paraphrase", "30 lines have another number of cells"),
    ],
)
def test_bad_files(tmp_path, header, rows, task, message):
    with pytest.raises(InputError, match=message):
        read_labelled_pairs([write(tmp_path / "x.tsv", header, rows)], task)


def test_bad_requests(tmp_path):
    with pytest.raises(OptionError, match="task must be one of"):
        read_labelled_pairs([tmp_path / "x.tsv"], "nil")
    with pytest.raises(InputError, match="line 1: not a JSON object"):
        read_labelled_pairs([write(tmp_path / "x.jsonl", "", ["[1"])], "nli")
    with pytest.raises(InputError, match="no field for"):
        read_labelled_pairs([write(tmp_path / "x.jsonl", "", ['{"a": "x"}'])], "nli")
