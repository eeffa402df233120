"""The score command warns of texts that an encoder cannot read."""

import json
from pathlib import Path

import pytest

from monge.cli import main

ENGLISH, CHINESE = "the boy ran\nthe boat\n", "我们去公园散步.\n政府提高税率.\n"


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    Path("vectors.txt").write_text("the 1 0 0\nboy 0 1 0\nran 0 0 1\nboat 1 1 0\n. 1 1 1\n", encoding="utf-8")
    for name, content in (("ref", ENGLISH), ("good", ENGLISH), ("bad", CHINESE)):
        Path(f"{name}.txt").write_text(content, encoding="utf-8")
    return ["score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "we", "--encoder", "vectors.txt"]


def test_the_table_marks_the_score_and_shows_the_share(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    good, bad, *remarks = capsys.readouterr().out.splitlines()[2:]
    assert good.split() == ["good", "1.0000*"]
    assert bad.split() == ["bad", "0.0000!"]
    assert "! bad, we: 100 % of the words are unknown to the encoder" in remarks
    assert any(line.startswith("note: bad, we: hypothesis: 100 % of the words unknown") for line in remarks)


def test_a_quiet_table_says_what_its_mark_means(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "-q"]) == 0
    *_, bad, legend = capsys.readouterr().out.splitlines()
    assert bad.endswith("!")
    assert legend == "! bad, we: 100 % of the words are unknown to the encoder"


def test_bare_numbers_stay_bare(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "-b"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "1.0000\n0.0000\n"
    assert "monge: bad, we: 100 % of the words are unknown to the encoder" in shown.err


@pytest.mark.parametrize("run", ["computed", "read again"])
def test_json_has_the_share_of_set_and_segments(
    arguments: list[str], run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(1 if run == "computed" else 2):
        capsys.readouterr()
        assert main([*arguments, "-f", "json"]) == 0
    good, bad = json.loads(capsys.readouterr().out)
    assert "unknown" not in good
    assert bad["unknown"] == 1.0
    assert [segment["unknown"] for segment in bad["segments"]] == [1.0, 1.0]
    assert "hypothesis: 100 % of the words unknown to the encoder" in bad["segments"][0]["notes"]


def test_texts_that_cannot_be_read_have_no_score(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ref.txt").write_text("".join(reversed(CHINESE.splitlines(keepends=True))), encoding="utf-8")
    assert main([*arguments, "-f", "json"]) == 0
    bad = json.loads(capsys.readouterr().out)[1]
    assert bad["score"] is None
    assert "no score: the encoder can read neither text" in bad["notes"]
