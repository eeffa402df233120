"""What encoders compute is numbered: an output that changes must come with a new number, or caches would lie.

The table was made by the code itself. When a test here fails, either the change was not meant, or the component's
ALGORITHM must be raised and the table updated with the values that the failure prints.
"""

import hashlib
import importlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from monge.encoders import EncodedText, aggregate_layers, load_encoder
from monge.encoders.context import ContextEncoder
from monge.encoders.identity import COMPONENTS
from monge.encoders.joined import JoinedEncoder
from monge.encoders.plan import plan_transformer
from monge.encoders.static import StaticEncoder
from monge.encoders.static.hashed import HashedEncoder
from monge.storage.artifact import Artifact

DATA = Path(__file__).parent / "static" / "data"
TEXTS = ["The boy in a coat ran home.", "Don't pay 1,000.5 — naïve 猫!", ""]
LONG = ["many words " * 400]  # several windows

Sketch = tuple[str, list[float]]
# component: its ALGORITHM, a digest of the tokens and four sums of the vectors
TABLE: dict[str, tuple[int, Sketch]] = {
    "transformer": (2, ("712f7fab35e25e8d", [151.152, -206.034, 745.087, -305.937])),
    "onnx": (1, ("76976c4e9beb5dd8", [-367.379, 58.5583, 83.9922, 165.868])),
    "int8": (1, ("76976c4e9beb5dd8", [-369.211, 54.6804, 78.7759, 169.131])),
    "static": (2, ("6c145b6ef8781526", [-2.21839, 9.54754, 4.56471, -9.42933])),
    "hashed": (1, ("cbabd208ecd3ea38", [-2.26381, 20.941, 17.4484, 15.9479])),
    "use": (1, ("69ce056b4f5514a5", [3679.6, 1324.69, 701.134, 2123.37])),
    "pieces": (1, ("b178818708e3592d", [374.404, -4.43435, 162.317, -121.807])),
    "context": (1, ("f7703405157a20ff", [1.25894, -0.14363, -5.07977, -4.20081])),
    "joined": (1, ("61c244bb8f49a8d4", [-1.6293, -18.0169, -2.35812, 11.6528])),
    "layers": (
        1,
        (
            "",
            [
                1.27267,
                1.91259,
                -1.15699,
                0.787242,
                0.406451,
                -5.16249,
                -2.21594,
                7.3508,
                6.93319,
                -8.6199,
                13.1291,
                3.93577,
                3.21307,
                4.28513,
                -3.53989,
                3.44812,
                3.20818,
                4.21742,
                -3.41968,
                3.51674,
            ],
        ),
    ),
}


def sketch(encoded: list[EncodedText]) -> Sketch:
    """Return a digest that every token, span and share enters, and four sums that every value enters."""
    tokens = [
        [one.tokens, one.spans.tolist(), one.words.tolist(), one.special.tolist(), one.unknown] for one in encoded
    ]
    digest = hashlib.sha256(json.dumps(tokens).encode()).hexdigest()[:16]
    return digest, project(np.concatenate([one.vectors.reshape(-1) for one in encoded]))


def project(values: NDArray[np.floating]) -> list[float]:
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    signs = np.random.RandomState(0).choice([-1.0, 1.0], size=(4, len(flat)))  # a stream that numpy keeps for good
    return [float(value) for value in signs @ flat]


def run_transformer() -> Sketch:
    return sketch(load_encoder("minilm").encode([*TEXTS, *LONG], [0, 3, 6]))


def run_onnx() -> Sketch:
    return sketch(load_encoder("minilm").encode(TEXTS))


def run_int8() -> Sketch:
    return sketch(load_encoder("minilm", dtype="int8").encode(TEXTS))


def run_static() -> Sketch:
    files = [StaticEncoder.load(DATA / name, oov="hash") for name in ("word2vec.txt", "word2vec.bin", "fasttext.bin")]
    return sketch([one for encoder in files for one in encoder.encode(TEXTS)])


