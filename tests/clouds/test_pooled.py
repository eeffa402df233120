"""Vectors that are joined and stored before clouds are built give the clouds of one text at a time, bit for bit."""

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.clouds import CloudBatch, CloudRecipe, IdfModel, build_clouds
from monge.clouds.pooled import choose_joining
from monge.clouds.remap import BatchRemapping
from monge.encoders.base import EncodedText, Encoder
from monge.encoders.cached import CachedEncoder
from monge.encoders.held import EncoderReading, find_shared, hold_encodings
from monge.encoders.layers import parse_aggregation
from monge.encoders.prefetch import encode_batches, encode_joined
from monge.encoders.static.hashed import HashedEncoder
from monge.storage.store import Store

TEXTS = [
    "The boy, a man, ran .",
    "",
    "the of and",
    "   ",
    "...",
    "one",
    "believe be lieve",
    "One more text, quite long !",
]
LAYERS = (0, 1, 2)
MEANS = parse_aggregation("pmeans:1,inf,-inf")
JOINED = {
    "p-means": CloudRecipe(aggregation=MEANS, normalise_layers=True, normalise_points=True, weighting="idf"),
    "p-means, filtered": CloudRecipe(aggregation=MEANS, drop=("special", "subwords", "punctuation")),
    "mean": CloudRecipe(aggregation=parse_aggregation("mean"), drop=(), massless=("special",)),
    "bigrams": CloudRecipe(aggregation=MEANS, normalise_points=True, ngram=2, weighting="idf"),
    "sums": CloudRecipe(aggregation=MEANS, normalise_points=True, pooling="sum"),
    "whole text, idf": CloudRecipe(aggregation=MEANS, ngram=0, weighting="idf", drop=()),
}
POOLED = {
    "whole text": CloudRecipe(aggregation=MEANS, ngram=0, drop=()),
    "whole text, unit": CloudRecipe(
        aggregation=MEANS, normalise_layers=True, ngram=0, drop=(), normalise_points=True, pooling="sum"
    ),
    "sentence": CloudRecipe(aggregation=parse_aggregation("mean"), ngram=0, drop=(), pooling="sentence"),
}
PLAIN = {
    "concat": CloudRecipe(aggregation=parse_aggregation("concat")),
    "routing": CloudRecipe(aggregation=parse_aggregation("routing:gaussian")),
}


class ThreeLayers(HashedEncoder):
    """An encoder of three layers that knows not a single word of one text, and remembers what it encoded."""

    def __init__(self) -> None:
        super().__init__(dimension=6, layers=3, special=True)
        object.__setattr__(self, "encoded", [])

    @property
    def identity(self) -> str:
        return "three layers"

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        self.encoded.extend(texts)  # type: ignore[attr-defined]
        shares = {"one": 1.0, "believe be lieve": 0.4}
        return [
            dataclasses.replace(one, unknown=shares.get(one.text, 0.0), notes=("cut",) if "long" in one.text else ())
            for one in super().encode(texts, layers)
        ]


