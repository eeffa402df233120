"""Training low-rank changes of an encoder's matrices (LoRA), everything else frozen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.checkpoint import NAMINGS, read_config
from monge.encoders.onnx.graph import MATRICES
from monge.encoders.torch_backend import choose_device, find_window, import_torch, load_model, load_tokenizer, quiet
from monge.errors import ModelError, OptionError
from monge.learned.checkpoint import Tensors
from monge.learned.truncation import count_cut

DTYPES = ("float32", "bfloat16")
MINIMUM_LENGTH = 8


class LowRankEncoder:
    """An encoder whose matrices W become W + U·D with trained U (out, rank) and D (rank, in).

    U starts at zero, so training starts from the encoder itself. Embeddings, biases and norms do not change. With the
    *dtype* bfloat16 matrices are multiplied in it; the factors and what is computed from vectors stay in float32.
    """

    def __init__(
        self, directory: Path, *, rank: int, length: int, seed: int, device: str = "auto", dtype: str = "float32"
    ) -> None:
        torch, transformers = import_torch()
        kind = read_config(directory)["model_type"]
        if kind not in NAMINGS:
            raise ModelError(f"{directory}: adapters are trained for {', '.join(NAMINGS)}, not for {kind}")
        if rank < 1 or length < MINIMUM_LENGTH:
            raise OptionError(f"rank={rank}, length={length}: at least 1 and {MINIMUM_LENGTH} are needed")
        if dtype not in DTYPES:
            raise OptionError(f"dtype={dtype!r}: adapters are trained in {' or '.join(DTYPES)}")
        self._torch, self._short = torch, dtype == "bfloat16"
        self.device = choose_device(device)
        if self._short and self.device == "mps":
            raise OptionError("dtype='bfloat16': not on Apple's GPUs; train in float32, or with device=cpu")
        self.length = min(length, find_window(read_config(directory)) or length)
        with quiet(transformers):
            self.model = load_model(transformers, directory, torch.float32).to(self.device).eval()
        self.model.requires_grad_(False)
        self.tokenizer = load_tokenizer(directory)
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.length)
        self.layers = int(self.model.config.num_hidden_layers)
        self.parameters = self._attach(NAMINGS[kind].layer, rank, seed)

    def _attach(self, names: Mapping[str, str], rank: int, seed: int) -> dict[str, Any]:
        torch, made = self._torch, dict[str, Any]()
        generator = torch.Generator().manual_seed(seed)
        for layer in range(self.layers):
            for role in MATRICES:
                linear = self.model.get_submodule(names[role].format(i=layer))
                down = torch.randn(rank, linear.in_features, generator=generator) / math.sqrt(linear.in_features)
                up = torch.zeros(linear.out_features, rank)
                down, up = (torch.nn.Parameter(factor.to(self.device)) for factor in (down, up))
                made |= {f"{layer}.{role}.down": down, f"{layer}.{role}.up": up}
                linear.register_forward_hook(_adding(torch, up, down))
        return made

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens of each text the encoder reads, special ones included."""
        return [len(encoding.ids) for encoding in self.tokenizer.encode_batch(list(texts))]

    def count_cut(self, texts: Sequence[str]) -> int:
        """Return how many texts have more tokens than are read."""
        return count_cut(self.tokenizer, texts)

    def encode(self, texts: Sequence[str], layer: int) -> tuple[Any, Any, Any]:
        """Return unit token vectors (B, S, d) of *layer*, the mask (B, S) of tokens that are not special, and unit
        sentence vectors (B, d): means of the last layer over all tokens."""
        torch = self._torch
        encodings = self.tokenizer.encode_batch(list(texts))
        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.full((len(texts), longest), self.model.config.pad_token_id or 0, dtype=np.int64)
        real, tokens = np.zeros((2, len(texts), longest), dtype=np.float32)
        for row, encoding in enumerate(encodings):
            count = len(encoding.ids)
            ids[row, :count], real[row, :count] = encoding.ids, 1
            tokens[row, :count] = 1 - np.asarray(encoding.special_tokens_mask)
        mask = torch.from_numpy(real).to(self.device)
        inputs = torch.from_numpy(ids).to(self.device)
        short = torch.autocast(self.device.partition(":")[0], torch.bfloat16) if self._short else nullcontext()
        with short:
            states = self.model(input_ids=inputs, attention_mask=mask, output_hidden_states=True).hidden_states
        states = [states[layer].float(), states[-1].float()]
        sentences = (states[-1] * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        normal = torch.nn.functional.normalize
        return normal(states[0], dim=-1), torch.from_numpy(tokens).to(self.device), normal(sentences, dim=-1)

    def load(self, tensors: Mapping[str, Any]) -> None:
        """Take the values of all factors."""
        with self._torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(tensors[name])

    def factors(self) -> dict[str, NDArray[np.float16]]:
        """Return the factors as an artifact keeps them, in half precision."""
        return {name: tensor.detach().cpu().numpy().astype(np.float16) for name, tensor in self.parameters.items()}

    def weights(self) -> Tensors:
        """Return the trained tensors by name."""
        return dict(self.parameters)


def _adding(torch: Any, up: Any, down: Any) -> Any:
    linear = torch.nn.functional.linear

    def add(_module: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        return output + linear(linear(inputs[0], down), up)

    return add
