"""Running any Hugging Face encoder with torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.adapter import Adapter
from monge.encoders.checkpoint import read_config, weight_files
from monge.encoders.processor import processor_features
from monge.errors import ModelError, OptionError
from monge.storage.notices import report

FloatArray = NDArray[np.float32]
ALGORITHM = 1  # raise it when the way torch is called changes a vector
DTYPES = ("float32", "float16", "bfloat16", "float64")


class TorchBackend:
    """Hidden states of a model directory through transformers' AutoModel, on a device and in a dtype of choice.

    Only safetensors weights are read and no code of the model's author is run. Results are float32.
    """

    workers = 1  # torch spreads one call over all cores

    def __init__(
        self, directory: Path, *, device: str = "auto", dtype: str = "float32", adapter: Adapter | None = None
    ) -> None:
        torch, transformers = import_torch()
        weight_files(directory)
        self._torch = torch
        self._device = choose_device(device)
        features = processor_features()
        if dtype == "bfloat16" and self._device == "cpu" and features is not None and not features.bfloat16:
            report("dtype=bfloat16: this processor has no bfloat16 products; expect it to be slower than float32")
        with quiet(transformers):
            model = load_model(transformers, directory, getattr(torch, dtype))
        if adapter is not None:
            _merge(torch, model, adapter)
        self._model = model.to(self._device).eval()
        config = self._model.config
        self._padding = config.pad_token_id or 0
        self.budget = 512 if self._device == "cpu" else 16384  # caches decide on a processor, parallelism elsewhere
        self.window = find_window(read_config(directory))
        probe = self._run(np.array([[self._padding]]), np.array([[1]]))
        self.layers = len(probe)
        self.dimension = int(probe[-1].shape[-1])
        if any(state.shape[-1] != self.dimension for state in probe):
            raise ModelError(f"the hidden states of {directory} differ in size")

    def hidden_states(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int32], layers: Sequence[int]
    ) -> list[FloatArray]:
        """Return the hidden states *layers*, each (B, S, d), of right-padded *ids* (B, S)."""
        mask = np.arange(ids.shape[1]) < lengths[:, None]
        states = self._run(np.where(mask, ids, self._padding), mask.astype(np.int64))
        return [states[layer].to("cpu", self._torch.float32).numpy() for layer in layers]

    def _run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Any:
        inputs = {"input_ids": ids, "attention_mask": mask}
        tensors = {name: self._torch.from_numpy(array).to(self._device) for name, array in inputs.items()}
        with self._torch.inference_mode():
            return self._model(**tensors, output_hidden_states=True).hidden_states


def choose_device(wish: str) -> str:
    """Return *wish*, or for ``auto`` the best device there is: cuda, mps or cpu."""
    torch, _ = import_torch()
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wish == "auto":
        return next(name for name, available in there.items() if available)
    kind = wish.partition(":")[0]
    if kind not in there:
        raise OptionError(f"device must be auto, cpu, mps, cuda or cuda:N, not {wish!r}")
    if not there[kind]:
        raise OptionError(f"device {wish!r} is not available on this machine: torch finds none")
    return wish


def find_window(config: dict[str, Any]) -> int | None:
    """Return how many tokens a model takes at most; None when nothing limits it.

    RoBERTa-like models count positions from the padding index on, so two of theirs are never used.
    """
    positions = config.get("max_position_embeddings") or config.get("n_positions")
    if positions is None or int(positions) <= 0:
        return None
    padded = any(family in config["model_type"] for family in ("roberta", "mpnet", "camembert", "xmod", "longformer"))
    padding = 1 if config.get("pad_token_id") is None else int(config["pad_token_id"])
    return int(positions) - (padding + 1 if padded else 0)


def load_tokenizer(directory: Path) -> Any:
    """Return the fast tokenizer of a directory, converted by transformers when there is no tokenizer.json."""
    from tokenizers import Tokenizer

    path = directory / "tokenizer.json"
    if path.is_file():
        try:
            return Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing more precise
            raise ModelError(f"{path} cannot be read: {error}") from None
    _, transformers = import_torch()
    try:
        return transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True).backend_tokenizer
    except (AttributeError, ImportError, OSError, ValueError) as error:
        raise ModelError(f"{directory} has no tokenizer.json, and none could be made: {error}") from None


def load_model(transformers: Any, directory: Path, dtype: Any) -> Any:
    """Return a model of transformers, from safetensors alone and without code of its author."""
    try:
        model = transformers.AutoModel.from_pretrained(
            directory, dtype=dtype, use_safetensors=True, trust_remote_code=False, local_files_only=True
        )
    except (ImportError, KeyError, OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise ModelError(f"transformers cannot load {directory}: {reason[0]}") from error
    return model.get_encoder() if model.config.is_encoder_decoder else model


def _merge(torch: Any, model: Any, adapter: Adapter) -> None:
    """Add the changes of an adapter to the weights of a model."""
    for (layer, role), name in adapter.weight_names(model.config.model_type).items():
        weight = model.get_parameter(name)
        merged = adapter.merge(layer, role, weight.detach().float().numpy())
        weight.data = torch.from_numpy(merged).to(weight.dtype)


def import_torch() -> tuple[Any, Any]:
    """Return torch and transformers; raises ModelError where they are not installed."""
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError("this needs torch: pip install 'monge[torch]'") from None
    return torch, transformers


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Silence the progress bar and the list of unused weights (a model's task head) while loading."""
    logging = transformers.utils.logging
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
