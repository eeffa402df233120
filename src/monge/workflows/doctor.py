"""Checks of an install against stored values; everything is computed again, whatever the cache holds."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from monge.environment import Environment
from monge.errors import MongeError
from monge.version import __version__

HYPOTHESES = ["The boy in a coat walked home.", "Rain is expected over the northern coast tonight."]
REFERENCES = ["The young man in a raincoat walked home.", "Tonight they expect heavy rain on the coast in the north."]
TOLERANCE = 2e-4  # encoders run in single precision on other processors

# Scores of the pairs above, made by `monge doctor`'s own metrics on the verified weights.
STORED: dict[str, float] = {
    "bertscore": 0.838400,
    "emd": 0.234046,
    "lazy_emd": 0.094994,
    "moverscore": 0.254081,
    "moverscore_v2": 0.566535,
    "cosine": 0.797729,
    "bleu": 10.962950,
    "chrf": 44.830615,
}


STORED_NUMBER = -0.385180  # the first of the vector of the first token, last layer, of the first hypothesis


@dataclass(frozen=True)
class Check:
    """The outcome of one check."""

    name: str
    passed: bool
    detail: str


def run_checks(environment: Environment | None = None) -> Iterator[Check]:
    """Yield the checks one by one, as they are made; failures for a reason given before come as one at the end."""
    around = Environment.read() if environment is None else environment
    reported: set[str] = set()
    repeated: list[str] = []
    for check in _make_checks(dataclasses.replace(around, cache=False)):
        if check.passed or check.detail not in reported:
            yield check
        else:
            repeated.append(check.name)
        if not check.passed:
            reported.add(check.detail)
    if repeated:
        yield Check(", ".join(repeated), False, "cannot be checked, for the same reason")


def _make_checks(environment: Environment) -> Iterator[Check]:
    yield Check("monge", True, f"{__version__}, Python {platform.python_version()}, {platform.machine()}")
    for package in ("numpy", "scipy", "onnxruntime", "tokenizers", "sacrebleu"):
        yield Check(package, _installed(package), _version(package))
    yield Check("torch extra", True, _version("torch") if _installed("torch") else "not installed (optional)")
    yield Check("processor", True, _describe_processor())
    yield _guard("native transport", _check_native)
    yield _guard("encoder minilm", partial(_check_encoder, environment))
    for name, stored in STORED.items():
        yield _guard(f"score {name}", partial(_check_score, name, stored, environment))


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


def _describe_processor() -> str:
    from monge.encoders.processor import processor_features

    found = processor_features()
    if found is None:
        return "the system does not say which instructions it has"
    return f"int8 dot products: {found.int8 or 'none'}; bfloat16: {found.bfloat16 or 'none'}"


def _check_native() -> tuple[bool, str]:
    from monge.transport import TransportProblem, solve_exact

    # tables 1 and 2 of Echizen'ya et al. (2019)
    left = np.array([[1, 5], [5, 5], [1, 1], [5, 1]], dtype=float)
    right = np.array([[2, 3], [4, 3], [3, 2]], dtype=float)
    cost = np.linalg.norm(left[:, None] - right[None], axis=2)
    work = solve_exact(TransportProblem(cost, np.full(4, 0.6), np.full(3, 0.8))).transport_cost
    return abs(work - 2.4 * np.sqrt(5)) < 1e-9, f"worked example {work:.3f} (stored 5.367)"


def _check_encoder(environment: Environment) -> tuple[bool, str]:
    from monge.encoders import load_encoder

    encoder = load_encoder("minilm", environment=environment)
    first = float(encoder.encode(HYPOTHESES[:1], [encoder.layers - 1])[0].vectors[0, 0, 0])
    what = f"{encoder.signature}, {encoder.layers} hidden states of {encoder.dimension} dimensions"
    return abs(first - STORED_NUMBER) <= TOLERANCE, f"{what}; first number {first:.5f} (stored {STORED_NUMBER:.5f})"


def _check_score(name: str, stored: float, environment: Environment) -> tuple[bool, str]:
    from monge.metrics import load_metric

    value = float(load_metric(name, environment=environment).compute(HYPOTHESES, REFERENCES)["score"])
    return abs(value - stored) <= TOLERANCE * max(1, abs(stored)), f"{value:.5f} (stored {stored:.5f})"
