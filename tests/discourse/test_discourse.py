"""Foci, graphs and chains, worked by hand."""

import math

import numpy as np
import pytest

from monge.annotate import load_annotator
from monge.discourse import (
    EntityFinder,
    chain_share,
    connectivity,
    find_chains,
    find_nouns,
    link_sentences,
    match_chains,
    mean_out_degree,
    mean_repetition,
    merge_entities,
    repetition_rate,
)
from monge.encoders.static.hashed import HashedEncoder

# four sentences: boat, crew | boat | - | boat, crew
FOCI = {"boat": (0, 2, 4), "crew": (1, 5)}
SENTENCES = np.array([0, 0, 1, 2, 3, 3])


def test_links_fall_with_distance() -> None:
    unweighted = link_sentences(FOCI, SENTENCES, 4)
    third, half = 1 / 3, 1 / 2
    assert unweighted == pytest.approx(np.array([[0, 1, 0, third], [0, 0, 0, half], [0] * 4, [0] * 4]))
    weighted = link_sentences(FOCI, SENTENCES, 4, weighted=True)
    assert weighted[0, 3] == pytest.approx(2 / 3)  # boat and crew, three sentences apart
    assert weighted[1, 3] == pytest.approx(1 / 2)


def test_graph_features() -> None:
    links = link_sentences(FOCI, SENTENCES, 4)
    total = 1 + 1 / 3 + 1 / 2
    assert mean_out_degree(links) == pytest.approx(total / 4)
    assert connectivity(links) == pytest.approx(total / 16)
    assert math.isnan(connectivity(np.zeros((0, 0))))
    assert math.isnan(mean_out_degree(np.zeros((0, 0))))


def test_repetition_features() -> None:
    foci = {**FOCI, "coast": (9,)}
    assert repetition_rate(foci) == pytest.approx(5 / 3)  # more than 1: three mentions of boat, two of crew
    assert chain_share(foci) == pytest.approx(2 / 3)
    assert mean_repetition(foci) == pytest.approx(5 / 2)
    assert mean_repetition({"coast": (9,)}) == 0
    assert math.isnan(repetition_rate({}))
    assert math.isnan(chain_share({}))


def test_chains_need_two_sentences() -> None:
    chains = find_chains({**FOCI, "deck": (0, 1)}, SENTENCES)
    assert chains == {"boat": frozenset({0, 1, 3}), "crew": frozenset({0, 3})}
    reference = {"boat": frozenset({0, 1}), "crew": frozenset({1, 2, 3})}
    assert match_chains(chains, reference) == pytest.approx(2 / 2 + 1 / 3)
    assert match_chains({}, reference) == 0


def test_entities_are_connected_components_in_any_order() -> None:
    vectors = {"a": np.array([1.0, 0]), "b": np.array([0.8, 0.6]), "c": np.array([0.28, 0.96]), "z": np.zeros(2)}
    foci = {"c": (0,), "x": (1,), "a": (2,), "z": (3,), "b": (4,)}
    merged = {"a-b-c": (0, 2, 4), "x": (1,), "z": (3,)}  # a and c are joined by b, though cos(a, c) = .28
    assert merge_entities(foci, vectors, 0.75) == merged
    assert merge_entities(dict(reversed(foci.items())), vectors, 0.75) == merged
    assert merge_entities(foci, vectors, 0.8) == merge_entities(foci, {}, 0.5), "a cosine of θ itself is not above θ"


def test_an_entity_finder_looks_words_up_in_any_encoder() -> None:
    text = load_annotator(cache=False).annotate(["The boat sank near the coast. The boats came."])[0]
    assert EntityFinder(HashedEncoder(), 0.99)(text) == find_nouns(text) == {"boat": (1, 8), "coast": (5,)}
    assert EntityFinder(HashedEncoder(), -1.0)(text) == {"boat-coast": (1, 5, 8)}
