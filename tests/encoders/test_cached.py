"""The embedding cache: the same numbers, the model not called, nothing foreign trusted."""

import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from monge.encoders import EncodedText, Encoder, load_encoder
from monge.encoders import cached as cache_module
from monge.encoders.base import Identified
from monge.encoders.cached import CachedEncoder, load_cached
from monge.encoders.lazy import LazyEncoder
from monge.encoders.static import hashed as hashed_module
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import ModelError, OptionError
from monge.storage.store import Store

TEXTS = ["The boy in a coat.", "A dog — ein Hund, 犬!", "", "  ", "lone \ud800 surrogate", "[[ [brackets] ]]"]


@dataclass(frozen=True)
class CountingEncoder(HashedEncoder):
    """Remembers what it was asked for."""

    asked: list[str] = field(default_factory=list, compare=False)
    notes: tuple[str, ...] = ()
    scale: float = 1.0
    unknown: float = 0.0

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        self.asked.extend(texts)
        encoded = super().encode(texts, layers)
        return [
            dataclasses.replace(e, vectors=e.vectors * np.float32(self.scale), notes=self.notes, unknown=self.unknown)
            for e in encoded
        ]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "embeddings")


def make(store: Store, **settings: object) -> tuple[CachedEncoder, list[str]]:
    encoder = CountingEncoder(dimension=8, special=True, **settings)  # type: ignore[arg-type]
    return CachedEncoder(encoder, store), encoder.asked


def assert_equal(one: EncodedText, other: EncodedText) -> None:
    assert (one.text, one.tokens, one.notes, one.unknown) == (other.text, other.tokens, other.notes, other.unknown)
    for name in ("spans", "vectors", "special", "words"):
        got, want = getattr(one, name), getattr(other, name)
        assert got.dtype == want.dtype
        assert got.tolist() == want.tolist()


def test_it_is_an_encoder(store: Store) -> None:
    cached, _ = make(store)
    assert isinstance(cached, Encoder)
    assert (cached.layers, cached.dimension) == (3, 8)
    assert cached.signature == HashedEncoder(dimension=8, special=True).signature


@pytest.mark.parametrize("layers", [[2], [0, 2], [2, 0], [1, 1], None])
def test_cached_equals_plain(store: Store, layers: list[int] | None) -> None:
    plain = CountingEncoder(dimension=8, special=True, notes=("encoded in 2 windows",), unknown=0.375)
    for _ in range(2):
        cached, _ = make(store, notes=("encoded in 2 windows",), unknown=0.375)
        for got, want in zip(cached.encode(TEXTS, layers), plain.encode(TEXTS, layers), strict=True):
            assert_equal(got, want)


def test_a_text_is_encoded_once(store: Store) -> None:
    first, asked = make(store)
    first.encode(["a b", "c", "a b"], [1])
    first.encode(["c", "d"], [1])
    assert asked == ["a b", "c", "d"]
    again, asked_again = make(store)
    again.encode(["a b", "c", "d"], [1])
    assert asked_again == []


def test_layers_are_shared(store: Store) -> None:
    cached, asked = make(store)
    cached.encode(["x y"], [0, 1])
    cached.encode(["x y"], [1])
    cached.encode(["x y"], [0])
    assert asked == ["x y"]
    cached.encode(["x y"], [1, 2])
    assert asked == ["x y", "x y"]


def test_other_encoders_share_nothing(store: Store) -> None:
    make(store)[0].encode(["x"], [0])
    other, asked = make(store, seed=1)
    other.encode(["x"], [0])
    assert asked == ["x"]


def test_other_code_shares_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    make(store)[0].encode(["x"], [0])
    monkeypatch.setattr(hashed_module, "ALGORITHM", 99)
    other, asked = make(store)
    other.encode(["x"], [0])
    assert asked == ["x"]


def test_tokens_come_from_the_cache(store: Store) -> None:
    plain = HashedEncoder(dimension=8, special=True)
    cached, _ = make(store)
    assert cached.tokenize(TEXTS) == plain.tokenize(TEXTS)
    cached.encode(TEXTS, [0])
    silent = CachedEncoder(LazyEncoder(_refuse, _facts(plain)), store)
    assert silent.tokenize([*TEXTS, TEXTS[0]]) == plain.tokenize([*TEXTS, TEXTS[0]])


def _refuse() -> Encoder:
    raise AssertionError("the encoder was loaded")


def _facts(encoder: Encoder) -> "cache_module.EncoderFacts":
    return cache_module.EncoderFacts.of(encoder)