def run_hashed() -> Sketch:
    return sketch(HashedEncoder(dimension=8, special=True).encode(TEXTS))


def run_use() -> Sketch:
    encoder = load_encoder("use")
    return sketch([one for layer in range(5) for one in encoder.encode(TEXTS, [layer])])


def run_pieces() -> Sketch:
    return sketch(load_encoder("use").encode([*TEXTS, "a ▁ b. 日本 語"], [0]))


def run_layers() -> Sketch:
    states = np.random.RandomState(1).standard_normal((4, 5, 6))
    names = ("mean", "concat", "pmeans:1,3,inf,-inf", "routing:epanechnikov", "routing:gaussian:leaky")
    return "", [value for name in names for value in project(aggregate_layers(states, name, normalise=name == "mean"))]


def make_context() -> ContextEncoder:
    words = ["the", "boy", "in", "a", "coat", "ran", "home", "."]
    shapes = {"embedding": (9, 4), "input": (16, 4), "recurrent": (16, 4), "bias": (16,)}
    random = np.random.RandomState(3)
    arrays = {f"{seed}.{part}": random.standard_normal(shape) for seed in (1, 2) for part, shape in shapes.items()}
    return ContextEncoder(Artifact("context", arrays, {"dimension": 4, "seeds": [1, 2], "vocabulary": words}))


def run_context() -> Sketch:
    return sketch(make_context().encode(TEXTS))


def run_joined() -> Sketch:
    pairs = [(HashedEncoder(dimension=size, special=True), raw) for size in (4, 8) for raw in (True, False)]
    made = [JoinedEncoder(static, make_context(), 0.3, "auto", raw) for static, raw in pairs]
    return sketch([one for encoder in made for one in encoder.encode(TEXTS)])


RUNS: dict[str, Callable[[], Sketch]] = {
    "transformer": run_transformer,
    "onnx": run_onnx,
    "int8": run_int8,
    "static": run_static,
    "hashed": run_hashed,
    "use": run_use,
    "pieces": run_pieces,
    "context": run_context,
    "joined": run_joined,
    "layers": run_layers,
}


@pytest.mark.parametrize("component", RUNS)
def test_outputs_change_only_with_their_number(component: str, minilm_directory: Path) -> None:
    stored_number, (stored_tokens, stored) = TABLE[component]
    number = importlib.import_module(COMPONENTS[component]).ALGORITHM
    tokens, sums = RUNS[component]()
    entry = (number, (tokens, [float(f"{value:.6g}") for value in sums]))
    changed = f"outputs of {component} changed: raise its ALGORITHM and update this table with {entry}"
    assert tokens == stored_tokens, changed
    # processors differ by 1e-6 of a value, a million values by 1e-3 in a sum; one other token makes a difference of 10;
    # in int8 such a difference may round to another whole number
    slack = {"transformer": 2e-2, "onnx": 2e-2, "use": 2e-2, "int8": 2.0}.get(component, 1e-4)
    assert sums == pytest.approx(stored, rel=1e-4, abs=slack), changed
    assert number == stored_number, f"{component}.ALGORITHM was raised: update this table with {entry}"


def test_every_component_that_computes_vectors_is_held() -> None:
    without_numbers = {"cached", "converted", "digests"}  # they keep what others computed
    elsewhere = {"torch-backend"}  # against transformers itself: test_torch.py
    assert set(RUNS) == set(COMPONENTS) - without_numbers - elsewhere == set(TABLE)


@pytest.mark.parametrize(("component", "value"), [("transformer", 99), ("onnx", 99)])
def test_a_raised_number_is_another_identity(
    component: str, value: int, minilm_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plan_transformer(minilm_directory).identity
    number = importlib.import_module(COMPONENTS[component]).ALGORITHM
    monkeypatch.setattr(f"{COMPONENTS[component]}.ALGORITHM", value)
    after = before.replace(f"{component}={number}", f"{component}={value}")
    assert plan_transformer(minilm_directory).identity == after
