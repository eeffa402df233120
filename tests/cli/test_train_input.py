"""`monge train context`, `capsules`, `joint`: without torch the extra is named; bad input is one sentence."""

import re
import sys

import pytest

from monge.cli import main


@pytest.fixture
def files(tmp_path):
    for name, line in (("ref", "a reference {}"), ("src", "eine Quelle {}"), ("data", "a text {}\tlabel{}")):
        lines = [line.format(i, i % 7) for i in range(60)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "short").write_text("eine Quelle\n", encoding="utf-8")
    return tmp_path


def command(kind, files, *more):
    inputs = {"context": ["ref", "src"], "capsules": ["data"]}[kind]
    return ["train", kind, *(str(files / name) for name in inputs), "--output", str(files / "out"), *more]


@pytest.mark.parametrize("kind", ["context", "capsules"])
def test_without_torch_the_extra_is_named(kind, files, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    more = ["--vectors", "none"] if kind == "capsules" else []
    assert main(command(kind, files, *more)) == 2
    assert "monge[torch]" in capsys.readouterr().err
    assert not (files / "out").exists()


def test_help_needs_no_torch(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    for kind in ("context", "capsules", "joint"):
        with pytest.raises(SystemExit) as exit_:
            main(["train", kind, "--help"])
        assert exit_.value.code == 0
        assert "--output" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["context", "ref", "short"], "ref has 60 lines and .*short 1: they must be references and sources"),
        (["context", "nothing", "src"], "nothing"),
        (["context", "ref", "src", "--epochs", "0"], "epochs=0: must be at least 1"),
        (["capsules", "ref"], "ref, line 1: not a text, a tab and labels"),
        (["capsules", "data", "--task", "answers"], "data, line 1: not a question"),
        (["capsules", "data", "--share", "2"], "share=2.0: must be above 0 and at most 1"),
        (["joint", "nothing", "src", "ref"], "no encoder at .*nothing"),
        (["joint", "use", "src", "ref"], "use is not a transformer"),
        (["joint", "nothing", "src"], "1 files of texts: source and target belong together"),
    ],
)
def test_bad_input_is_one_sentence(arguments, message, files, capsys, monkeypatch):
    monkeypatch.setenv("MONGE_CACHE", str(files / "cache"))  # nothing is there, and nothing is fetched
    kind, *rest = arguments
    named = [str(files / part) if part in ("ref", "src", "short", "data", "nothing") else part for part in rest]
    assert main(["train", kind, *named, "--output", str(files / "out")]) == 2
    found = capsys.readouterr().err.strip()
    assert re.search(message, found), found
    assert found.count("\n") == 0
    assert not (files / "out").exists()


def test_no_steps_are_refused_before_anything_else(capsys):
    with pytest.raises(SystemExit):
        main(["train", "adapter", "nosuch", "--output", "no/folder/out", "--steps", "0"])
    assert "--steps: '0' is not a whole number of at least 1" in capsys.readouterr().err


def test_the_output_is_not_an_input(files, capsys):
    arguments = ["train", "context", str(files / "ref"), str(files / "src"), "--output", str(files / "src")]
    assert main(arguments) == 2
    assert "one of the files to read" in capsys.readouterr().err


def test_a_bare_name_prints_what_there_is(capsys):
    assert main(["train"]) == 2
    err = capsys.readouterr().err
    assert "capsules  a classifier" in err
    assert "required" not in err


@pytest.mark.torch
def test_time_memory_and_cut_texts_are_reported(files, capsys):
    pytest.importorskip("torch", reason="the torch extra is not installed")
    (files / "ref").write_text("word " * 101 + "\n" + "a reference\n" * 59, encoding="utf-8")
    assert main(command("context", files, "--dimension", "4", "--epochs", "3")) == 0
    out, err = capsys.readouterr()
    assert "note: 1 text is longer than 100 words; the rest is not read" in out
    assert re.search(r"^finished in \d+ s; peak memory [\d,]+ MB$", err, re.MULTILINE)
