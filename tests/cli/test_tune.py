"""`monge tune`: a choice on some data, reported on others; bad input gets one sentence, and no choice."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from monge.cli import main

Run = Callable[..., tuple[int, str, str]]

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


def test_a_misspelt_option_is_reported_before_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "nothing.tsv", "-m", "bertscore", "--grid", "layrs=3"]) == 2
    assert "no option 'layrs' (did you mean 'layers'?)" in capsys.readouterr().err
    assert main(["tune", "nothing.tsv", "-m", "bertscore", "--grid", "layers=3"]) == 2
    assert "--report must name other sets" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["tune", "--help"])
    usage = capsys.readouterr().out.split("\n\n")[0]
    assert "--report DATA" in usage
    assert "[--report" not in usage


@pytest.mark.usefixtures("_files")
def test_a_choice_without_rivals_is_not_called_one_of_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "dev.tsv", "-m", "chrf", "--grid", "beta=1", "--report", "test.tsv", "--draws", "50"]) == 0
    out = capsys.readouterr().out
    assert "1 setting tried; chosen: chrf,beta=1" in out
    assert "not the only good one" not in out


def test_tune_chooses_on_one_set_and_reports_on_another(rated: Path, run: Run) -> None:
    lines = rated.read_text(encoding="utf-8").splitlines()
    Path("dev.tsv").write_text("\n".join(lines[:61]) + "\n", encoding="utf-8")
    Path("test.tsv").write_text("\n".join([lines[0], *lines[61:]]) + "\n", encoding="utf-8")
    arguments = ("tune", "dev.tsv", "-m", "chrf", "--grid", "char_order=1..3", "word_order=0,2", "--report", "test.tsv")
    status, out, err = run(*arguments, "--draws", "100", "-f", "json")
    assert status == 0, err
    record = json.loads(out)
    chosen = record["chosen_on"][0]["metrics"]
    assert len(chosen) == 6
    best = max(chosen, key=lambda m: m["average"]["value"])["metric"]
    assert " ".join(f"{k}={v}" for k, v in record["options"].items()) == best
    assert {m["metric"] for m in record["reported_on"][0]["metrics"]} == {"chosen", "as it was"}
    status, out, _ = run(*arguments, "--draws", "100")
    assert "no output of these sets is in dev.tsv" in out
    status, _, err = run(*arguments[:-1], "rated.tsv")
    assert status == 2
    assert "60 outputs of rated.tsv are among those of dev.tsv" in err
    status, _, err = run("tune", "dev.tsv", "-m", "chrf", "--grid", "char_order=1..3")
    assert status == 2
