"""Leaving words out: exact on small games, cheap on large ones, and true to the published measures."""

from itertools import permutations

import numpy as np
import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.explanation.local import occlude_words, sample_shapley
from monge.explanation.methods import LOCAL_METHODS
from monge.explanation.plausibility import average_precision, measure_plausibility, rank_auc, recall_at_k
from monge.metrics import load_metric
from monge.text import Segment

CHRF = load_metric("chrf")


def exact_shapley(words: list[str], reference: str) -> list[float]:
    """Shapley values by all orders."""

    def value(kept: frozenset[int]) -> float:
        text = " ".join(word for i, word in enumerate(words) if i in kept)
        return CHRF.score([Segment(text, (reference,))])[0].value

    effects = np.zeros(len(words))
    orders = list(permutations(range(len(words))))
    for order in orders:
        for place, word in enumerate(order):
            before = frozenset(order[:place])
            effects[word] += value(before | {word}) - value(before)
    return (effects / len(orders)).tolist()


def test_sampling_comes_close_to_all_orders() -> None:
    words, reference = ["the", "zebra", "ran", "home"], "the boy ran home"
    exact = exact_shapley(words, reference)
    sampled = sample_shapley(CHRF, Segment(" ".join(words), (reference,)), orders=400)
    assert [word.effect for word in sampled.words] == pytest.approx(exact, abs=2.0)
    assert min(sampled.words, key=lambda word: word.effect).text == "zebra"


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter", "emd", "bertscore"])
def test_shapley_values_add_up(name: str) -> None:
    options = {"encoder": HashedEncoder(layers=7, special=True)} if name in ("emd", "bertscore") else {}
    metric = load_metric(name, **options)
    segment = Segment("the zebra ran, quickly!", ("the boy ran home",))
    found = sample_shapley(metric, segment, orders=6)
    assert found.base + sum(word.effect for word in found.words) == pytest.approx(found.value, abs=1e-9)
    assert found.value == pytest.approx(metric.score([segment])[0].value, abs=1e-9)


def test_it_is_deterministic_and_seeded() -> None:
    segment = Segment("a b c d e f", ("a x c y e z",))
    first, second = (sample_shapley(CHRF, segment, orders=4) for _ in range(2))
    assert first == second
    assert first != sample_shapley(CHRF, segment, orders=4, seed=1)


def test_occlusion_is_the_difference_of_two_scores() -> None:
    found = occlude_words(CHRF, Segment("the zebra ran", ("the boy ran",)))
    without = CHRF.score([Segment("the ran", ("the boy ran",))])[0].value
    assert found.words[1].effect == pytest.approx(found.value - without)
    assert found.evaluations == 4
    assert int(np.argmax(found.suspicion())) == 1


def test_a_distance_is_turned_round() -> None:
    found = occlude_words(load_metric("ter"), Segment("the zebra ran", ("the ran",)))
    assert int(np.argmax(found.suspicion())) == 1


@pytest.mark.parametrize("side", ["reference", "hypothesis"])
def test_spans_are_those_of_the_text(side: str) -> None:
    text = "Well,  isn't it? 日本"
    segment = Segment(text, ("x",)) if side == "hypothesis" else Segment("x", (text,))
    found = occlude_words(CHRF, segment, side=side)
    assert [text[word.start : word.end] for word in found.words] == [word.text for word in found.words]
    assert [word.text for word in found.words] == ["Well", ",", "isn't", "it", "?", "日", "本"]


@pytest.mark.parametrize("method", sorted(LOCAL_METHODS))
def test_what_cannot_be_left_out_is_told(method: str) -> None:
    explain = LOCAL_METHODS[method]
    with pytest.raises(InputError, match="no word"):
        explain(CHRF, Segment("  ", ("x",)))
    with pytest.raises(InputError, match="at most"):
        explain(CHRF, Segment("a " * 500, ("x",)))
    with pytest.raises(InputError, match="not 2"):
        explain(CHRF, Segment("a", ("x", "y")), side="reference")
    with pytest.raises(InputError, match="no source"):
        explain(CHRF, Segment("a", ("x",)), side="source")


def test_too_few_orders() -> None:
    with pytest.raises(OptionError, match="orders"):
        sample_shapley(CHRF, Segment("a", ("b",)), orders=1)


def test_measures_by_hand() -> None:
    gold = np.array([True, False, True, False])
    found = np.array([0.9, 0.8, 0.3, 0.1])
    assert rank_auc(gold, found) == 0.75
    assert average_precision(gold, found) == pytest.approx((1 + 2 / 3) / 2)
    assert recall_at_k(gold, found) == 0.5
    # tied words come in together: one threshold with precision 1/2
    assert average_precision(np.array([True, False]), np.array([0.5, 0.5])) == 0.5


def test_sentences_without_contrast_are_left_out() -> None:
    result = measure_plausibility([[0, 0], [1, 1], [0, 1]], [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]])
    assert result.sentences == 1
    with pytest.raises(InputError, match="sentence 1"):
        measure_plausibility([[0, 1]], [[0.5]])
    with pytest.raises(InputError, match="both"):
        measure_plausibility([[0, 0]], [[0.5, 0.1]])
