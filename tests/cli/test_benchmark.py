"""`monge benchmark`: scores are kept, curves and ablations are reported."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_benchmark_resumes_and_reports(rated: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("benchmark", "quick", "--data", "rated.tsv", "--folder", "out", "--draws", "50", "--sample", "20")
    metrics = ("-m", "bleu", "bertscore,encoder=hashed", "--ablate", "bertscore,encoder=hashed", "yisi1,encoder=hashed")
    metrics += ("--threshold", "10")  # of tau-like, which this suite does not ask for
    status, out, err = run(*arguments, *metrics, "--no-curves")
    assert status == 0, err
    assert out.strip() == "out/report.html"
    record = json.loads(Path("out/report.json").read_text(encoding="utf-8"))
    steps = record["data"][0]["ablations"][0]["steps"]
    assert list(steps) == ["bertscore,encoder=hashed", "+ weighting=idf_plus_one", "+ alpha=0.7"]

    def refuse(*arguments: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr("monge.metrics.lexical.sacrebleu.SacrebleuMetric.score", refuse)
    monkeypatch.setattr("monge.metrics.transport.metric.TransportMetric.score", refuse)
    status, _, err = run(*arguments, *metrics, "--no-curves")
    assert status == 0, err
    assert json.loads(Path("out/report.json").read_text(encoding="utf-8")) == record
    assert "one switch at a time" in Path("out/report.md").read_text(encoding="utf-8")
    assert Path("out/report.html").read_text(encoding="utf-8").count("<figure>") >= 3


def test_layer_curves(rated: Path, minilm_directory: Path, run: Run) -> None:
    from monge.workflows.suites import SUITES

    assert any(suite.curves for suite in SUITES)
    (rated.parent / "cache").mkdir()
    (rated.parent / "cache" / "models").symlink_to(minilm_directory.parent)
    status, _, err = run(
        "benchmark", "quick", "--data", "rated.tsv", "--folder", "out", "--draws", "20", "-m", "bertscore",
        "--sample", "10", "--offline",
    )  # fmt: skip
    assert status == 0, err
    curves = json.loads(Path("out/report.json").read_text(encoding="utf-8"))["data"][0]["curves"]
    assert list(curves["bertscore"]) == [str(layer) for layer in range(7)]
