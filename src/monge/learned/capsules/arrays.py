"""Operators that torch tensors and numpy arrays name differently, for networks that run on both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def exp(values: Any) -> Any:
    """Return e to the power of every value."""
    return values.exp() if hasattr(values, "exp") else np.exp(values)


def log(values: Any) -> Any:
    """Return the natural logarithm of every value."""
    return values.log() if hasattr(values, "log") else np.log(values)


def sigmoid(values: Any) -> Any:
    """Return 1 / (1 + e^−x) of every value, without overflow."""
    return values.sigmoid() if hasattr(values, "sigmoid") else 0.5 * (1 + np.tanh(0.5 * values))


def largest(values: Any, axis: int, *, keep: bool = False) -> Any:
    """Return the maximum along an axis; with *keep* the axis stays, of length 1."""
    return values.amax(axis, keepdim=keep) if hasattr(values, "amax") else values.max(axis=axis, keepdims=keep)


def join(parts: Sequence[Any], axis: int) -> Any:
    """Return the parts one after the other along an axis."""
    if hasattr(parts[0], "detach"):
        from monge.encoders.torch_backend import import_torch

        torch, _ = import_torch()
        return torch.cat(list(parts), dim=axis)
    return np.concatenate(parts, axis=axis)


def detach(values: Any) -> Any:
    """Let no gradient pass."""
    return values.detach() if hasattr(values, "detach") else values


def as_array(values: Any) -> Any:
    """Return a numpy array, of a torch tensor too."""
    return values.cpu().numpy() if hasattr(values, "cpu") else values
