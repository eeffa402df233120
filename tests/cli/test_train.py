"""`monge train`: what a person types and sees, also when something is wrong."""

import json
import sys

import pytest

from monge.cli import main
from monge.encoders.adapter import SHIPPED


def write_pairs(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_without_torch_the_extra_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "transformers", None)
    pairs = write_pairs(tmp_path / "p.tsv", ["hypothesis\treference", "a b\tc d"])
    command = ["train", "adapter", "minilm", "--pairs", pairs, "--corrupt", "--output", str(tmp_path / "x")]
    assert main(command) == 2
    assert "pip install 'monge[torch]'" in capsys.readouterr().err
    labels = ["a\tb\tlabel", *(f"a b {n}\tc d {n}\t{n % 2}" for n in range(60))]
    labelled = write_pairs(tmp_path / "l.tsv", labels)
    command = [
        "train",
        "encoder",
        "minilm",
        "--pairs",
        labelled,
        "--task",
        "paraphrase",
        "--output",
        str(tmp_path / "d"),
    ]
    assert main(command) == 2
    assert "pip install 'monge[torch]'" in capsys.readouterr().err


def test_nothing_to_learn_from(tmp_path, capsys):
    assert main(["train", "adapter", "minilm", "--output", str(tmp_path / "x")]) == 2
    assert "nothing to learn from" in capsys.readouterr().err


@pytest.mark.torch
def test_encoder_and_adapter(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch", reason="the torch extra is not installed")
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    sys.path.insert(0, str(__import__("pathlib").Path(__file__).parents[1] / "learned"))
    try:
        from conftest import make_pairs, write_encoder
    finally:
        sys.path.pop(0)
    base = write_encoder(tmp_path / "base")
    rows = make_pairs(40)
    labelled = write_pairs(tmp_path / "l.tsv", [f"{a}\t{b}\t{1 - i % 2}" for i, (a, b) in enumerate(rows)])
    texts = write_pairs(tmp_path / "t.tsv", ["hypothesis\treference", *(f"{a}\t{b}" for a, b in rows)])
    folder, file = str(tmp_path / "tuned"), str(tmp_path / "a.safetensors")
    common = ["--epochs", "1", "--batch", "8", "-f", "json"]
    assert (
        main(["train", "encoder", str(base), "--pairs", labelled, "--task", "paraphrase", "--output", folder, *common])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["classes"] == {"0": 40, "1": 40}
    options = ["--teacher", str(base), "--corrupt", "--steps", "4", "--batch", "4", "--rank", "2", "--note", "made up"]
    assert main(["train", "adapter", folder, "--pairs", texts, "--output", file, *options]) == 0
    out = capsys.readouterr().out
    assert "no human label; 4 steps" in out
    assert f"use it as encoder={file}" in out
    line = write_pairs(tmp_path / "r.txt", ["the cat sat"])
    assert main(["score", line, "-i", line, "-m", f"bertscore,encoder={file}", "-q"]) == 0
    assert "1.0000" in capsys.readouterr().out


@pytest.mark.parametrize("name", [shipped.name for shipped in SHIPPED])
def test_adapters_that_ship_are_found_by_name(name, capsys):
    assert main(["models", "path", name]) == 0
    assert capsys.readouterr().out.strip().endswith(f"{name}.safetensors")
