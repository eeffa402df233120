"""What people type who know sacrebleu or bert-score."""

import argparse
import json
from pathlib import Path

import pytest

from monge.cli import build_parser, main
from monge.cli.other_packages import FLAGS

TEXTS = ["ref.txt", "-i", "hyp.txt"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    Path("ref.txt").write_text("the boy ran home\nrain fell on the town\nshe read it\n", encoding="utf-8")
    Path("hyp.txt").write_text("the boy ran\nrain fell on a town\nhe read it\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    return status, *capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ([*TEXTS, "-m", "bleu", "-sl"], "--segments OUT.tsv"),
        ([*TEXTS, "-m", "bleu", "-s", "floor"], "-o smooth_method=floor"),
        ([*TEXTS, "-m", "bleu", "-tlc"], "-lc"),
        ([*TEXTS, "--rescale_with_baseline"], "--rescale"),
        ([*TEXTS, "--chrf-word-order=2"], "-m chrf,word_order=N"),
        (["-r", "ref.txt", "-c", "hyp.txt", "--lang", "en"], "monge score REF -i HYP -l en"),
        ([*TEXTS, "-m", "bleu", "--draws", "50"], "add --confidence"),
        ([*TEXTS, "-m", "bleu", "--confidence", "--draws", "2000000"], "1,000,000"),
    ],
)
def test_flags_of_other_packages_are_refused_with_ours(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "score", *arguments)
    assert (status, out) == (2, "")
    assert hint in err


def test_no_flag_of_ours_is_refused() -> None:
    commands = next(a for a in build_parser("*")._actions if isinstance(a, argparse._SubParsersAction)).choices
    for name in ("score", "compare", "explain", "correlate"):
        assert not FLAGS.keys() & commands[name]._option_string_actions.keys()


def test_a_source_file_may_be_called_like_a_method(capsys: pytest.CaptureFixture[str]) -> None:
    Path("floor").write_text("a\nb\nc\n", encoding="utf-8")
    assert run(capsys, "score", *TEXTS, "-m", "chrf", "-s", "floor")[0] == 0


@pytest.mark.parametrize("flags", [["--confidence", "--draws", "50"], ["-ci", "-cin", "50"]])
def test_draws_and_seed_of_an_interval_are_chosen_and_shown(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _, plain, _ = run(capsys, "score", *TEXTS, "-m", "bleu", "--confidence")
    _, out, _ = run(capsys, "score", *TEXTS, "-m", "bleu", *flags, "--seed", "7")
    signature = next(line for line in plain.splitlines() if line.startswith("metric:bleu"))
    assert signature.endswith("|bs:1000|seed:12345")
    assert signature.replace("bs:1000|seed:12345", "bs:50|seed:7") in out.splitlines()
    _, out, _ = run(capsys, "score", *TEXTS, "-m", "bleu", *flags, "-f", "json")
    assert json.loads(out)[0]["bootstrap"] == {"draws": 50, "seed": 12345}
    assert "bs:" not in json.loads(out)[0]["signature"]  # scores with and without intervals can be compared


def test_a_note_that_metrics_share_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("hyp.txt").write_text("the boy ran\n\nhe read it\n", encoding="utf-8")
    notes = [
        line for line in run(capsys, "score", *TEXTS, "-m", "bleu", "chrf")[1].splitlines() if line.startswith("note:")
    ]
    assert notes == ["note: hyp: empty hypothesis (1 of 3 segments)"]
    out = run(capsys, "score", *TEXTS, "-m", "bleu", "chrf", "emd", "--encoder", "hashed")[1]
    assert "note: hyp, bleu, chrf: empty hypothesis (1 of 3 segments)" in out.splitlines()


def test_tables_of_segments_say_why_a_score_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "score", *TEXTS, "-m", "chrf", "--segments", "plain.tsv")
    assert "notes" not in Path("plain.tsv").read_text(encoding="utf-8").splitlines()[0].split("\t")
    for name in ("hyp.txt", "ref.txt"):
        Path(name).write_text("the boy ran\n\nhe read it\n", encoding="utf-8")
    run(capsys, "score", *TEXTS, "-m", "chrf", "--segments", "out.tsv")
    header, *rows = (line.split("\t") for line in Path("out.tsv").read_text(encoding="utf-8").splitlines())
    assert header[-1] == "notes"
    assert [row[-1] for row in rows] == ["", "empty hypothesis; empty reference; no score: both texts are empty", ""]
    both = Path("out.tsv").read_text(encoding="utf-8") + "".join("\t".join(["new", *row[1:]]) + "\n" for row in rows)
    Path("both.tsv").write_text(both, encoding="utf-8")
    assert run(capsys, "compare", "--scores", "both.tsv")[0] == 0


def test_a_set_of_empty_texts_fails_a_check_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("hyp.txt", "ref.txt"):
        Path(name).write_text("\n\n\n", encoding="utf-8")
    status, _, err = run(capsys, "score", *TEXTS, "-m", "bleu", "--fail-under", "50")
    assert status == 1
    assert "FAILED hyp, bleu: has no score (every text is empty)" in err
