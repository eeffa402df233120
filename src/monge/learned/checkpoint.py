"""Keeping the state of a training on disk, so that it continues after a kill as if nothing had happened."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from monge.errors import InputError, OptionError
from monge.storage.atomic import open_atomic

Tensors = dict[str, Any]  # name: torch.Tensor


def save_checkpoint(path: str | os.PathLike[str], tensors: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write tensors and plain values as one safetensors file, whole or not at all."""
    from safetensors.torch import save

    data = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with open_atomic(path) as stream:
        stream.write(save(data, {"facts": json.dumps(dict(facts))}))


def load_checkpoint(path: str | os.PathLike[str], *, recipe: str) -> tuple[Tensors, dict[str, Any]] | None:
    """Return the tensors and values of a checkpoint, or None where there is none.

    *recipe* identifies the training (data, settings, seed). Raises OptionError if the file belongs to another training,
    and InputError if it cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    if not Path(path).exists():
        return None
    try:
        with safe_open(os.fspath(path), "pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
    except (KeyError, OSError, SafetensorError, ValueError) as error:
        raise InputError(f"{path}: not a checkpoint of a training ({error}); delete it to start again") from None
    if facts.get("recipe") != recipe:
        raise OptionError(f"{path} belongs to a training with other data or settings; delete it or write elsewhere")
    return tensors, facts


def pack_optimizer(optimizer: Any, prefix: str = "optimizer.") -> Tensors:
    """Return the tensors of an optimizer's state (moments, step counts) by name."""
    state = optimizer.state_dict()["state"]
    return {f"{prefix}{index}.{name}": value for index, part in state.items() for name, value in part.items()}


def unpack_optimizer(optimizer: Any, tensors: Mapping[str, Any], prefix: str = "optimizer.") -> None:
    """Put what :func:`pack_optimizer` returned back into an optimizer of the same parameters."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith(prefix):
            index, _, part = name.removeprefix(prefix).partition(".")
            found.setdefault(int(index), {})[part] = value
    optimizer.load_state_dict(optimizer.state_dict() | {"state": found})


def with_prefix(prefix: str, tensors: Mapping[str, Any]) -> Tensors:
    """Return the tensors under longer names."""
    return {prefix + name: tensor for name, tensor in tensors.items()}


def without_prefix(prefix: str, tensors: Mapping[str, Any]) -> Tensors:
    """Return the tensors whose names start with *prefix*, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
