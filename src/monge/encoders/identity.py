"""What computed a vector, as text: the part of every cache key that must change when the vectors would."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

# component and the module whose ALGORITHM numbers what it computes
COMPONENTS: Mapping[str, str] = {
    "transformer": "monge.encoders.transformer",
    "onnx": "monge.encoders.onnx.backend",
    "int8": "monge.encoders.onnx.int8",
    "torch-backend": "monge.encoders.torch_backend",
    "pieces": "monge.encoders.tokenized",
    "use": "monge.encoders.use.encoder",
    "static": "monge.encoders.static.encoder",
    "hashed": "monge.encoders.static.hashed",
    "context": "monge.encoders.context",
    "joined": "monge.encoders.joined",
    "layers": "monge.encoders.layers.aggregate",
    "cached": "monge.encoders.cached",
    "converted": "monge.encoders.static.cache",
    "digests": "monge.storage.digests",
}
PACKAGES = ("onnxruntime", "tokenizers", "torch", "transformers", "numpy", "regex")


def compose_identity(*makers: str, device: str = "", **contents: object) -> str:
    """Return the identity of an encoder: *makers* with their numbers, then what they work on.

    Every maker is a component of monge (with its ALGORITHM) or a package (with its version). *contents* are digests
    and options, in the order given.

    >>> compose_identity("hashed", dimension=8, seed=0)
    'hashed=1; dimension=8 seed=0'
    """
    made = [f"{name}={_number(name)}" for name in makers] + ([f"device={device}"] if device else [])
    return f"{' '.join(made)}; {' '.join(f'{name}={value}' for name, value in contents.items())}"


def maker_of(identity: str) -> str:
    """Return the part of an identity that says which code computed, or nothing for an identity of another form.

    >>> maker_of("hashed=1; dimension=8 seed=0")
    'hashed=1'
    """
    maker, separator, _ = identity.partition("; ")
    return maker if separator else ""


def is_current(maker: str) -> bool:
    """Whether the components and packages that *maker* names are those of this installation; devices do not count."""
    pairs = [part.partition("=") for part in maker.split()]
    known = {*COMPONENTS, *PACKAGES}
    return bool(pairs) and all(
        name == "device" or (name in known and value == _number(name)) for name, _, value in pairs
    )


def _number(name: str) -> str:
    module = COMPONENTS.get(name)
    return _version(name) if module is None else str(importlib.import_module(module).ALGORITHM)


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # installed under another name, such as onnxruntime-gpu
        return _version_of_module(name)


def _version_of_module(name: str) -> str:
    try:
        return str(importlib.import_module(name).__version__)
    except (ImportError, AttributeError):
        return "unknown"
