"""Fine-tuning a whole encoder on pairs of texts, as MoverScore's authors did (Zhao et al. 2019, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from monge.encoders.checkpoint import read_config, runs_without_torch
from monge.encoders.torch_backend import choose_device, find_window, import_torch, load_model, load_tokenizer, quiet
from monge.errors import ModelError, OptionError
from monge.learned.checkpoint import Tensors, pack_optimizer, unpack_optimizer, with_prefix, without_prefix
from monge.learned.loop import linear_schedule
from monge.learned.pair_files import LabelledPairs
from monge.learned.truncation import count_cut

HEADS = ("joint", "cosine")


@dataclass(frozen=True)
class FinetuneSettings:
    """How an encoder is fine-tuned.

    ``head`` ``joint`` encodes both texts together and puts a linear layer on the first token (cross-entropy, squared
    error for similarities); ``cosine`` encodes them apart and compares the cosine of their mean vectors with the target
    (squared error). The head is thrown away afterwards. ``freeze`` keeps the embeddings as they are.
    """

    head: str = "joint"
    rate: float = 2e-5
    epochs: float = 3.0
    batch: int = 32
    length: int = 128
    patience: int = 3
    freeze: bool = False

    def __post_init__(self) -> None:
        if self.head not in HEADS:
            raise OptionError(f"head must be one of {', '.join(HEADS)}, not {self.head!r}")
        if not 0 < self.rate < 1 or self.epochs <= 0 or self.batch < 2 or self.length < 8:
            raise OptionError(
                f"rate={self.rate}, epochs={self.epochs}, batch={self.batch}, length={self.length}: "
                "a rate below 1, some epochs, at least 2 pairs and 8 tokens are needed"
            )


class FinetuneTraining:
    """A :class:`~monge.learned.loop.Training` of all weights of an encoder on labelled pairs."""

    def __init__(
        self,
        directory: Path,
        data: LabelledPairs,
        settings: FinetuneSettings,
        *,
        seed: int,
        device: str = "auto",
    ) -> None:
        torch, transformers = import_torch()
        config = read_config(directory)
        if not runs_without_torch(config):
            raise ModelError(f"{directory}: only BERT-shaped encoders are fine-tuned, not {config['model_type']}")
        if settings.head == "cosine" and len(data.classes) > 2:
            raise OptionError(f"head=cosine needs two classes or similarities; {data.task} has {len(data.classes)}")
        self._torch, self.data, self.settings, self.seed = torch, data, settings, seed
        self.device = choose_device(device)
        with quiet(transformers):
            self.model = load_model(transformers, directory, torch.float32).to(self.device)
        self._set_tokenizer(directory, config)
        torch.manual_seed(seed)
        outputs = len(data.classes) or 1
        self.head = torch.nn.Linear(int(self.model.config.hidden_size), outputs).to(self.device)
        if settings.freeze:
            self.model.embeddings.requires_grad_(False)
        trained = [p for module in (self.model, self.head) for p in module.parameters() if p.requires_grad]
        self._trained = trained
        self._optimizer = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
        order = np.random.default_rng([seed, 0]).permutation(len(data.pairs))
        count = max(2, len(order) // 10)
        self.held_out, self.learned = order[:count], order[count:]
        self.steps = max(1, round(settings.epochs * (len(self.learned) / settings.batch)))

    def _set_tokenizer(self, directory: Path, config: dict[str, Any]) -> None:
        window = find_window(config)
        self._tokenizer = load_tokenizer(directory)
        self._tokenizer.no_padding()
        self.longest = min(self.settings.length, window or self.settings.length)
        self._tokenizer.enable_truncation(self.longest)
        self._types = self.model.config.model_type == "bert"

    def count_cut(self) -> int:
        """Return how many of the ``read_as`` pairs or texts have more tokens than ``longest``."""
        if self.read_as == "pair":
            return count_cut(self._tokenizer, self.data.pairs)
        return count_cut(self._tokenizer, [text for pair in self.data.pairs for text in pair])

    @property
    def read_as(self) -> str:
        """What the encoder reads at once, and ``longest`` holds for: a ``pair`` of texts, or a ``text``."""
        return "pair" if self.settings.head == "joint" else "text"

    # -- what the loop asks for

    def step(self, number: int) -> float:
        """Take one step on the batch *number* and return its loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.rate * linear_schedule(number, self.steps)
        self.model.train()
        rows = self._batch(number)
        loss = self._loss(self._predict(rows), rows)
        self._optimizer.zero_grad()
        loss.backward()
        self._torch.nn.utils.clip_grad_norm_(self._trained, 1.0)
        self._optimizer.step()
        return float(loss.detach())

    def judge(self) -> float:
        """Return accuracy (classes) or Pearson's r (similarities) on the held-out tenth."""
        self.model.eval()
        outputs = []
        with self._torch.no_grad():
            for start in range(0, len(self.held_out), 64):
                outputs.append(self._predict(self.held_out[start : start + 64]).float().cpu().numpy())
        predicted = np.concatenate(outputs)
        wanted = np.array([self.data.targets[i] for i in self.held_out])
        if not self.data.classes:
            return float(np.corrcoef(predicted, wanted)[0, 1])
        if self.settings.head == "cosine":
            return float(((predicted > 0.5) == (wanted > 0.5)).mean())
        return float((predicted.argmax(axis=1) == wanted).mean())

    def weights(self) -> Tensors:
        """Return encoder and head."""
        return with_prefix("encoder.", self.model.state_dict()) | with_prefix("head.", self.head.state_dict())

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take encoder and head."""
        self.model.load_state_dict(without_prefix("encoder.", tensors))
        self.head.load_state_dict(without_prefix("head.", tensors))

    def state(self) -> Tensors:
        """Return the optimizer's moments."""
        return pack_optimizer(self._optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take the optimizer's moments."""
        unpack_optimizer(self._optimizer, tensors)

    # -- batches

    def _batch(self, number: int) -> Any:
        per_epoch = max(1, -(-len(self.learned) // self.settings.batch))
        epoch, place = divmod(number, per_epoch)
        mixed = np.random.default_rng([self.seed, epoch, 1]).permutation(self.learned)
        return mixed[place * self.settings.batch : (place + 1) * self.settings.batch]

    def _predict(self, rows: Any) -> Any:
        """Return scores of classes (B, k), or one number per pair (B,)."""
        pairs = [self.data.pairs[i] for i in rows]
        if self.settings.head == "joint":
            states, _ = self._encode(self._tokenizer.encode_batch(pairs))
            outputs = self.head(self._torch.nn.functional.dropout(states[:, 0], 0.1, self.model.training))
            return outputs if self.data.classes else outputs[:, 0]
        both = [text for side in (0, 1) for text in (pair[side] for pair in pairs)]
        states, mask = self._encode(self._tokenizer.encode_batch(both))
        means = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self._torch.nn.functional.cosine_similarity(means[: len(pairs)], means[len(pairs) :])

    def _encode(self, encodings: Sequence[Any]) -> tuple[Any, Any]:
        torch, longest = self._torch, max(len(encoding.ids) for encoding in encodings)
        ids, types, mask = np.zeros((3, len(encodings), longest), dtype=np.int64)
        ids += self.model.config.pad_token_id or 0
        for row, encoding in enumerate(encodings):
            count = len(encoding.ids)
            ids[row, :count], types[row, :count], mask[row, :count] = encoding.ids, encoding.type_ids, 1
        inputs = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self._types else {})
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in inputs.items()}
        return self.model(**tensors).last_hidden_state, tensors["attention_mask"].float()

    def _loss(self, predicted: Any, rows: Any) -> Any:
        torch = self._torch
        wanted = torch.tensor([self.data.targets[i] for i in rows], dtype=torch.float32, device=self.device)
        if self.settings.head == "joint" and self.data.classes:
            return torch.nn.functional.cross_entropy(predicted, wanted.long())
        return torch.nn.functional.mse_loss(predicted, wanted)
