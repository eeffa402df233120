"""`monge tune` and `monge benchmark` on bad input: one sentence, and no choice where there is none."""

from pathlib import Path

import pytest

from monge.cli import main

ROWS = ["a b\ta c\t{}", "b c\tb c\t{}", "d e\tx y\t{}", "q\tq\t{}"]


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    for name, judgments, start in (("dev", "1203", ""), ("equal", "1111", ""), ("test", "1203", "new ")):
        rows = [start + row.format(human) for row, human in zip(ROWS, judgments, strict=True)]
        Path(f"{name}.tsv").write_text("hypothesis\treference\thuman\n" + "\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["tune", "equal.tsv", "--grid", "beta=1,2"],
            "can be chosen on equal.tsv: equal: judgments all equal",
        ),
        (["tune", "dev.tsv", "--grid", "beta=1,2", "beta=3"], "beta is given twice"),
        (["benchmark", "quick", "--data", "dev.tsv", "--no-curves", "--folder", "dev.tsv"], "monge: dev.tsv"),
    ],
)
def test_mistakes_get_one_sentence(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "-m", "chrf", *(["--report", "test.tsv"] if arguments[0] == "tune" else [])]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("monge: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.usefixtures("_files")
def test_a_choice_without_rivals_is_not_called_one_of_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "dev.tsv", "-m", "chrf", "--grid", "beta=1", "--report", "test.tsv", "--draws", "50"]) == 0
    out = capsys.readouterr().out
    assert "1 setting tried; chosen: chrf,beta=1" in out
    assert "not the only good one" not in out
