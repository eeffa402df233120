"""The sentence about where a score was lost is true of the words it names."""

import numpy as np
import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.explanation import ExplainedPair, describe_loss, explain_segments
from monge.explanation.result import ExplainedPlan, ExplainedText, Word
from monge.metrics import load_metric
from monge.text import Segment

SHORT, LONG = "the boy ran home", "the young boy quickly ran home to his mother"


@pytest.mark.parametrize(
    ("hypothesis", "reference", "shorter", "way"),
    [(SHORT, LONG, "hypothesis", "go to"), (LONG, SHORT, "reference", "come from")],
)
def test_surplus_mass_of_a_shorter_text_is_not_lost_on_its_words(
    hypothesis: str, reference: str, shorter: str, way: str
) -> None:
    """Every word of the short text has its counterpart; the words that only the long text has are missing or added."""
    metric = load_metric("emd", encoder=HashedEncoder())
    sentence = describe_loss(explain_segments(metric, [Segment(hypothesis, (reference,))])[0])
    lost, surplus = sentence.split("; ")
    assert any(word in lost for word in ("young", "quickly", "his", "mother", "“to”"))
    assert not any(f"“{word}”" in lost for word in SHORT.split())
    assert lost.startswith("lost most on") if shorter == "reference" else lost.endswith("are missing")
    assert any(f"“{word}”" in surplus for word in SHORT.split())
    assert surplus.endswith(
        f"have counterparts, but the {shorter} is shorter, so some of their mass had to {way} other words"
    )


def test_a_repeated_word_without_a_counterpart_of_its_own_is_lost() -> None:
    metric = load_metric("emd", encoder=HashedEncoder())
    sentence = describe_loss(explain_segments(metric, [Segment("boy boy ran home", ("boy saw ran home",))])[0])
    assert sentence == "lost most on “boy”; “saw” is missing"


def pair(mass: list[list[float]], cost: list[list[float]], charged: tuple[float, float]) -> ExplainedPair:
    moved = np.array(mass)
    sides = [
        ExplainedText("", tuple(Word("w", i, i + 1, float(own), 0.0) for i, own in enumerate(moved.sum(1 - side))))
        for side in (0, 1)
    ]
    plan = ExplainedPlan("transport", moved, np.array(cost), moved * np.array(cost), charged)
    return ExplainedPair(0, *sides, (plan,))


def test_mismatch_is_what_the_nearest_counterpart_costs() -> None:
    """One word against two: half of its mass goes to a copy, half to a word at the cost 0.8 (far for short texts)."""
    balanced = pair([[0.5, 0.5]], [[0.0, 0.8]], (0.5, 0.5))
    assert balanced.strain(0) == pytest.approx([0.5])
    assert balanced.mismatch(0) == pytest.approx([0.0])
    assert balanced.mismatch(1) == pytest.approx([0.0, 1.0])
    one_sided = pair([[0.5, 0.5]], [[0.0, 0.8]], (1.0, 0.0))  # its words go where they like, so nothing is left over
    assert one_sided.mismatch(0) == pytest.approx(one_sided.strain(0))


def test_a_word_that_shares_its_counterpart_has_none() -> None:
    """Two words take half of one each: neither is its counterpart."""
    shared = pair([[0.25, 0.25], [0.25, 0.25]], [[0.0, 0.8], [0.0, 0.8]], (0.5, 0.5))
    assert shared.mismatch(0) == pytest.approx(shared.strain(0))
