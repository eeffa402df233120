from pathlib import Path

import pytest

from monge.cli import main
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
