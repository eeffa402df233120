"""The simulation of words in context: rigid languages, languages that differ in shape, precision, the command."""

from pathlib import Path

import numpy as np
import pytest

from monge.cli import main
from monge.crosslingual.cbli import CbliSetting, SimulatedPair, cbli_precision
from monge.errors import OptionError
from monge.workflows.cbli import CbliRequest, simulate_cbli

LINEAR = ("identity", "rotation", "centre,rotation")


def test_rotations_and_translations_in_turn_are_one_rigid_motion() -> None:
    setting = CbliSetting(occurrences=10, transform="rigid", reach=5)
    result = simulate_cbli(CbliRequest(setting, (0.0, 5.0), LINEAR, runs=2))
    assert (result.precision["centre,rotation"] == 1).all()
    assert result.precision["rotation"][:, :, 0].mean() < 0.5  # it does not centre
    words = simulate_cbli(CbliRequest(CbliSetting(occurrences=10, reach=5), (0.0,), LINEAR, runs=2))
    assert words.precision["centre,rotation"][:, :, 0].mean() < 0.1  # nothing rigid undoes it


def test_one_turn_is_a_rotation() -> None:
    result = simulate_cbli(CbliRequest(CbliSetting(occurrences=5, turns=1), (0.0,), LINEAR, runs=1))
    assert (result.precision["rotation"] == 1).all()


def test_vecmap_takes_part() -> None:
    result = simulate_cbli(
        CbliRequest(CbliSetting(occurrences=5, turns=1), (0.0,), ("vecmap", "centre,vecmap"), runs=1)
    )
    assert set(result.precision) == {"vecmap", "centre,vecmap"}
    assert all(0 <= values.min() <= values.max() <= 1 for values in result.precision.values())


def test_points_keep_their_words_and_seeds_their_points() -> None:
    setting = CbliSetting(words=3, occurrences=400, spread=0.5)
    pair = SimulatedPair.draw(setting, 1)
    one, again = pair.sample(5), SimulatedPair.draw(setting, 1).sample(5)
    assert np.array_equal(one.target, again.target)
    for word in range(3):
        own = one.source[one.labels == word]
        assert np.abs(own.mean(axis=0) - pair.places[word]).max() < 0.1
        assert own.std() == pytest.approx(0.5, abs=0.05 + own.mean(axis=0).std())
    moved = pair.sample(5, 2.0)
    assert np.allclose(moved.source - one.source, 2)
    assert cbli_precision(one.source, one.source, one.labels) == (1, 1)


def test_the_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "panels.svg"
    base = ["simulate", "cbli", "--methods", *LINEAR, "--occurrences", "5", "--runs", "2"]
    assert main([*base, "--plot", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "word P@1, ε = 0" in shown
    assert "means of 2 runs; k=5, t=5, word" in shown
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    for wrong, said in (
        (["--methods", "rotatio"], "rotation"),
        (["--runs", "0"], "needs a run"),
        (["--turns", "0"], "t=0"),
        (["--spread", "0"], "spread=0"),
        (["--plot", "x.gif"], "gif"),
    ):
        assert main([*base, *wrong]) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(OptionError, match="transform"):
        CbliSetting(transform="bent")


@pytest.mark.torch
def test_flows_follow_words_that_move_by_themselves() -> None:
    setting = CbliSetting(occurrences=30, spread=0.3, reach=5)
    result = simulate_cbli(CbliRequest(setting, (0.0,), ("centre,rotation", "real-nvp"), runs=1))
    flow, linear = (result.precision[name][0, 0, 1] for name in ("real-nvp", "centre,rotation"))
    assert flow > linear + 0.2
