import pytest

from monge.cli import main
from monge.engine import checks


def test_a_good_install_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "FAIL" not in out
    assert "score moverscore" in out


def test_a_wrong_number_is_found(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "STORED", {"chrf": 12.0})
    assert main(["doctor"]) == 1
    assert "FAIL  score chrf" in capsys.readouterr().out
