"""Any causal language model of Hugging Face, with torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.batching import cut_batches
from monge.encoders.checkpoint import config_files, read_config, tokenizer_files, weight_files
from monge.encoders.identity import compose_identity
from monge.encoders.stores import digest
from monge.encoders.torch_backend import choose_device, find_window, import_torch, load_tokenizer, quiet
from monge.environment import Environment
from monge.errors import ModelError
from monge.lm.base import Continuation, TokenProbabilities
from monge.lm.casing import CaseRestorer

ALGORITHM = 1  # raise it when the way torch is called changes a probability
_WINDOW = 1024
_BUDGET = 1024  # tokens of a batch


class TorchLanguageModel:
    """A :class:`~monge.lm.base.LanguageModel` over a Hugging Face directory (GPT-2, Llama, …) in float32.

    A text begins after the model's token for the beginning of a text or, where it has none, for the end of one. Texts
    beyond the window are cut, which their notes report. Only safetensors weights are read and no code of the model's
    author is run.
    """

    def __init__(self, directory: Path, *, title: str, device: str, environment: Environment) -> None:
        self._torch, transformers = import_torch()
        config = read_config(directory)
        self._device = choose_device(device)
        self._window = min(find_window(config) or _WINDOW, _WINDOW)
        self._tokenizer = load_tokenizer(directory)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._casing = CaseRestorer(self._tokenizer)
        self._start = next(
            (config[key] for key in ("bos_token_id", "eos_token_id") if isinstance(config.get(key), int)), None
        )
        weights = digest(weight_files(directory), environment)
        self._signature = f"{title}@{weights[:8]}"
        self._identity = compose_identity(
            "torch-backend",
            "torch",
            "transformers",
            "tokenizers",
            device=self._device.partition(":")[0],
            lm=ALGORITHM,
            weights=weights,
            tokenizer=digest(tokenizer_files(directory), environment),
            config=digest(config_files(directory), environment),
        )
        with quiet(transformers):
            self._model = _load(transformers, directory, self._torch.float32).to(self._device).eval()

    @property
    def signature(self) -> str:
        return self._signature

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def languages(self) -> tuple[str, ...]:
        return ()

    def restore_case(self, text: str) -> str:
        """Return a text without capitals with those that the vocabulary prefers; others unchanged."""
        return self._casing.restore(text)

    def score(self, texts: Sequence[Continuation]) -> list[TokenProbabilities]:
        """Return the log-probabilities of the tokens of every text, in order; without a start token not the first."""
        sheets = [self._tokenize(one) for one in texts]
        found: dict[int, TokenProbabilities] = {}
        for batch in cut_batches([len(ids) for ids, *_ in sheets], budget=_BUDGET):
            picked = self._run([sheets[i][0] for i in batch])
            for i, values in zip(batch, picked, strict=True):
                ids, first, encoding, shift, notes = sheets[i]
                spans = np.maximum(np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) - shift, 0)
                kept = slice(len(encoding.ids) - (len(ids) - first), None)
                own = TokenProbabilities(
                    texts[i].text, tuple(encoding.tokens[kept]), spans[kept], values[first - 1 :], notes
                )
                found[i] = own
        return [found[i] for i in range(len(texts))]

    def _tokenize(self, one: Continuation) -> tuple[list[int], int, Any, int, tuple[str, ...]]:
        """Return ids, the place of the first that is scored, the text's encoding, the shift of its spans, and notes."""
        blank = one.prompt.endswith(" ") and bool(one.text)
        before = self._tokenizer.encode(one.prompt[:-1] if blank else one.prompt, add_special_tokens=False)
        encoding = self._tokenizer.encode(" " * blank + one.text, add_special_tokens=False)
        ids = [*([] if self._start is None else [self._start]), *before.ids, *encoding.ids]
        first = max(len(ids) - len(encoding.ids), 1)
        notes: tuple[str, ...] = ()
        if len(ids) > self._window:
            notes = (f"the language model read the last {self._window} of {len(ids)} tokens",)
            first = max(first - (len(ids) - self._window), 1)
            ids = ids[-self._window :]
        return ids, min(first, len(ids)) or 1, encoding, int(blank), notes

    def _run(self, rows: list[list[int]]) -> list[NDArray[np.float64]]:
        """Return for every row the log-probabilities of its tokens from the second on."""
        torch = self._torch
        longest = max(max(map(len, rows)), 1)
        ids = torch.zeros((len(rows), longest), dtype=torch.int64)
        mask = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row, dtype=torch.int64)
            mask[number, : len(row)] = 1
        with torch.inference_mode():
            inputs = {"input_ids": ids.to(self._device), "attention_mask": mask.to(self._device)}
            logits = self._model(**inputs).logits[:, :-1].to("cpu", torch.float64)
        chosen = torch.gather(torch.log_softmax(logits, -1), 2, ids[:, 1:, None])[..., 0].numpy()
        return [np.minimum(chosen[number, : max(len(row) - 1, 0)], 0.0) for number, row in enumerate(rows)]


def _load(transformers: Any, directory: Path, dtype: Any) -> Any:
    try:
        return transformers.AutoModelForCausalLM.from_pretrained(
            directory, dtype=dtype, use_safetensors=True, trust_remote_code=False, local_files_only=True
        )
    except (ImportError, KeyError, OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise ModelError(f"transformers cannot load {directory} as a language model: {reason[0]}") from error
