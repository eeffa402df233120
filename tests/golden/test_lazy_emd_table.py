"""The four sentences of table 1 of Chen et al. (2020); candidate 1 is the better one in both examples."""

import pytest

from monge.metrics import load_metric
from monge.text import Segment

YOUNG_MAN, BOY = "The young man in a slicker.", "The boy in a coat."


def distances(name: str, reference: str, *candidates: str, **options: object) -> list[float]:
    metric = load_metric(name, **options)
    return [score.value for score in metric.score([Segment(text, (reference,)) for text in candidates])]


@pytest.mark.parametrize("epsilon", [0.009, 0.0])
def test_example_2_is_ordered_as_the_paper_says(epsilon: float) -> None:
    better, worse = distances("lazy_emd", BOY, YOUNG_MAN, "The old man in a slicker.", epsilon=epsilon)
    assert better < worse


def test_example_1_is_not_because_the_encoder_sees_it_otherwise() -> None:
    """MiniLM puts "man" nearer to "young man" than "boy": every marginal, hard or soft, then prefers candidate 2."""
    candidates = (BOY, "The man in a coat.")
    better, worse = distances("emd", YOUNG_MAN, *candidates)
    assert better > worse
    scores = load_metric("bertscore").score([Segment(text, (YOUNG_MAN,)) for text in candidates])
    for part in ("precision", "recall", "f"):
        assert scores[0].parts[part] < scores[1].parts[part]
    better, worse = distances("lazy_emd", YOUNG_MAN, *candidates)
    assert better > worse
