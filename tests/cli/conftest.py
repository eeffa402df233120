"""A file of rated outputs, and running a command."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from monge.cli import main

WORDS = ("the cat sat on a mat while two dogs ran home before heavy rain fell over the old town").split()  # noqa: SIM905


def corrupt(text: str, share: float, rng: np.random.Generator) -> str:
    """Return *text* with a share of its words replaced: worse outputs are worse by construction."""
    return " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outputs of three systems for 40 inputs whose rating falls with the share of wrong words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    lines = ["id\tsystem\thypothesis\treference\trating\tlength"]
    for i in range(40):
        reference = " ".join(rng.choice(WORDS, 12))
        for system, base in (("good", 0.1), ("fair", 0.3), ("poor", 0.6)):
            share = float(np.clip(base + rng.normal(0, 0.15), 0, 1))
            output = corrupt(reference, share, rng)
            rating = round(5 * (1 - share) + rng.normal(0, 0.2), 2)
            lines.append(f"{i}\t{system}\t{output}\t{reference}\t{rating}\t{len(output)}")
    path = tmp_path / "rated.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command and returns its status, what it printed and what it complained of."""

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return run_command
