"""Flows and networks without torch: exact inverses, files, what a start leaves unchanged."""

from pathlib import Path

import numpy as np
import pytest

from monge.crosslingual.fitted import FittedRemap, RemapFacts
from monge.crosslingual.flows import FlowFromLatent, FlowToLatent, TanhNetwork
from monge.crosslingual.maps import Chain
from monge.errors import InputError

DIMENSION, COUPLINGS, WIDTH = 5, 3, 8


def random_flow(seed: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    kept, changed = DIMENSION // 2, DIMENSION - DIMENSION // 2
    weights: dict[str, np.ndarray] = {"order": np.array([draw.permutation(DIMENSION) for _ in range(COUPLINGS)])}
    for k in range(COUPLINGS):
        shapes = {
            "mean": (DIMENSION,), "log_scale": (DIMENSION,), "w0": (kept, WIDTH), "b0": (WIDTH,), "w1": (WIDTH, WIDTH),
            "b1": (WIDTH,), "w2": (WIDTH, 2 * changed), "b2": (2 * changed,), "bound": (changed,),
        }  # fmt: skip
        weights |= {f"{k}.{name}": 0.4 * draw.standard_normal(shape) for name, shape in shapes.items()}
    return weights


@pytest.mark.parametrize("seed", range(5))
def test_a_flow_is_inverted_exactly(seed: int) -> None:
    weights = random_flow(seed)
    rows = np.random.default_rng(seed + 100).standard_normal((60, DIMENSION))
    latent = FlowToLatent.of(weights).transform(rows)
    assert not np.allclose(latent, rows, atol=0.1)
    assert np.abs(FlowFromLatent.of(weights).transform(latent) - rows).max() < 1e-5


def test_the_density_follows_from_the_jacobian() -> None:
    """The logarithm of |det J|, here by differences."""
    flow = FlowToLatent({name: array.astype(np.float64) for name, array in random_flow(1).items() if name != "order"}
                        | {"order": random_flow(1)["order"]})  # fmt: skip
    point = np.full(DIMENSION, 0.3)
    step = 1e-2  # single precision
    jacobian = np.array(
        [
            (flow.transform((point + step * unit)[None]) - flow.transform((point - step * unit)[None]))[0] / (2 * step)
            for unit in np.eye(DIMENSION)
        ]
    )
    latent = flow.transform(point[None])[0]
    normal = -0.5 * latent @ latent - 0.5 * DIMENSION * np.log(2 * np.pi)
    expected = normal + np.log(abs(np.linalg.det(jacobian)))
    assert flow.log_density(point[None])[0] == pytest.approx(expected, abs=0.01)


def test_files_keep_flows_as_they_are(tmp_path: Path) -> None:
    chain = Chain((FlowToLatent.of(random_flow(1)), FlowFromLatent.of(random_flow(2))))
    fitted = FittedRemap(RemapFacts(("real-nvp",), "e@1", (0,), training="seed=1"), chain, Chain())
    fitted.save(tmp_path / "map")
    read = FittedRemap.load(tmp_path / "map")
    assert read.digest == fitted.digest
    rows = np.random.default_rng(0).standard_normal((4, DIMENSION)).astype(np.float32)
    assert np.array_equal(read.source.apply(rows), chain.apply(rows))
    assert read.facts.training == "seed=1"
    other = FittedRemap(fitted.facts, Chain((FlowToLatent.of(random_flow(3)),)), Chain())
    assert other.digest != fitted.digest
    content = (tmp_path / "map").read_bytes()
    (tmp_path / "map").write_bytes(content[:-4] + b"\0\0\0\1")
    with pytest.raises(InputError, match="damaged"):
        FittedRemap.load(tmp_path / "map")


def test_a_network_that_only_standardises() -> None:
    eye = np.eye(3)
    weights = {f"w{layer}": eye for layer in range(3)} | {f"b{layer}": np.zeros(3) for layer in range(3)}
    weights |= {"source_mean": np.ones(3), "source_scale": np.full(3, 100.0)}
    weights |= {"target_mean": np.full(3, 5.0), "target_scale": np.full(3, 200.0)}
    rows = np.array([[1.0, 2.0, 0.0]])
    assert TanhNetwork.of(weights).transform(rows)[0] == pytest.approx([5, 7, 3], abs=1e-3)  # tanh is linear near 0
    assert TanhNetwork.of(weights).transform(np.zeros((0, 3))).shape == (0, 3)
