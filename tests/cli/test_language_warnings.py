"""German texts with an English encoder: every command that scores says so, once."""

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
