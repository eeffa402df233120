"""Quality as a test: `pytest examples/ci`."""

from pathlib import Path

from monge.testing import assert_not_worse, assert_scores

DEMO = Path(__file__).parent.parent / "demo"


def read(name: str) -> list[str]:
    return (DEMO / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_the_careful_system_is_not_worse_than_the_careless_one() -> None:
    assert_not_worse(read("careful"), read("careless"), read("reference"), metrics=["chrf", "bleu"])


def test_the_careful_system_is_good() -> None:
    assert_scores(read("careful"), read("reference"), chrf=70, rougeL=0.7)