class WithSentences(ThreeLayers):
    """An encoder with sentence vectors of its own."""

    sentence_layer = 1

    def pool(self, vectors: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return np.asarray(vectors.max(axis=0))


@dataclasses.dataclass(frozen=True)
class Centre:
    """A map that depends on the texts of a batch."""

    size: int = 3
    digest: str = "centre"

    def apply(self, vectors):  # type: ignore[no-untyped-def]
        return vectors

    def apply_batch(self, texts):  # type: ignore[no-untyped-def]
        return list(texts)


def make_clouds(encoder: Encoder, recipe: CloudRecipe, texts: list[str], idf: IdfModel) -> CloudBatch:
    joining, rest = choose_joining(recipe, encoder, len(LAYERS))
    if joining is None:
        batches = encode_batches(encoder, texts, LAYERS)
    else:
        batches = encode_joined(encoder, texts, LAYERS, joining)
    return CloudBatch.join([build_clouds(rest, batch, idf) for batch in batches])


def count(texts: list[str]) -> IdfModel:
    return IdfModel.count(ThreeLayers().tokenize(texts))


def assert_as_alone(clouds: CloudBatch, recipe: CloudRecipe, texts: list[str]) -> None:
    for encoded in ThreeLayers().encode(texts):
        want, got = recipe.build(encoded, count(TEXTS)), clouds[encoded.text]
        assert (got.tokens, got.notes, got.unknown, got.empty) == (want.tokens, want.notes, want.unknown, want.empty)
        assert got.points.tobytes() == want.points.tobytes()
        assert got.weights.tobytes() == want.weights.tobytes()
        assert got.spans.tolist() == want.spans.tolist()


@pytest.mark.parametrize("recipe", (JOINED | POOLED | PLAIN).values(), ids=(JOINED | POOLED | PLAIN).keys())
def test_joined_clouds_are_those_of_one_text_at_a_time(recipe: CloudRecipe, tmp_path: Path) -> None:
    plain = ThreeLayers()
    assert_as_alone(make_clouds(plain, recipe, TEXTS, count(TEXTS)), recipe, TEXTS)
    cached = CachedEncoder(ThreeLayers(), Store(tmp_path / "store"))
    for _ in range(2):
        assert_as_alone(make_clouds(cached, recipe, TEXTS, count(TEXTS)), recipe, TEXTS)
    assert cached.encoder.encoded == TEXTS  # type: ignore[attr-defined]


def test_many_readers_hold_all_that_they_join(tmp_path: Path) -> None:
    recipes = list((JOINED | POOLED | PLAIN).values())
    encoder = CachedEncoder(ThreeLayers(), Store(tmp_path / "store"))
    readings = [EncoderReading(encoder, LAYERS, choose_joining(recipe, encoder, 3)[0]) for recipe in recipes]
    for _ in range(2):
        with hold_encodings(find_shared(readings), TEXTS):
            for recipe in recipes:
                for texts in (TEXTS, TEXTS[1::2]):
                    assert_as_alone(make_clouds(encoder, recipe, texts, count(TEXTS)), recipe, texts)
    assert encoder.encoder.encoded == TEXTS  # type: ignore[attr-defined]


def stored(store: Store) -> list[int]:
    """Return the sizes of all blobs, in order of place."""
    with sqlite3.connect(store.directory / "index.sqlite") as index:
        return [size for (size,) in index.execute("SELECT size FROM entries ORDER BY pack, offset")]


@pytest.mark.parametrize("recipe", POOLED.values(), ids=POOLED.keys())
def test_a_text_that_is_read_as_one_vector_is_stored_as_one(recipe: CloudRecipe, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    texts = ["a text of six words here", "and another"]
    make_clouds(CachedEncoder(ThreeLayers(), store), recipe, texts, count(texts))
    width = 6 * (3 if recipe.aggregation == MEANS else 1)
    assert stored(store)[2:] == [4 * width] * 2  # after what is stored of the tokens


def test_the_vector_of_the_encoder_itself(tmp_path: Path) -> None:
    recipe = CloudRecipe(ngram=0, drop=(), pooling="sentence")
    for encoder in (WithSentences(), CachedEncoder(WithSentences(), Store(tmp_path / "store"))):
        joining, rest = choose_joining(recipe, encoder, 1)
        assert joining is not None
        for _ in range(2):
            batches = encode_joined(encoder, TEXTS, (1,), joining)
            clouds = CloudBatch.join([build_clouds(rest, batch, None) for batch in batches])
            for one in ThreeLayers().encode(TEXTS, [1]):
                cloud = clouds[one.text]
                known = bool(one.text.strip()) and one.unknown < 1
                assert (cloud.empty, len(cloud)) == (not known, 1)
                if known:
                    assert cloud.points[0].tolist() == one.vectors[0].max(axis=0).tolist()
                    assert (cloud.tokens, cloud.spans.tolist()) == ((one.text,), [[0, len(one.text)]])


def test_damaged_joined_vectors_are_made_again(tmp_path: Path) -> None:
    recipe = JOINED["p-means"]
    encoder = CachedEncoder(ThreeLayers(), Store(tmp_path / "store"))
    make_clouds(encoder, recipe, TEXTS, count(TEXTS))
    pack = next((tmp_path / "store").glob("*.pack"))
    content = bytearray(pack.read_bytes())
    content[-5] ^= 1
    pack.write_bytes(content)
    for _ in range(2):
        assert_as_alone(make_clouds(encoder, recipe, TEXTS, count(TEXTS)), recipe, TEXTS)
    assert encoder.encoder.encoded == TEXTS  # type: ignore[attr-defined]


def test_recipes_share_what_they_join_alike_and_nothing_else() -> None:
    def names(**changes: object) -> set[str]:
        recipes = [JOINED["p-means"], dataclasses.replace(JOINED["p-means"], **changes)]  # type: ignore[arg-type]
        return {one.name for one, _ in (choose_joining(recipe, ThreeLayers(), 3) for recipe in recipes) if one}

    assert len(names(drop=(), weighting="uniform")) == 1
    for changes in (
        {"normalise_layers": False},
        {"normalise_points": False},
        {"aggregation": parse_aggregation("mean")},
        {"ngram": 2},  # scaled to unit length after n-grams are made
        {"ngram": 0, "drop": (), "weighting": "uniform"},
    ):
        assert len(names(**changes)) == 2, changes


def test_a_map_of_whole_batches_sees_the_layers() -> None:
    remap = Centre()
    assert isinstance(remap, BatchRemapping)
    recipe = dataclasses.replace(JOINED["p-means"], remap=remap)
    assert choose_joining(recipe, ThreeLayers(), 3) == (None, recipe)


def test_half_precision_keeps_layers_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    encoder = CachedEncoder(ThreeLayers(), store, dtype="float16")
    first = make_clouds(encoder, JOINED["p-means"], TEXTS, count(TEXTS))
    again = make_clouds(encoder, JOINED["p-means"], TEXTS, count(TEXTS))
    assert first.points.tobytes() == again.points.tobytes()
    assert len(stored(store)) == 4 * len(TEXTS)
