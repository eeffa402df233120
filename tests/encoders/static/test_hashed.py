"""The hashed encoder behaves like a contextual one, and always the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monge.encoders.base import Encoder
from monge.encoders.static.hashed import HashedEncoder, hashed_vector
from monge.errors import OptionError


def test_follows_the_protocol() -> None:
    assert isinstance(HashedEncoder(), Encoder)


def test_values_are_pinned() -> None:
    """Golden values in other tests rest on these: they must not change with platform or version."""
    expected = [-1.2968241378914722, 1.4722652964461744, 1.5931907924841546]
    assert hashed_vector("boy", 3) == pytest.approx(expected, abs=1e-12)


def test_layers_differ_and_context_matters_above_the_first() -> None:
    encoder = HashedEncoder(dimension=16, layers=3)
    alone, before, other = (e.vectors for e in encoder.encode(["boy", "boy runs", "boy sits"]))
    assert np.array_equal(alone[0, 0], before[0, 0])
    assert not np.allclose(before[1, 0], other[1, 0])
    cosine = float(before[2, 0] @ other[2, 0] / np.linalg.norm(before[2, 0]) / np.linalg.norm(other[2, 0]))
    assert 0.3 < cosine < 1  # mild
    assert not np.allclose(before[0, 0], before[1, 0])


def test_every_setting_changes_vectors_and_signature() -> None:
    settings = [{}, {"dimension": 32}, {"layers": 2}, {"seed": 1}, {"special": True}]
    encoders = [HashedEncoder(**setting) for setting in settings]  # type: ignore[arg-type]
    assert len({encoder.signature for encoder in encoders}) == len(settings)
    assert len({encoder.encode(["a b"])[0].vectors.tobytes() for encoder in encoders}) == len(settings)


def test_special_tokens() -> None:
    encoded = HashedEncoder(special=True).encode(["A boy."])[0]
    assert encoded.tokens == ("[CLS]", "A", "boy", ".", "[SEP]")
    assert encoded.special.tolist() == [True, False, False, False, True]
    assert encoded.words.tolist() == [-1, 0, 1, 2, -1]
    assert encoded.spans.tolist() == [[0, 0], [0, 1], [2, 5], [5, 6], [6, 6]]


def test_chosen_layers_come_in_the_order_asked_for() -> None:
    encoder = HashedEncoder(layers=3)
    everything, some = encoder.encode(["a b"])[0].vectors, encoder.encode(["a b"], [2, 0, -1])[0].vectors
    assert np.array_equal(some, everything[[2, 0, 2]])
    with pytest.raises(OptionError, match="layer 3 is not among the 3 layers"):
        encoder.encode(["a"], [3])


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        HashedEncoder(dimension=0)


@given(st.lists(st.text(max_size=20), max_size=4), st.booleans())
def test_any_text(texts: list[str], special: bool) -> None:
    encoder = HashedEncoder(dimension=4, layers=2, special=special)
    encoded = encoder.encode(texts)
    assert [e.tokens for e in encoded] == encoder.tokenize(texts)
    for text, result in zip(texts, encoded, strict=True):
        alone = encoder.encode([text])[0]
        assert np.array_equal(result.vectors, alone.vectors)
        for token, (start, end), is_special in zip(result.tokens, result.spans, result.special, strict=True):
            assert is_special or text[start:end] == token
