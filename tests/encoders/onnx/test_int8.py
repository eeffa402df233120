"""Matrix products in whole numbers of eight bits."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from monge.encoders import load_encoder
from monge.encoders.onnx.graph import make_graph, make_node
from monge.encoders.onnx.int8 import Int8Products, choose_products, computes_exactly, quantise_matrix
from monge.encoders.onnx.session import OnnxSession
from monge.encoders.plan import plan_transformer
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics import load_metric
from monge.text import Segment

TEXTS = [
    "The boy in a coat walked home.", "Rain is expected over the northern coast tonight, say the forecasters.", "x",
    "A committee of experts will meet on Tuesday to decide which of the proposals should be sent to parliament.",
]  # fmt: skip

values = st.floats(-1e3, 1e3, width=32)


@given(arrays.arrays(np.float32, arrays.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=values))
def test_a_matrix_is_wrong_by_half_a_scale_at_most(matrix):
    whole, scales = quantise_matrix(matrix)
    assert whole.dtype == np.int8
    assert np.abs(whole.astype(int)).max() <= 127
    assert (np.abs(scales[:, None] * whole - matrix) <= scales[:, None] * (0.5 + 1e-4)).all()


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("state", ["state", "activated"])
def test_a_product_is_that_of_the_rounded_numbers(signed, state):
    """The graph's product against numpy's, of states and weights rounded by the formula in the module's docstring."""
    rng = np.random.default_rng(0)
    lowest = 0.17 if state == "activated" else 0.0
    x = rng.standard_normal((2, 3, 32)).astype(np.float32)
    x = np.maximum(x, -lowest) if lowest else x
    weights = {name: rng.standard_normal((8, 32)).astype(np.float32) for name in ("merge", "contract")}
    products = Int8Products(signed)
    if not computes_exactly(products):
        pytest.skip("this processor does not multiply these types exactly")
    matrix = "contract" if lowest else "merge"
    nodes = [*products.multiply(state, {matrix: "product"}), make_node("Identity", ["product"], "hidden")]
    declared = products.declare({matrix: (8, 32)})
    graph = make_graph(nodes, declared, {state: ("FLOAT", ["B", "S", 32])}, ["B", "S", 8])
    whole, scale = quantise_matrix(weights[matrix])
    stored = whole if signed else (whole.astype(np.int16) + 128).astype(np.uint8)
    found = OnnxSession(graph, {matrix: np.ascontiguousarray(stored.T), f"{matrix}.scale": scale}).run({state: x})

    moved = x + np.float32(lowest)
    token = np.abs(moved).max(axis=-1, keepdims=True) / (255 if lowest else 127)
    expected = token * (np.rint(moved / token) @ (whole * scale[:, None]).T)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    exact = moved @ weights[matrix].T
    assert np.abs(found - exact).max() < 0.03 * np.abs(exact).max()


def test_weights_with_and_without_sign_give_the_same_vectors(minilm_directory, monkeypatch):
    if not computes_exactly(Int8Products(signed=True)):
        pytest.skip("this processor does not multiply signed weights exactly")
    found = []
    for signed in (True, False):
        monkeypatch.setattr("monge.encoders.onnx.backend.choose_products", lambda signed=signed: Int8Products(signed))
        monkeypatch.setattr("monge.encoders.transformer._LOADED", {})
        found.append(load_encoder("minilm", dtype="int8").encode(TEXTS, [6]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.vectors, other.vectors)


def test_this_processor_has_exact_products():
    assert computes_exactly(choose_products())


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_vectors_do_not_depend_on_the_texts_beside(minilm_directory, dtype):
    encoder = load_encoder("minilm", dtype=dtype)
    for text, together in zip(TEXTS, encoder.encode(TEXTS), strict=True):
        np.testing.assert_allclose(encoder.encode([text])[0].vectors, together.vectors, atol=2e-5)


def test_int8_is_near_float32(minilm_directory):
    plain, whole = (load_encoder("minilm", dtype=dtype).encode(TEXTS) for dtype in ("float32", "int8"))
    for one, other in zip(plain, whole, strict=True):
        np.testing.assert_array_equal(one.vectors[0], other.vectors[0])  # embeddings stay in float32
        cosine = (one.vectors * other.vectors).sum(-1)
        cosine /= np.linalg.norm(one.vectors, axis=-1) * np.linalg.norm(other.vectors, axis=-1)
        assert cosine.min() > 0.98
        assert np.abs(one.vectors[1:] - other.vectors[1:]).max() > 0
        assert other.vectors.dtype == np.float32


@pytest.mark.parametrize("name", ["bertscore", "moverscore", "mongescore"])
def test_the_format_is_in_the_signature_and_the_identity(minilm_directory, name):
    plain, whole = (load_metric(name, encoder="minilm", dtype=dtype) for dtype in ("float32", "int8"))
    assert "/int8" in str(whole.signature)
    assert "int8" not in str(plain.signature)
    assert plain.identity != whole.identity
    pairs = [Segment("The boy walked home.", ("The young man walked home.",))]
    one, other = (metric.bind(pairs).score(pairs)[0].value for metric in (plain, whole))
    assert one != other
    assert one == pytest.approx(other, abs=0.02)


def test_vectors_are_stored_apart(minilm_directory, tmp_path):
    environment = Environment(cache_directory=tmp_path)
    plain, whole = (
        load_encoder(minilm_directory, dtype=dtype, cache=True, environment=environment).encode(TEXTS[:1], [6])[0]
        for dtype in ("float32", "int8")
    )
    again = load_encoder(minilm_directory, dtype="int8", cache=True, environment=environment).encode(TEXTS[:1], [6])[0]
    assert not np.array_equal(plain.vectors, whole.vectors)
    np.testing.assert_array_equal(again.vectors, whole.vectors)


def test_identity_names_the_number_of_the_quantisation(minilm_directory):
    identity = plan_transformer(minilm_directory, dtype="int8").identity
    assert " int8=1 " in identity
    assert "dtype=int8" in identity


def test_int8_needs_no_torch(minilm_directory):
    code = (
        "import sys, monge.encoders as e; e.load_encoder('minilm', dtype='int8').encode(['x']);"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_int8_is_refused_where_it_cannot_be_had(minilm_directory, tmp_path):
    with pytest.raises(OptionError, match="not on 'cuda'"):
        load_encoder(minilm_directory, dtype="int8", device="cuda")
    (tmp_path / "config.json").write_text('{"model_type": "deberta"}', encoding="utf-8")
    with pytest.raises(OptionError, match="'deberta' needs torch"):
        load_encoder(tmp_path, dtype="int8")