def test_damage_is_encoded_again(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    cached, asked = make(store)
    want = cached.encode(TEXTS, [0])
    (pack,) = store.directory.glob("*.pack")
    os.truncate(pack, pack.stat().st_size // 2)
    for got, plain in zip(cached.encode(TEXTS, [0]), want, strict=True):
        assert_equal(got, plain)
    assert len(TEXTS) < len(asked) < 2 * len(TEXTS)
    assert "damaged" in capsys.readouterr().err


def test_a_layer_that_does_not_exist_is_refused_as_ever(store: Store) -> None:
    cached, _ = make(store)
    for layers in ([3], [-4]):
        with pytest.raises(OptionError, match="layer"):
            cached.encode(["x"], layers)


def test_negative_layers_as_the_encoder_has_them(store: Store) -> None:
    cached, _ = make(store)
    assert_equal(cached.encode(["x y"], [-1])[0], cached.encode(["x y"], [2])[0])


def test_float16_is_reported_and_stable(store: Store) -> None:
    encoder = CountingEncoder(dimension=8)
    half = CachedEncoder(encoder, store, dtype="float16")
    assert half.signature == f"{encoder.signature},cache=float16"
    first, second = (half.encode(["some words here"], [0, 1])[0] for _ in range(2))
    assert encoder.asked == ["some words here"]
    assert_equal(first, second)
    exact = encoder.encode(["some words here"], [0, 1])[0]
    np.testing.assert_allclose(first.vectors, exact.vectors, rtol=1e-3, atol=1e-6)
    assert (first.vectors != exact.vectors).any()


def test_an_encoder_without_an_identity_is_not_cached(store: Store) -> None:
    class Own:
        signature, layers, dimension = "own", 1, 2

        def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
            return [() for _ in texts]

        def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
            return []

    own = Own()
    assert not isinstance(own, Identified)
    assert load_encoder(own, cache=True) is own
    with pytest.raises(OptionError, match="Own has no identity: its vectors cannot be stored"):
        CachedEncoder(own, store)  # type: ignore[arg-type]


def test_float16_refuses_what_it_cannot_hold(store: Store) -> None:
    half = CachedEncoder(CountingEncoder(dimension=8, scale=1e6), store, dtype="float16")
    with pytest.raises(ModelError, match="float16 cannot hold"):
        half.encode(["x"], [0])


def test_an_unknown_dtype_is_refused(store: Store) -> None:
    with pytest.raises(OptionError, match="float32 or float16"):
        CachedEncoder(HashedEncoder(), store, dtype="float61")  # type: ignore[arg-type]


def test_an_encoder_known_from_before_is_not_loaded(store: Store) -> None:
    plain = HashedEncoder(dimension=8)
    first = load_cached(lambda: plain, identity="one", title="x", store=store)
    first.encode(["a b"], [1])
    later = load_cached(_refuse, identity="one", title="x", store=store)
    assert (later.signature, later.layers, later.dimension) == (plain.signature, 3, 8)
    assert_equal(later.encode(["a b"], [1])[0], plain.encode(["a b"], [1])[0])
    with pytest.raises(AssertionError, match="was loaded"):
        later.encode(["new"], [1])
    with pytest.raises(AssertionError, match="was loaded"):
        load_cached(_refuse, identity="two", title="x", store=store)


def test_files_that_change_in_use_are_noticed(store: Store) -> None:
    load_cached(lambda: HashedEncoder(seed=1), identity="one", title="x", store=store)
    swapped = load_cached(lambda: HashedEncoder(seed=2), identity="one", title="x", store=store)
    with pytest.raises(ModelError, match="changed while it was in use"):
        swapped.encode(["x"], [0])


def test_it_can_be_sent_to_another_process(store: Store) -> None:
    cached = CachedEncoder(HashedEncoder(dimension=8), store)
    cached.encode(["a"], [0])
    copy = pickle.loads(pickle.dumps(cached))
    assert_equal(copy.encode(["a"], [0])[0], cached.encode(["a"], [0])[0])


SCORE = """
import sys
from monge.metrics import load_metric
result = load_metric("bertscore").compute(["The boy ran home."], ["The young man ran home."])
print(result["score"], sorted(m for m in ("onnxruntime", "tokenizers") if m in sys.modules))
"""


def test_the_second_run_loads_no_model(minilm_directory: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "all-MiniLM-L6-v2").symlink_to(minilm_directory, target_is_directory=True)
    environment = {**os.environ, "MONGE_CACHE": str(tmp_path), "MONGE_NO_CACHE": ""}

    def run(**changes: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", SCORE], env=environment | changes, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.split(" ", 1)

    score, loaded = run(MONGE_NO_CACHE="1")
    assert [path.name for path in tmp_path.iterdir()] == ["models"]  # nothing was kept
    assert run() == [score, loaded]
    assert loaded.strip() == "['onnxruntime', 'tokenizers']"
    assert run() == [score, "[]\n"]


def test_cheap_encoders_and_objects_are_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MONGE_NO_CACHE", raising=False)
    assert isinstance(load_encoder("hashed", cache=True), HashedEncoder)
    own = HashedEncoder(seed=3)
    assert load_encoder(own, cache=True) is own
