from pathlib import Path

import pytest

from monge.cli import main
from monge.encoders.onnx.backend import OnnxBackend
from monge.workflows import doctor as checks


def test_a_good_install_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "FAIL" not in out
    assert "score moverscore" in out


def test_one_failure_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path))
    monkeypatch.setattr("monge.encoders.models._package_directories", lambda spec: iter(()))
    assert main(["doctor", "--offline"]) == 1
    out = capsys.readouterr().out
    assert out.count("is not on this machine") == 1
    assert "FAIL  score bertscore, score emd" in out
    assert "ok    score chrf" in out


def test_a_wrong_number_is_found(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "STORED", {"chrf": 12.0})
    assert main(["doctor"]) == 1
    assert "FAIL  score chrf" in capsys.readouterr().out


def test_a_broken_encoder_is_found_although_its_vectors_are_stored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, minilm_directory: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / minilm_directory.name).symlink_to(minilm_directory)
    pair = ("--hypothesis", checks.HYPOTHESES[0], "--reference", checks.REFERENCES[0])
    assert main(["explain", *pair, "-m", "bertscore"]) == 0  # stores the vectors
    plain = OnnxBackend.hidden_states
    monkeypatch.setattr(OnnxBackend, "hidden_states", lambda *given: [states + 1 for states in plain(*given)])
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  encoder minilm" in out
    assert "FAIL  score moverscore" in out
