"""Texts to token vectors."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from monge.encoders.base import EncodedText, Encoder

if TYPE_CHECKING:
    from monge.encoders.layers import aggregate_layers, parse_layers
    from monge.encoders.registry import load_encoder

__all__ = ["EncodedText", "Encoder", "aggregate_layers", "load_encoder", "parse_layers"]

_HOMES = {
    "aggregate_layers": "monge.encoders.layers",
    "load_encoder": "monge.encoders.registry",
    "parse_layers": "monge.encoders.layers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
