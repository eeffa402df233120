import math

import numpy as np
import pytest

from monge.clouds import CloudRecipe, IdfModel, PointCloud, join_clouds, parse_filters
from monge.clouds.filters import match_filters
from monge.clouds.ngrams import pool_ngrams
from monge.clouds.weights import weigh_tokens
from monge.encoders import EncodedText
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError


def encode(text: str, special: bool = True) -> EncodedText:
    return HashedEncoder(dimension=8, special=special).encode([text], [1])[0]


def pieces() -> EncodedText:
    """[CLS] un ##believ ##able , yes [SEP]"""
    tokens = ("[CLS]", "un", "##believ", "##able", ",", "yes", "[SEP]")
    vectors = np.arange(7 * 2, dtype=np.float32).reshape(1, 7, 2) + 1
    special = np.array([True, False, False, False, False, False, True])
    spans = np.array([[0, 0], [0, 2], [2, 8], [8, 12], [12, 13], [14, 17], [0, 0]])
    return EncodedText("unbelievable, yes", tokens, spans, vectors, special, np.array([-1, 0, 0, 0, 1, 2, -1]))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("special", [0, 6]),
        ("subwords", [2, 3]),
        ("punctuation", [4]),
        ("ascii_punctuation", [4]),
        ("special+punctuation+subwords", [0, 2, 3, 4, 6]),
        ("none", []),
    ],
)
def test_filters_name_their_tokens(names: str, expected: list[int]) -> None:
    assert np.flatnonzero(match_filters(pieces(), parse_filters(names))).tolist() == expected


def test_stopwords_are_found_in_any_case() -> None:
    encoded = encode("The cat and THE dog", special=False)
    assert match_filters(encoded, ["stopwords"]).tolist() == [True, False, True, True, False]


def test_unknown_filter_offers_the_nearest() -> None:
    with pytest.raises(OptionError, match="did you mean 'subwords'"):
        parse_filters("subword")


def test_idf_by_hand() -> None:
    model = IdfModel.count([("a", "b", "a"), ("a", "c"), ("a",)])
    assert weigh_tokens(["a", "b", "z"], "idf", model).tolist() == [0.0, math.log(2), math.log(4)]
    assert weigh_tokens(["a", "z"], "idf_plus_one", model).tolist() == [math.log(2), math.log(5)]
    # tf (log(N/df) + 1): b occurs twice in this text and in one of three texts
    assert weigh_tokens(["b", "a", "b"], "tfidf", model).tolist() == [2 * (math.log(3) + 1), 1.0, 2 * (math.log(3) + 1)]


def test_idf_survives_its_file_and_rejects_others(tmp_path) -> None:
    model = IdfModel.count([("ä", "b"), ("b",)])
    model.save(tmp_path / "idf.json")
    loaded = IdfModel.load(tmp_path / "idf.json")
    assert loaded == model
    assert loaded.hash == model.hash != IdfModel.count([("ä",)]).hash
    (tmp_path / "bad.json").write_text('{"documents": 2, "frequencies": {"a": 3}}')
    with pytest.raises(InputError, match=r"bad\.json"):
        IdfModel.load(tmp_path / "bad.json")
    with pytest.raises(InputError, match=r"none\.json"):
        IdfModel.load(tmp_path / "none.json")


def test_ngram_vectors_and_masses_follow_the_paper() -> None:
    points = np.array([[1, 0], [0, 1], [2, 2]], dtype=np.float32)
    idf = np.array([1.0, 2.0, 0.5])
    vectors, masses, windows = pool_ngrams(points, idf, 2)
    assert vectors.tolist() == [[1, 2], [1, 3]]  # eq. 1: idf-weighted sums
    assert masses.tolist() == [3.0, 2.5]  # eq. 2 before Z
    assert windows == [(0, 2), (1, 3)]
    assert np.allclose(pool_ngrams(points, idf, 2, mean=True)[0], [[1 / 3, 2 / 3], [1 / 2.5, 3 / 2.5]])
    assert pool_ngrams(points, idf, 1)[0].tolist() == [[1, 0], [0, 2], [1, 1]]
    for whole in (0, 9):
        assert pool_ngrams(points, idf, whole)[2] == [(0, 3)]


def test_muted_tokens_stay_as_targets_without_mass() -> None:
    cloud = CloudRecipe(drop=(), massless=("special",)).build(pieces(), None)
    assert len(cloud) == 7
    assert np.allclose(cloud.weights, [0, 0.2, 0.2, 0.2, 0.2, 0.2, 0])


@pytest.mark.parametrize(
    ("text", "recipe", "note"),
    [
        ("", CloudRecipe(), "empty text"),
        (" \t ", CloudRecipe(), "empty text"),
        ("...", CloudRecipe(drop=("special", "punctuation")), "every token filtered: kept all"),
        ("the of", CloudRecipe(drop=("special", "stopwords")), "every token filtered: kept all"),
    ],
)
def test_fallbacks_are_told(text: str, recipe: CloudRecipe, note: str) -> None:
    cloud = recipe.build(encode(text), None)
    assert note in cloud.notes
    assert math.isclose(cloud.weights.sum(), 1)
    assert "[CLS]" not in cloud.tokens


def test_empty_text_is_one_point_at_the_origin() -> None:
    cloud = CloudRecipe().build(encode(""), None)
    assert cloud.points.tolist() == [[0.0] * 8]


def test_zero_idf_falls_back_to_uniform() -> None:
    encoded = encode("one two")
    idf = IdfModel.count([encoded.tokens])
    cloud = CloudRecipe(weighting="idf").build(encoded, idf)
    assert cloud.weights.tolist() == [0.5, 0.5]
    assert cloud.notes == ("no token has weight: uniform weights",)


def test_joined_clouds_share_the_mass() -> None:
    clouds = [CloudRecipe().build(encode(text), None) for text in ("one", "two three")]
    joined = join_clouds(clouds)
    assert joined.weights.tolist() == [0.5, 0.25, 0.25]
    assert [joined.text[a:b] for a, b in joined.spans] == list(joined.tokens) == ["one", "two", "three"]


def test_a_cloud_checks_its_masses() -> None:
    with pytest.raises(InputError, match="sum to 1"):
        PointCloud(np.ones((1, 2), np.float32), np.array([0.5]), ("a",), np.zeros((1, 2), np.int64))


def test_positions_count_every_word_of_the_text() -> None:
    cloud = CloudRecipe(drop=("special", "punctuation", "stopwords")).build(encode("The boy, a man, ran ."), None)
    assert cloud.tokens == ("boy", "man", "ran")
    assert cloud.positions.tolist() == [2 / 8, 5 / 8, 7 / 8]
    assert CloudRecipe(drop=()).build(pieces(), None).positions.tolist() == [n / 3 for n in (1, 1, 1, 1, 2, 3, 3)]
    assert CloudRecipe().build(encode(""), None).positions.tolist() == [1.0]
