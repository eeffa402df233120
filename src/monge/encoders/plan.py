"""How a transformer is run, decided before anything is loaded: backend, device and number format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monge.encoders.adapter import Adapter
from monge.encoders.checkpoint import (
    config_files,
    holds_pieces,
    read_config,
    runs_without_torch,
    tokenizer_files,
    weight_files,
)
from monge.encoders.identity import compose_identity
from monge.encoders.stores import digest
from monge.environment import Environment
from monge.errors import OptionError


@dataclass(frozen=True)
class TransformerPlan:
    """A Hugging Face directory and how it is run, known without loading anything."""

    directory: Path
    config: Mapping[str, Any]
    title: str
    backend: str  # onnx or torch
    device: str
    dtype: str
    long: str
    weights: str  # digests, in full
    tokenizer: str
    settings: str
    adapter: Adapter | None = None

    @property
    def identity(self) -> str:
        """Everything that decides a vector."""
        libraries = {"onnx": ("onnx", "onnxruntime"), "torch": ("torch-backend", "torch", "transformers")}
        return compose_identity(
            "transformer",
            *(("pieces",) if holds_pieces(self.directory) else ()),
            *libraries[self.backend],
            *(("int8",) if self.dtype == "int8" else ()),
            *(() if (self.directory / "tokenizer.json").is_file() else ("transformers",)),  # which then converts it
            "tokenizers",
            device=self.device.partition(":")[0],
            weights=self.weights,
            tokenizer=self.tokenizer,
            config=self.settings,
            dtype=self.dtype,
            long=self.long,
            **({} if self.adapter is None else {"adapter": self.adapter.digest}),
        )


def plan_transformer(
    directory: Path,
    *,
    title: str = "",
    long: str = "window",
    device: str = "auto",
    dtype: str = "float32",
    environment: Environment | None = None,
    adapter: Adapter | None = None,
) -> TransformerPlan:
    """Return how *directory* is run: without torch if monge's own graphs compute the model, else with it.

    Raises ModelError for a directory that holds no model or not the one that *adapter* changes, and OptionError for a
    device or a dtype that cannot be had.
    """
    environment = Environment.read() if environment is None else environment
    config = read_config(directory)
    backend, device = _choose_backend(config, device=device, dtype=dtype)
    weights = digest(weight_files(directory), environment)
    if adapter is not None:
        adapter.check_base(weights, directory)
    return TransformerPlan(
        directory,
        config,
        title or directory.resolve().name,
        backend=backend,
        device=device,
        dtype=dtype,
        long=long,
        weights=weights,
        tokenizer=digest(tokenizer_files(directory), environment),
        settings=digest(config_files(directory), environment),
        adapter=adapter,
    )


def _choose_backend(config: Mapping[str, Any], *, device: str, dtype: str) -> tuple[str, str]:
    """Return backend and device: onnxruntime for monge's own graphs where it can compute them, else torch."""
    own = runs_without_torch(config)
    on_processor = device in ("auto", "cpu")
    if dtype == "int8" and not (own and on_processor):
        why = f"not on {device!r}" if own else f"{config['model_type']!r} needs torch"
        raise OptionError(f"dtype=int8 is for BERT, RoBERTa, DistilBERT and MPNet models on the processor: {why}")
    if own and dtype in ("float32", "int8"):
        if on_processor:
            return "onnx", "cpu"
        from monge.encoders.onnx.session import offers_cuda

        if device.partition(":")[0] == "cuda" and offers_cuda():
            return "onnx", device
    from monge.encoders.torch_backend import choose_device

    return "torch", choose_device(device)
