"""The models command: what is known of layers."""

import pytest

from monge.cli import main


def test_layers_of_one_model_by_its_name_here_or_that_of_its_checkpoint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "layers", "minilm", "FacebookAI/xlm-roberta-base"]) == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:2] for row in rows] == [["all-MiniLM-L6-v2", "4"], ["xlm-roberta-base", "9"]]


def test_layers_of_all_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "layers"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 10


def test_layers_of_a_model_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "layers", "glove"]) == 2
    assert "the best layers of 'glove' are not known" in capsys.readouterr().err
