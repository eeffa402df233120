"""How many systems a study says it compares."""

from pathlib import Path

import pytest

from monge.cli import main

LINES = ["id\tsystem\thypothesis\treference\tcoherence\tfluency"] + [
    f"{i}\t{name}\t{'a b c d'[: 2 * k + 1]}\ta b c d\t{k + i % 2}\t{k}"
    for i in range(4)
    for k, name in enumerate(("one", "two", "three", "four"))
]


def test_aspects_of_the_same_systems_are_not_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rated.tsv"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    assert main(["correlate", str(path), "-m", "chrf", "--level", "system", "--human", "coherence", "fluency"]) == 0
    assert "between 4 systems; 2 tasks" in " ".join(capsys.readouterr().out.split())
