"""JOINT-ALIGN: fine-tuning a multilingual encoder so that words that translate each other have the same vector.

Zhao et al. (2021), after Cao, Kitaev and Klein (2020):

    min_Θ Σ_(s,t) Σ_(i,j) ∈ links ‖f(i, s) − f(j, t)‖²  +  Σ_t Σ_i ‖f(i, t) − f₀(i, t)‖²

f is the last layer of the encoder, the mean over the pieces of a word; f₀ is the encoder before training. The second
sum holds the pivot language in its place.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.criteria import SpaceQuality, measure_space
from monge.crosslingual.induction import semantic_criterion
from monge.encoders.checkpoint import read_config, runs_without_torch
from monge.encoders.torch_backend import choose_device, find_window, import_torch, load_model, load_tokenizer, quiet
from monge.errors import InputError, ModelError, OptionError
from monge.learned.checkpoint import Tensors, pack_optimizer, unpack_optimizer
from monge.learned.links import LinkedTexts
from monge.learned.loop import linear_schedule
from monge.learned.split import split_rows
from monge.learned.truncation import count_cut
from monge.text import word_spans

PIVOTS = ("target", "source", "none")
LEAST_PAIRS = 50
_MOST_TYPES = 3000
_AT_ONCE = 32


@dataclass(frozen=True)
class JointSettings:
    """How an encoder is aligned.

    ``pivot`` is the side that is held in its place. The thesis's formula sums over the target language, which it calls
    t and which is not English; Cao et al., whom it follows, hold English. Here files are given with English second, as
    for ``monge align``, and the ``target`` is held. Rates, warm-up and batches are not in the text: AdamW with 5e-5, a
    tenth of warm-up and 16 pairs are ours.
    """

    pivot: str = "target"
    rate: float = 5e-5
    epochs: float = 3.0
    batch: int = 16
    length: int = 128
    patience: int = 3
    judgements: int = 10

    def __post_init__(self) -> None:
        if self.pivot not in PIVOTS:
            raise OptionError(f"pivot={self.pivot!r}: must be one of {', '.join(PIVOTS)}")
        for name in ("epochs", "batch", "judgements"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}={getattr(self, name)}: must be positive")
        if not 0 < self.rate < 1:
            raise OptionError(f"rate={self.rate}: must be between 0 and 1")
        if self.length < 8:
            raise OptionError(f"length={self.length}: at least 8 tokens are needed")


class JointTraining:
    """A :class:`~monge.learned.loop.Training` of all weights of an encoder on linked texts.

    Dropout is off, so that the encoder and what it was before are compared as the same function.
    """

    def __init__(
        self, directory: Path, data: LinkedTexts, settings: JointSettings, *, seed: int, device: str = "auto"
    ) -> None:
        torch, transformers = import_torch()
        config = read_config(directory)
        if not runs_without_torch(config):
            raise ModelError(f"{directory}: only BERT-shaped encoders are aligned, not {config['model_type']}")
        self.torch, self.settings, self.seed = torch, settings, seed
        self.device = choose_device(device)
        with quiet(transformers):
            self.model = load_model(transformers, directory, torch.float32).to(self.device).eval()
        self.before = copy.deepcopy(self.model).requires_grad_(False)
        self.tokenizer = load_tokenizer(directory)
        self.tokenizer.no_padding()
        window = find_window(config)
        self.longest = min(settings.length, window or settings.length)
        self.tokenizer.enable_truncation(self.longest)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=settings.rate)
        self.learned, self.held_out = split_links(data)
        self.per_epoch = -(-len(self.learned.source) // settings.batch)
        self.steps = max(1, round(settings.epochs * self.per_epoch))

    def step(self, number: int) -> float:
        """Take one step on a batch of sentence pairs."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate * linear_schedule(number, self.steps)
        epoch, place = divmod(number, self.per_epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.learned.source))
        rows = order[place * self.settings.batch : (place + 1) * self.settings.batch]
        align, anchor = self.losses(self.learned.part(rows.tolist()))
        loss = (align + anchor) / len(rows)
        self.optimizer.zero_grad()
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def count_cut(self) -> int:
        """Return how many texts, held-out ones included, have more tokens than ``longest``."""
        parts = (self.learned, self.held_out)
        return sum(count_cut(self.tokenizer, side) for part in parts for side in (part.source, part.target))

    def losses(self, data: LinkedTexts) -> tuple[Any, Any]:
        """Return both sums of the formula over some pairs."""
        source, target = (self.words(self.model, texts) for texts in (data.source, data.target))
        align = self.torch.zeros((), device=self.device)
        for one, two, links in zip(source, target, data.links, strict=True):
            known = [(i, j) for i, j in links if i in one[0] and j in two[0]]
            if known:
                left = one[1][[one[0][i] for i, _ in known]]
                right = two[1][[two[0][j] for _, j in known]]
                align = align + ((left - right) ** 2).sum()
        anchor = self.torch.zeros((), device=self.device)
        if self.settings.pivot != "none":
            texts, now = (data.target, target) if self.settings.pivot == "target" else (data.source, source)
            with self.torch.no_grad():
                old = self.words(self.before, texts)
            for (_, here), (_, there) in zip(now, old, strict=True):
                anchor = anchor + ((here - there) ** 2).sum()
        return align, anchor

    def words(self, model: Any, texts: Sequence[str]) -> list[tuple[dict[int, int], Any]]:
        """Return for every text the row of each of its words, and the vectors (n, d): means over pieces."""
        encodings = self.tokenizer.encode_batch(list(texts))
        longest = max(len(encoding.ids) for encoding in encodings)
        ids, mask = np.zeros((2, len(encodings), longest), dtype=np.int64)
        ids += model.config.pad_token_id or 0
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = encoding.ids, 1
        inputs = {"input_ids": ids, "attention_mask": mask}
        tensors = {name: self.torch.from_numpy(array).to(self.device) for name, array in inputs.items()}
        states = model(**tensors).last_hidden_state
        pairs = zip(texts, encodings, states, strict=True)
        return [self._pool(text, encoding, own) for text, encoding, own in pairs]

    def _pool(self, text: str, encoding: Any, states: Any) -> tuple[dict[int, int], Any]:
        numbers = word_numbers(text, encoding)
        known = sorted(set(numbers[numbers >= 0].tolist()))
        rows = {word: row for row, word in enumerate(known)}
        share = np.zeros((len(known), states.shape[0]), dtype=np.float32)
        for place, word in enumerate(numbers.tolist()):
            if word >= 0:
                share[rows[word], place] = 1.0
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1.0)
        return rows, self.torch.from_numpy(share).to(self.device) @ states

    def judge(self) -> float:
        """Return the semantic criterion: the mean cosine of translations guessed from the held-out words by CSLS."""
        return semantic_criterion(self._types(self.held_out.source), self._types(self.held_out.target))

    def measure(self) -> SpaceQuality:
        """Return how well held-out texts and linked words of the two languages agree."""
        sides = [self._read(texts) for texts in (self.held_out.source, self.held_out.target)]
        means = [np.array([vectors.mean(axis=0) for _, vectors in side]) for side in sides]
        left, right = [], []
        for one, two, links in zip(*sides, self.held_out.links, strict=True):
            for i, j in links:
                if i in one[0] and j in two[0]:
                    left.append(one[1][one[0][i]])
                    right.append(two[1][two[0][j]])
        words = (np.array(left), np.array(right)) if left else None
        return measure_space((means[0], means[1]), words)

    def _read(self, texts: Sequence[str]) -> list[tuple[dict[int, int], NDArray[np.float64]]]:
        found = []
        with self.torch.no_grad():
            for start in range(0, len(texts), _AT_ONCE):
                for rows, vectors in self.words(self.model, texts[start : start + _AT_ONCE]):
                    found.append((rows, vectors.cpu().numpy().astype(np.float64)))
        return found

    def _types(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean vectors of the most frequent words over their occurrences."""
        sums: dict[str, Any] = {}
        counts: Counter[str] = Counter()
        for text, (rows, vectors) in zip(texts, self._read(texts), strict=True):
            spans = word_spans(text)
            for word, row in rows.items():
                name = text[slice(*spans[word])].lower()
                counts[name] += 1
                sums[name] = sums.get(name, 0.0) + vectors[row]
        chosen = sorted(counts, key=lambda name: (-counts[name], name))[:_MOST_TYPES]
        return np.array([sums[name] / counts[name] for name in chosen], dtype=np.float64)

    def weights(self) -> Tensors:
        """Return the weights of the encoder."""
        return dict(self.model.state_dict())

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take weights back."""
        self.model.load_state_dict(dict(tensors))

    def state(self) -> Tensors:
        """Return the moments of AdamW."""
        return pack_optimizer(self.optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take the moments back."""
        unpack_optimizer(self.optimizer, tensors)


def word_numbers(text: str, encoding: Any) -> NDArray[np.int64]:
    """Return the word (of ``word_spans``) that every piece of an encoding belongs to; -1 for special tokens."""
    starts = np.array([start for start, _ in word_spans(text)], dtype=np.int64)
    found = np.full(len(encoding.ids), -1, dtype=np.int64)
    for place, ((start, end), special) in enumerate(zip(encoding.offsets, encoding.special_tokens_mask, strict=True)):
        if special or end <= start or not len(starts):
            continue
        blank = len(text[start:end]) - len(text[start:end].lstrip())  # pieces of SentencePiece begin with a blank
        found[place] = max(0, int(np.searchsorted(starts, start + blank, side="right")) - 1)
    return found


def split_links(data: LinkedTexts) -> tuple[LinkedTexts, LinkedTexts]:
    """Return the pairs to learn from, which have links, and a tenth, at most 500, to judge by."""
    linked = [i for i, links in enumerate(data.links) if links]
    if len(linked) < LEAST_PAIRS:
        raise InputError(
            f"{len(linked)} of {len(data.source)} pairs of texts have linked words: at least {LEAST_PAIRS} are needed"
        )
    kept, held = (sorted(linked[i] for i in rows) for rows in split_rows(len(linked)))
    return data.part(kept), data.part(held)
