"""`monge stress` as a person calls it."""

import json
import re
from pathlib import Path

import pytest

from monge.cli import main

QUICK = ["--attacks", "negation", "word order", "empty"]


def test_the_report_compares_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stress", "rouge1", "chrf", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "Notices" in shown
    assert "rouge1: often misses word order (50%)" in shown


def test_json_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stress", "chrf", "-f", "json", *QUICK]) == 0
    record = json.loads(capsys.readouterr().out)[0]
    assert record["attacks"]["empty"]["notices"]["share"] == 1.0
    assert main(["stress", "chrf", "-f", "markdown", *QUICK]) == 0
    assert "| attack | trials | chrf |" in capsys.readouterr().out


def test_own_texts_and_triples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.jsonl").write_text(
        '{"hypothesis": "he is old now", "references": ["he is old"]}\n', encoding="utf-8"
    )
    (tmp_path / "t.tsv").write_text("a b\ta c\tx y\n", encoding="utf-8")
    files = ["--texts", str(tmp_path / "t.jsonl"), "--triples", str(tmp_path / "t.tsv")]
    assert main(["stress", "chrf", "--attacks", "negation", *files]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"t\.tsv +1 +1\.00 \[0\.21, 1\.00\]", shown)


def test_mistakes_get_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.tsv").write_text("a b\ta c\n", encoding="utf-8")
    for arguments, message in (
        (["chrf", "--attacks", "negatio"], "negation"),
        (["chr", *QUICK], "chrf"),
        (["chrf", "--triples", str(tmp_path / "t.tsv")], "line 1"),
        (["chrf", "--texts", str(tmp_path / "no")], "cannot read"),
    ):
        assert main(["stress", *arguments]) == 2
        shown = capsys.readouterr().err
        assert message in shown
        assert shown.count("\n") == 1
