"""Checks of an install against stored values."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from monge.errors import MongeError
from monge.version import __version__

HYPOTHESIS = "The boy in a coat walked home."
REFERENCE = "The young man in a raincoat walked home."
TOLERANCE = 2e-4  # encoders run in single precision on other processors

# Scores of the pair above, made by `monge doctor`'s own metrics on the verified weights.
STORED: dict[str, float] = {
    "bertscore": 0.867547,
    "emd": 0.205881,
    "lazy_emd": 0.077210,
    "moverscore": -18.426294,
    "moverscore_v2": 0.581187,
    "cosine": 0.744780,
    "bleu": 23.875171,
    "chrf": 50.979060,
}


@dataclass(frozen=True)
class Check:
    """The outcome of one check."""

    name: str
    passed: bool
    detail: str


def run_checks() -> Iterator[Check]:
    """Yield the checks one by one, as they are made."""
    yield Check("monge", True, f"{__version__}, Python {platform.python_version()}, {platform.machine()}")
    for package in ("numpy", "scipy", "onnxruntime", "tokenizers", "sacrebleu"):
        yield Check(package, _installed(package), _version(package))
    yield Check("torch extra", True, _version("torch") if _installed("torch") else "not installed (optional)")
    yield _guard("native transport", _check_native)
    yield _guard("encoder minilm", _check_encoder)
    for name, stored in STORED.items():
        yield _guard(f"score {name}", partial(_check_score, name, stored))


def _guard(name: str, check: Callable[[], tuple[bool, str]]) -> Check:
    try:
        return Check(name, *check())
    except (MongeError, ImportError, OSError) as error:
        return Check(name, False, str(error))


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _version(package: str) -> str:
    return version(package) if _installed(package) else "not installed"


def _check_native() -> tuple[bool, str]:
    from monge.transport import TransportProblem, solve_exact

    # tables 1 and 2 of Echizen'ya et al. (2019)
    left = np.array([[1, 5], [5, 5], [1, 1], [5, 1]], dtype=float)
    right = np.array([[2, 3], [4, 3], [3, 2]], dtype=float)
    cost = np.linalg.norm(left[:, None] - right[None], axis=2)
    work = solve_exact(TransportProblem(cost, np.full(4, 0.6), np.full(3, 0.8))).transport_cost
    return abs(work - 2.4 * np.sqrt(5)) < 1e-9, f"worked example {work:.3f} (stored 5.367)"


def _check_encoder() -> tuple[bool, str]:
    from monge.encoders import load_encoder

    encoder = load_encoder("minilm")
    return True, f"{encoder.signature}, {encoder.layers} hidden states of {encoder.dimension} dimensions"


def _check_score(name: str, stored: float) -> tuple[bool, str]:
    from monge.metrics import load_metric

    value = float(load_metric(name).compute([HYPOTHESIS], [REFERENCE])["mean"])
    return abs(value - stored) <= TOLERANCE * max(1, abs(stored)), f"{value:.5f} (stored {stored:.5f})"
