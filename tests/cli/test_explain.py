"""`monge explain` as a person calls it."""

import json
from pathlib import Path

import pytest

from monge.cli import main
from monge.cli.explain import use_colour

PAIR = ["--hypothesis", "the boy ran", "--reference", "the man ran home"]


@pytest.fixture(autouse=True)
def _hashed_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """No weights are needed to test a command line."""
    from monge.encoders.static.hashed import HashedEncoder
    from monge.metrics.transport import building

    monkeypatch.setattr(building, "load_encoder", lambda *_, **__: HashedEncoder(layers=7, special=True))


def test_text_says_the_score_and_the_sum(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "-m", "bertscore", *PAIR]) == 0
    shown = capsys.readouterr().out
    assert "hypothesis word" in shown
    assert "(a perfect match)" in shown
    assert "\x1b" not in shown


def test_json_holds_the_whole_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "-m", "emd", "-f", "json", *PAIR]) == 0
    record = json.loads(capsys.readouterr().out)
    words = [w["contribution"] for p in record["pairs"] for s in ("hypothesis", "reference") for w in p[s]["words"]]
    assert record["base"] + sum(words) == pytest.approx(record["value"], abs=1e-9)


@pytest.mark.parametrize("kind", ["svg", "html"])
def test_files_are_written(kind: str, tmp_path: Path) -> None:
    target = tmp_path / f"why.{kind}"
    assert main(["explain", "-m", "emd", "-f", kind, "--output", str(target), *PAIR]) == 0
    assert "<svg" in target.read_text(encoding="utf-8")


def test_a_line_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ref").write_text("a b\nthe man ran\n", encoding="utf-8")
    (tmp_path / "one").write_text("a c\nthe boy ran\n", encoding="utf-8")
    (tmp_path / "two").write_text("a d\nthe girl ran\n", encoding="utf-8")
    files = [str(tmp_path / "ref"), "-i", str(tmp_path / "one"), str(tmp_path / "two")]
    assert main(["explain", *files, "--line", "2", "-m", "emd"]) == 0
    shown = capsys.readouterr().out
    assert "one: emd" in shown
    assert "girl" in shown


@pytest.mark.parametrize("kind", ["text", "html"])
def test_names_of_systems_are_shown_literally(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [{"system": f"{name}\x1b[2J", "hypothesis": "a b", "references": ["a c"]} for name in "xy"]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert main(["explain", "--jsonl", str(tmp_path / "in.jsonl"), "--line", "1", "-m", "emd", "-f", kind]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "x␛[2J: emd" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "emd", "--output", "/no/such/folder/x.txt", *PAIR], "no folder"),
        (["-m", "bleu", "--how", "additive", *PAIR], "occlusion"),
        (["-m", "bleu", "--how", "shapley", "--orders", "1", *PAIR], "orders"),
        (["-m", "bleu", "--hypothesis", " ", "--reference", "x"], "no word"),
        (["-m", "emd"], "--hypothesis"),
        (["-m", "emd", "--reference", "x"], "--hypothesis"),
        (["-m", "emd", "--line", "3", *PAIR], "not both"),
        (["-m", "emd", "wmd", "-f", "svg", *PAIR], "one metric"),
        (["-m", "emd", "--hypothesis", "x"], "reference"),
        (["-m", "emdd", *PAIR], "emd"),
    ],
)
def test_mistakes_get_one_sentence(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize("how", ["auto", "occlusion", "shapley"])
def test_any_metric_can_be_explained_by_leaving_words_out(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    pair = ["--hypothesis", "the zebra ran home", "--reference", "the boy ran home"]
    assert main(["explain", "-m", "rouge1", "--how", how, *pair]) == 0
    shown = capsys.readouterr().out
    assert next(line for line in shown.splitlines() if line.startswith("zebra")).endswith("harms")
    assert ("Shapley" in shown) == (how != "occlusion")
    for kind in ("json", "svg", "html"):
        assert main(["explain", "-m", "rouge1", "--how", how, "-f", kind, *pair]) == 0
        assert "zebra" in capsys.readouterr().out


def test_colour_follows_terminal_and_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert use_colour("auto", True)
    assert not use_colour("auto", False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_colour("auto", True)
    assert use_colour("always", False)


def test_json_names_system_and_metric_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref", "one", "two"):
        (tmp_path / name).write_text("the boy ran\nrain fell\n", encoding="utf-8")
    files = [str(tmp_path / "ref"), "-i", str(tmp_path / "one"), str(tmp_path / "two"), "--line", "2", "-m", "emd"]
    assert main(["explain", *files, "-f", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [(record["system"], record["metric"]) for record in records] == [("one", "emd"), ("two", "emd")]
    assert main(["explain", *files]) == 0
    assert "two: emd 0.0000" in capsys.readouterr().out


@pytest.mark.parametrize("how", ["additive", "occlusion", "shapley"])
def test_what_cannot_be_learnt_from_one_pair_is_noted(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "-m", "moverscore", "--how", how, *PAIR]) == 0
    assert "note: idf cannot be computed from one segment: uniform weights" in capsys.readouterr().out


def test_special_tokens_have_no_characters_of_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-o", "drop=none", "-o", "massless=none"]
    assert main(["explain", "-m", "emd", *options, "-f", "json", *PAIR]) == 0
    words = json.loads(capsys.readouterr().out)["pairs"][0]["hypothesis"]["words"]
    assert [(word["start"], word["end"]) for word in words] == [(0, 0), (0, 3), (4, 7), (8, 11), (11, 11)]


def test_the_score_explained_is_the_score_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """idf is computed for each system by itself when scoring, so it must be when explaining."""
    for name, lines in {"ref": "a b\nthe man ran", "one": "a c\nthe boy ran", "two": "a b d\nthe a ran"}.items():
        (tmp_path / name).write_text(lines + "\n", encoding="utf-8")
    chosen = ["-i", str(tmp_path / "one"), str(tmp_path / "two"), "-m", "moverscore", "--encoder", "hashed"]
    assert main(["score", str(tmp_path / "ref"), *chosen, "-f", "json", "-o", "idf_from=sides"]) == 0
    scores = [record["segments"][1]["score"] for record in json.loads(capsys.readouterr().out)]
    arguments = ["explain", str(tmp_path / "ref"), *chosen, "--line", "2", "-f", "json", "-o", "idf_from=sides"]
    assert main(arguments) == 0
    assert [record["value"] for record in json.loads(capsys.readouterr().out)] == pytest.approx(scores, abs=1e-9)
