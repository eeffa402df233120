"""The module for Hugging Face evaluate, loaded by that library."""

from pathlib import Path

import pytest

import monge

MODULE = Path(__file__).parents[2] / "examples" / "evaluate_module"


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_evaluate_loads_and_computes(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    import evaluate

    metric = evaluate.load(str(MODULE), "chrf", cache_dir=str(tmp_path))
    hypotheses, references = ["The boy ran.", "Rain."], [["A boy ran.", "The boy was running."], ["Heavy rain."]]
    result = metric.compute(predictions=hypotheses, references=references)
    expected = monge.score(hypotheses, references, metric="chrf")
    assert (result["score"], result["scores"]) == (expected["score"], expected["scores"])
