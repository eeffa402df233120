"""German texts with an English encoder: every command that scores says so, once."""

import json
from pathlib import Path

import pytest

from monge.cli import main

GERMAN = [
    "Der Junge ist gestern nach Hause gelaufen, weil es geregnet hat.",
    "Die Regierung hat angekündigt, dass die Steuern nicht erhöht werden.",
    "Wir haben das Buch gelesen und es war sehr gut geschrieben.",
    "Sie ist mit dem Zug nach Berlin gefahren und kommt morgen zurück.",
]
SAID = "minilm was made for English"


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("\n".join(GERMAN) + "\n", encoding="utf-8")
    Path("hyp.txt").write_text("\n".join(GERMAN[::-1]) + "\n", encoding="utf-8")
    rows = [f"{a}\t{b}\t{i}" for i, (a, b) in enumerate(zip(GERMAN, GERMAN[::-1], strict=True))]
    Path("rated.tsv").write_text("hypothesis\treference\thuman\n" + "\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "ref.txt", "-i", "hyp.txt", "-m", "bertscore", "--encoder", "minilm"],
        ["explain", "ref.txt", "-i", "hyp.txt", "--line", "1", "-m", "bertscore", "--encoder", "minilm"],
        ["correlate", "rated.tsv", "-m", "bertscore", "--encoder", "minilm", "--draws", "0"],
        ["nearest", "hyp.txt", "ref.txt", "-m", "emd", "--encoder", "minilm"],
    ],
)
def test_a_warning_on_stderr(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().err.count(SAID) == 1


FINNISH = [
    "Poika juoksi eilen kotiin, koska satoi vettä.",
    "Hallitus ilmoitti, että veroja ei koroteta tänä vuonna.",
    "Luimme kirjan ja se oli erittäin hyvin kirjoitettu.",
    "Hän matkusti junalla Helsinkiin ja palaa huomenna takaisin.",
]
ENGLISH = ["The boy ran home yesterday.", "Taxes will not rise.", "We have read the book.", "She took the train."]


@pytest.mark.usefixtures("_files")
def test_scores_of_languages_that_the_encoder_does_not_know_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """A language outside of ``use`` gives numbers that say nothing, often negative ones: tables and files say so."""
    Path("source.fi").write_text("\n".join(FINNISH) + "\n", encoding="utf-8")
    Path("out.en").write_text("\n".join(ENGLISH) + "\n", encoding="utf-8")
    files = ["score", "-s", "source.fi", "-i", "out.en", "-m", "cosine_xl", "fluency"]
    assert main(files) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("out ")]
    assert row[1].endswith("!")
    assert not row[2].endswith("!")  # a language model of English reads the translation alone
    assert main([*files, "-f", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert "but use was made for Arabic, German" in first["warning"]
    assert "warning" not in second
