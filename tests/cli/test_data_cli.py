"""`monge data`: what there is, where it is, and what cannot be fetched."""

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_data_commands(judgments: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    status, out, _ = run("data", "list")
    assert status == 0
    assert "wmt17 " in out
    status, out, _ = run("data", "show", "et-en")
    assert "CC0-1.0" in out
    assert "1,000 outputs" in out
    status, out, _ = run("data", "path", "et-en")
    assert Path(out.strip()).is_dir()
    status, _, err = run("data", "get", "summeval")
    assert status == 2
    assert "no fixed public address" in err
