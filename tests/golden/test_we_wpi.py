"""The worked example of Echizen'ya et al. (2019): figure 3 and table 3, from the cosines the paper gives."""

from math import exp
from pathlib import Path

import numpy as np
import pytest

from monge.explanation import explain_segments
from monge.metrics import load_metric
from monge.text import Segment
from monge.transport import cost_matrix

REFERENCE = ["are", "there", "topics", "you", "want", "to", "get", "the", "world", "talking", "about", "?"]
TRANSLATION = ["are", "there", "topics", "that", "you", "think", "should", "discuss", "world", "?"]
# cosines that the text or table 3 give (think/want: .456 = 1 - cos exp(-|6/10 - 5/12|)); equal words have cosine 1
COSINES = {
    "discuss": {"talking": 0.460, "topics": 0.477},
    "that": {"you": 0.478 / (1 - abs(4 / 10 - 4 / 12))},
    "think": {"want": 0.544 / np.exp(-abs(6 / 10 - 5 / 12))},
    "should": {"you": 0.3},
}


def vectors() -> tuple[np.ndarray, np.ndarray]:
    """Reference words are orthogonal units; every other word mixes them so that the cosines come out."""
    size = len(REFERENCE) + len(COSINES)
    reference = np.eye(len(REFERENCE), size, dtype=np.float32)
    translation = np.zeros((len(TRANSLATION), size), dtype=np.float32)
    for row, word in enumerate(TRANSLATION):
        if word in REFERENCE:
            translation[row] = reference[REFERENCE.index(word)]
            continue
        for other, cosine in COSINES[word].items():
            translation[row, REFERENCE.index(other)] = cosine
        rest = 1 - float((translation[row] ** 2).sum())
        translation[row, len(REFERENCE) + list(COSINES).index(word)] = rest**0.5
    return translation, reference


def test_table_3() -> None:
    cost = cost_matrix(*vectors(), "position")
    expected = np.ones((10, 12))
    for word, other, distance in [
        ("are", "are", 0.017), ("there", "there", 0.033), ("topics", "topics", 0.049), ("you", "you", 0.154),
        ("think", "want", 0.456), ("discuss", "talking", 0.555), ("world", "world", 0.139), ("?", "?", 0.0),
    ]:  # fmt: skip
        expected[TRANSLATION.index(word), REFERENCE.index(other)] = distance
    assert np.abs(cost - expected).max() < 6e-4  # the paper prints three digits


def test_that_loses_you_to_you() -> None:
    """The best align of "that" is "you" (.478), which "you" itself beats (.833): "that" corresponds to nothing."""
    assert (cost_matrix(*vectors(), "position")[TRANSLATION.index("that")] == 1).all()


def test_without_positions_discuss_would_go_to_topics() -> None:
    cosine = 1 - cost_matrix(*vectors(), "cosine")[TRANSLATION.index("discuss")]
    assert REFERENCE[int(cosine.argmax())] == "topics"
    place = np.abs(8 / 10 - (np.arange(12) + 1) / 12)
    align = cosine * (1 - place)
    assert REFERENCE[int(align.argmax())] == "talking"
    assert abs(align[REFERENCE.index("talking")] - 0.445) < 5e-4
    assert abs(align[REFERENCE.index("topics")] - 0.215) < 5e-4


@pytest.mark.parametrize(
    ("hypothesis", "boy", "runs"),
    [
        ("boy runs", 0, 0),
        ("boy xyzzy runs", 1 / 2 - 1 / 3, 0),  # boy is the 1st of 3 words here and of 2 in the reference
        ("boy runs xyzzy", 1 / 2 - 1 / 3, 1 - 2 / 3),
        ("xyzzy xyzzy boy runs", 3 / 4 - 1 / 2, 0),
    ],
)
def test_words_without_a_vector_have_positions(hypothesis: str, boy: float, runs: float, tmp_path: Path) -> None:
    """Equation 8 counts all words; by hand: each known word has mass 1/2 and goes to itself at 1 - exp(-pos_inf)."""
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("boy 1 0 0\nruns 0 1 0\nhome 0 0 1\n", encoding="utf-8")
    metric = load_metric("we_wpi", encoder=str(vectors))
    segment = Segment(hypothesis, ("boy runs",))
    expected = 1 - ((1 - exp(-boy)) + (1 - exp(-runs))) / 2
    assert metric.bind([segment]).score([segment])[0].value == pytest.approx(expected, abs=1e-7)
    explained = explain_segments(metric, [segment])[0]
    assert (explained.value, explained.total) == pytest.approx((expected, expected), abs=1e-7)
