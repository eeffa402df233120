"""Clouds of many texts at once are those of one text at a time, bit for bit."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from monge.clouds import CloudBatch, CloudRecipe, IdfModel, PointCloud, build_clouds
from monge.clouds.ngrams import pool_many, pool_ngrams
from monge.encoders.cached import CachedEncoder
from monge.encoders.held import find_held, find_shared, hold_encodings
from monge.encoders.layers import parse_aggregation
from monge.encoders.prefetch import encode_batches
from monge.encoders.ragged import EncodedBatch
from monge.encoders.static.hashed import HashedEncoder
from monge.storage.store import Store

TEXTS = [
    "The boy, a man, ran .",
    "",
    "the of and",
    "believe be lieve",
    "   ",
    "...",
    "one",
    "One more text, which is a little longer than all the others !",
    "😀 and words",
]
RECIPES = {
    "plain": CloudRecipe(),
    "everything": CloudRecipe(drop=()),
    "massless": CloudRecipe(drop=(), massless=("special", "punctuation")),
    "filtered": CloudRecipe(drop=("special", "punctuation", "stopwords"), normalise_points=True),
    "subwords": CloudRecipe(drop=("special", "subwords", "ascii_punctuation"), weighting="idf"),
    "idf": CloudRecipe(weighting="idf", normalise_points=True),
    "plus one": CloudRecipe(weighting="idf_plus_one"),
    "tfidf": CloudRecipe(weighting="tfidf"),
    "bigrams": CloudRecipe(ngram=2, weighting="idf"),
    "trigrams": CloudRecipe(ngram=3, normalise_points=True, massless=("punctuation", "special"), drop=()),
    "unit sums": CloudRecipe(ngram=2, pooling="sum", normalise_points=True, weighting="idf"),
    "sums": CloudRecipe(pooling="sum"),
    "whole text": CloudRecipe(ngram=0),
    "p-means": CloudRecipe(aggregation=parse_aggregation("pmeans:1,inf,-inf"), normalise_layers=True),
    "mean": CloudRecipe(aggregation=parse_aggregation("mean"), normalise_points=True),
    "routing": CloudRecipe(aggregation=parse_aggregation("routing:gaussian")),
}


class ThreeLayers(HashedEncoder):
    """An encoder of three layers that does not know some words, and remembers what it encoded."""

    def __init__(self) -> None:
        super().__init__(dimension=6, layers=3, special=True)
        object.__setattr__(self, "encoded", [])

    @property
    def identity(self) -> str:
        return "three layers"

    def encode(self, texts, layers=None):  # type: ignore[no-untyped-def]
        self.encoded.extend(texts)
        shares = {"one": 1.0, "believe be lieve": 0.4}
        return [dataclasses.replace(one, unknown=shares.get(one.text, 0.0)) for one in super().encode(texts, layers)]


def same(one: PointCloud, other: PointCloud) -> bool:
    arrays, rest = ("points", "weights", "spans", "positions"), ("tokens", "text", "notes", "unknown", "readable")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return equal and all(getattr(one, name) == getattr(other, name) for name in rest)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES.keys())
@pytest.mark.parametrize("cached", [False, True])
def test_many_texts_at_once_are_one_text_at_a_time(recipe: CloudRecipe, cached: bool, tmp_path: Path) -> None:
    plain = ThreeLayers()
    layers = [0, 1, 2] if recipe.aggregation.text != "single" else [1]
    idf = IdfModel.count(plain.tokenize(TEXTS))
    expected = {one.text: recipe.build(one, idf) for one in plain.encode(TEXTS, layers)}
    encoder = CachedEncoder(plain, Store(tmp_path / "vectors")) if cached else plain
    for _ in range(2):  # from the encoder, then from the store
        batches = list(encode_batches(encoder, TEXTS, layers))
        made = CloudBatch.join([build_clouds(recipe, batch, idf) for batch in batches])
        assert list(made) == TEXTS
        for k, text in enumerate(TEXTS):
            assert same(made[text], expected[text]), text
            own = slice(made.offsets[k], made.offsets[k + 1])
            assert np.array_equal(made.points[own], expected[text].points)
            assert (made.empty[k], made.notes[k]) == (expected[text].empty, expected[text].notes)
        ragged = made.ragged(positional=True)
        assert ragged.positions is not None
        assert len(ragged.positions) == made.offsets[-1]


def test_batches_of_several_blocks_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.encoders.prefetch.BLOCK", 2)
    encoder, recipe = ThreeLayers(), CloudRecipe(drop=("special", "stopwords"))
    joined = CloudBatch.join([build_clouds(recipe, batch, None) for batch in encode_batches(encoder, TEXTS, [0])])
    for one in ThreeLayers().encode(TEXTS, [0]):
        assert same(joined[one.text], recipe.build(one, None))


def test_held_texts_are_encoded_once_for_all_layers() -> None:
    encoder = ThreeLayers()
    shared = find_shared([(encoder, (0,)), (encoder, (2, 1))])
    assert [one.layers for one in shared] == [(0, 1, 2)]
    assert find_held(encoder, TEXTS, [0]) is None
    with hold_encodings(shared, TEXTS):
        for texts, layers in ((TEXTS, [0]), (TEXTS, [2, 1]), (TEXTS[::-2], [1, 2])):
            found = [batch[k] for batch in encode_batches(encoder, texts, layers) for k in range(len(batch))]
            for got, want in zip(found, ThreeLayers().encode(texts, layers), strict=True):
                assert (got.text, got.tokens) == (want.text, want.tokens)
                assert np.array_equal(got.vectors, want.vectors)
        assert find_held(encoder, ["another text"], [0]) is None
    assert encoder.encoded == TEXTS
    assert find_held(encoder, TEXTS, [0]) is None


def test_a_batch_gives_back_its_texts() -> None:
    encoded = ThreeLayers().encode(TEXTS)
    batch = EncodedBatch.of(encoded)
    for k, one in enumerate(encoded):
        assert batch[k].tokens == one.tokens
        assert np.array_equal(batch[k].vectors, one.vectors)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("mean", [True, False])
def test_texts_of_all_lengths_are_pooled_as_one_at_a_time(n: int, mean: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.clouds.ngrams._AT_ONCE", 100)
    chance = np.random.default_rng(n)
    sizes = chance.integers(0, 40, 120)
    points = chance.normal(size=(sizes.sum(), 5)).astype(np.float32)
    weights = chance.random(sizes.sum()) * (chance.random(sizes.sum()) < 0.6)  # windows without any mass among them
    pooled, masses, counts = pool_many(points, weights, sizes, n, mean=mean)
    ends, at = np.cumsum(sizes), np.cumsum([0, *counts])
    for k in np.flatnonzero(sizes).tolist():
        own = slice(ends[k] - sizes[k], ends[k])
        want, mass, windows = pool_ngrams(points[own], weights[own], n, mean=mean)
        assert counts[k] == len(windows)
        assert pooled[at[k] : at[k + 1]].tobytes() == want.tobytes()
        assert masses[at[k] : at[k + 1]].tobytes() == mass.tobytes()
    assert counts[sizes == 0].sum() == 0
