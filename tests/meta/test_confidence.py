"""Intervals of single scores: quantiles by hand, coverage on data whose noise is known."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.cli import main
from monge.errors import InputError, OptionError
from monge.meta.confidence import ScoreConfidence, conformal_quantile, match_quantiles, study_confidence


def test_quantiles_by_hand() -> None:
    assert conformal_quantile(np.arange(1.0, 10.0), 0.9) == 9.0
    assert conformal_quantile(np.arange(1.0, 20.0), 0.9) == 18.0
    matched = match_quantiles(np.array([0.0, 1.0, 2.5, 9.0]), np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 40.0]))
    assert matched.tolist() == [10.0, 10.0, 30.0, 40.0]


def make_outputs(size: int = 4000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores whose error is known to differ: half of them are ten times as noisy, and a spread says which."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=size)
    spread = np.where(rng.random(size) < 0.5, 0.05, 0.5)
    return human + spread * rng.normal(size=size), human, spread


def test_the_source_that_knows_the_noise_is_chosen_and_covers() -> None:
    scores, human, spread = make_outputs()
    useless = np.random.default_rng(1).random(len(scores))
    fitted, found = study_confidence(scores, human, {"knows": spread, "useless": useless}, level=0.9)
    assert found[0].source == "knows"
    assert {one.source for one in found} == {"constant", "knows", "useless"}
    for one in found:
        assert one.coverage == pytest.approx(0.9, abs=0.03)
    by_name = {one.source: one for one in found}
    assert by_name["knows"].width < 0.8 * by_name["constant"].width
    assert by_name["knows"].explains > 0.5
    assert abs(by_name["useless"].explains) < 0.1
    assert fitted["constant"][1] == 1.0


def test_a_source_that_does_not_exist_is_left_out() -> None:
    scores, human, _ = make_outputs(200)
    _, found = study_confidence(scores, human, {"references": np.full(200, np.nan)})
    assert [one.source for one in found] == ["constant"]


def test_mistakes() -> None:
    with pytest.raises(InputError, match="too few"):
        study_confidence(np.zeros(5), np.zeros(5), {})
    with pytest.raises(OptionError, match="level"):
        study_confidence(np.zeros(100), np.zeros(100), {}, level=1.0)


def test_decisions_and_files(tmp_path: Path) -> None:
    known = ScoreConfidence("m", "metric:m", "words", 0.9, 2.0, 0.1, "set")
    assert known.half_width(0.2) == pytest.approx(0.6)
    assert known.decides(1.0, 0.0, (0.2, 0.2))  # √(.6² + .6²) = .85
    assert not known.decides(0.8, 0.0, (0.2, 0.2))
    known.save(tmp_path / "c.json")
    assert ScoreConfidence.load(tmp_path / "c.json") == known
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="monge confidence"):
        ScoreConfidence.load(tmp_path / "bad.json")


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(30)]
    lines = ["hypothesis\treference\treference2\thuman"]
    for _ in range(120):
        reference = list(rng.choice(words, 8))
        share = rng.random()
        output = [w if rng.random() > share else rng.choice(words) for w in reference]
        lines.append("\t".join([" ".join(output), " ".join(reference), " ".join(reference[::-1]), f"{1 - share:.3f}"]))
    (tmp_path / "rated.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    saved = str(tmp_path / "c.json")
    assert main(["confidence", str(tmp_path / "rated.tsv"), "-m", "chrf", "--save", saved, "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {one["source"] for one in record["sources"]} == {"constant", "references", "words"}
    assert main(["confidence", str(tmp_path / "rated.tsv"), "-m", "bertscore,encoder=hashed", "--sample", "80"]) == 0
    assert "neighbouring layers" in capsys.readouterr().out
    for name, text in (("r", "w1 w2 w3 w4"), ("a", "w1 w2 w3 w5"), ("b", "w1 w2 w6 w4")):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    files = [str(tmp_path / "r"), "-i", str(tmp_path / "a"), str(tmp_path / "b")]
    arguments = ["explain", *files, "--line", "1", "-m", "chrf", "--how", "occlusion", "--confidence", saved]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "90% interval [" in out
    assert "this segment alone decides nothing" in out
    assert main([*arguments[:-4], "-m", "bleu", "--confidence", saved]) == 2
