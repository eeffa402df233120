"""The quick TER against sacrebleu's own, which it must equal in every case."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import BeamEditDistance, translation_edit_rate

from monge.metrics import load_metric
from monge.metrics.lexical.shifts import beam_distances, count_ter_edits

few = st.lists(st.sampled_from("abcd"), max_size=14)


@given(few, few)
def test_short_texts_of_few_words(hypothesis: list[str], reference: list[str]) -> None:
    assert count_ter_edits(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


def shuffled(seed: int, words: int, kinds: int) -> tuple[list[str], list[str]]:
    """Return a text and another with its blocks moved and some words replaced."""
    rng = random.Random(seed)
    reference = [str(rng.randrange(kinds)) for _ in range(words)]
    blocks = [reference[i : i + 5] for i in range(0, words, 5)]
    for _ in range(3):
        blocks.insert(rng.randrange(len(blocks)), blocks.pop(rng.randrange(len(blocks))))
    hypothesis = [word if rng.random() < 0.9 else "x" for block in blocks for word in block]
    return hypothesis[: rng.randrange(words // 2, words + 1)], reference


@pytest.mark.parametrize(("words", "kinds"), [(30, 1000), (30, 8), (70, 25)])  # the last reaches the limit of 1,000
def test_moved_blocks(words: int, kinds: int) -> None:
    hypothesis, reference = shuffled(words, words, kinds)
    assert count_ter_edits(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


@pytest.mark.parametrize(("words", "others"), [(2, 120), (120, 2), (100, 60), (0, 4), (5, 5)])
def test_the_beam_of_texts_of_other_lengths(words: int, others: int) -> None:
    rng = random.Random(words)
    reference = [str(rng.randrange(9)) for _ in range(others)]
    texts = [[str(rng.randrange(9)) for _ in range(words)] for _ in range(3)]
    assert beam_distances(texts, reference) == [BeamEditDistance(reference)(text)[0] for text in texts]


def test_the_metric_is_sacrebleus() -> None:
    hypotheses = ["On the mat, sat a cat.", "", "The rain in the north stops soon"]
    references = [["A cat sat on the mat.", "a mat"], ["x y", ""], ["Soon the rain stops in the north", "rain"]]
    metric = load_metric("ter", normalized=True)
    theirs = TER(normalized=True)
    found = metric.compute(hypotheses, references)
    assert found["scores"] == [
        theirs.sentence_score(one, own).score for one, own in zip(hypotheses, references, strict=True)
    ]
    assert found["score"] == theirs.corpus_score(hypotheses, list(zip(*references, strict=True))).score
