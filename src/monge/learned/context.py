"""Learning words in context from a test set: an LSTM encoder–decoder with attention, reference → source.

The network of Echizen'ya, Araki and Hovy's contextual WE_WPI (Luong et al. 2015): the encoder reads a reference, the
decoder writes its source and attends to the encoder's states. Only the encoder is kept:
:class:`monge.encoders.context.ContextEncoder` runs it without torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.context import KIND, PARTS, UNKNOWN, fold_word
from monge.encoders.torch_backend import choose_device, import_torch
from monge.errors import InputError, OptionError
from monge.learned.checkpoint import Tensors, pack_optimizer, unpack_optimizer
from monge.learned.loop import LoopSettings, run_loop, seed_step
from monge.learned.progress import Report
from monge.storage.artifact import Artifact
from monge.text import word_spans

LEAST_PAIRS = 20
_JUDGED = 64  # pairs whose cross-entropy says which epoch is kept
LONGEST = 100  # words of a text that are read
_HIDDEN_WORDS = 0.1  # share of the words that are read as <unk>, so that its vector is learned
_START, _END = 1, 2  # in the vocabulary of the decoder, after <unk>
Progress = Callable[[int, int], Report | None]  # seed, steps


@dataclass(frozen=True)
class ContextSettings:
    """How a context network is trained.

    The authors repeat every pair 10 times and train 50 epochs with 300 dimensions; ``epochs`` × ``repeat`` is how often
    a pair is seen. They name neither the optimizer (here Adam) nor the attention (here Luong's "general"), nor
    layers (1).
    """

    dimension: int = 300
    epochs: int = 20
    repeat: int = 1
    seeds: tuple[int, ...] = (1,)
    batch: int = 32
    rate: float = 1e-3
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("dimension", "epochs", "repeat", "batch"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: must be at least 1")
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise OptionError(f"seeds={','.join(map(str, self.seeds))}: at least one is needed, each of them once")
        if not 0 < self.rate < 1:
            raise OptionError(f"rate={self.rate}: must be between 0 and 1")


@dataclass(frozen=True)
class ContextPairs:
    """References and sources as rows of two vocabularies, in batches of similar length."""

    references: tuple[NDArray[np.int64], ...]
    sources: tuple[NDArray[np.int64], ...]
    vocabulary: tuple[str, ...]
    targets: int
    digest: str
    cut: int = 0  # texts with more words than are read

    @classmethod
    def make(cls, references: Sequence[str], sources: Sequence[str]) -> ContextPairs:
        """Number the words; raises InputError for unequal numbers of texts or too few of them."""
        if len(references) != len(sources):
            raise InputError(f"{len(references)} references and {len(sources)} sources are not parallel")
        split = [(_words(one), _words(two)) for one, two in zip(references, sources, strict=True)]
        split = sorted((pair for pair in split if all(pair)), key=lambda pair: (len(pair[1]), len(pair[0]), pair))
        if len(split) < LEAST_PAIRS:
            raise InputError(f"{len(split)} pairs of texts that are not empty: at least {LEAST_PAIRS} are needed")
        read = {word: i for i, word in enumerate(sorted({w for own, _ in split for w in own}), start=1)}
        written = {word: i for i, word in enumerate(sorted({w for _, own in split for w in own}), start=3)}
        return cls(
            tuple(np.array([read[word] for word in own]) for own, _ in split),
            tuple(np.array([written[word] for word in own]) for _, own in split),
            tuple(read),
            len(written) + 3,
            hashlib.sha256(json.dumps(split).encode()).hexdigest(),
            sum(len(word_spans(text)) > LONGEST for text in (*references, *sources)),
        )

    def batches(self, size: int) -> list[range]:
        """Return the numbers of the pairs of every batch."""
        return [range(start, min(start + size, len(self.sources))) for start in range(0, len(self.sources), size)]


def _words(text: str) -> list[str]:
    return [fold_word(text[start:end]) for start, end in word_spans(text)[:LONGEST]]


class ContextTraining:
    """A network of one seed that learns to write sources from references (:class:`~monge.learned.loop.Training`)."""

    def __init__(self, pairs: ContextPairs, settings: ContextSettings, seed: int) -> None:
        self._torch, _ = import_torch()
        seed_step(seed, -1)
        self.pairs = pairs
        self.seed = seed
        self.device = choose_device(settings.device)
        self.net = _make_network(len(pairs.vocabulary) + 1, pairs.targets, settings.dimension).to(self.device)
        self.optimizer = self._torch.optim.Adam(self.net.parameters(), lr=settings.rate)
        self.batches = pairs.batches(settings.batch)
        self.steps = settings.epochs * settings.repeat * len(self.batches)

    def step(self, number: int) -> float:
        """Learn one batch; each is seen once per round, in an order that depends on seed and round."""
        turn, place = divmod(number, len(self.batches))
        order = np.random.default_rng([self.seed, turn]).permutation(len(self.batches))
        self.net.train()
        loss = self._loss(self.batches[order[place]], hide=_HIDDEN_WORDS)
        self.optimizer.zero_grad()
        loss.backward()
        self._torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimizer.step()
        return float(loss.detach())

    def judge(self) -> float:
        """Return minus the cross-entropy per word of some pairs; nothing is held out, as the set itself is fitted."""
        self.net.eval()
        rows = np.linspace(0, len(self.pairs.sources) - 1, min(_JUDGED, len(self.pairs.sources))).astype(int)
        with self._torch.no_grad():
            return -float(self._loss(rows.tolist(), hide=0.0))

    def _loss(self, rows: Sequence[int], *, hide: float) -> Any:
        torch = self._torch
        read, lengths = self._pad([self.pairs.references[i] for i in rows])
        if hide:
            read = torch.where(torch.rand(read.shape).to(self.device) < hide, UNKNOWN, read)
        ends = [np.concatenate([[_START], self.pairs.sources[i], [_END]]) for i in rows]
        written, sizes = self._pad(ends)
        logits = self.net(read, lengths, written[:, :-1])
        wanted = torch.arange(written.shape[1] - 1, device=self.device)[None] < (sizes - 1)[:, None]
        return torch.nn.functional.cross_entropy(logits[wanted], written[:, 1:][wanted])

    def _pad(self, rows: Sequence[NDArray[np.int64]]) -> tuple[Any, Any]:
        lengths = np.array([len(own) for own in rows])
        padded = np.zeros((len(rows), lengths.max()), dtype=np.int64)
        for place, own in zip(padded, rows, strict=True):
            place[: len(own)] = own
        return self._torch.from_numpy(padded).to(self.device), self._torch.from_numpy(lengths).to(self.device)

    def weights(self) -> Tensors:
        """Return all parameters."""
        return dict(self.net.state_dict())

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take parameters back."""
        self.net.load_state_dict(dict(tensors))

    def state(self) -> Tensors:
        """Return the moments of Adam."""
        return pack_optimizer(self.optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take the moments back."""
        unpack_optimizer(self.optimizer, tensors)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the encoder's part as arrays, by the names of :data:`monge.encoders.context.PARTS`."""
        lstm = self.net.encoder
        bias = lstm.bias_ih_l0 + lstm.bias_hh_l0
        found = (self.net.read.weight, lstm.weight_ih_l0, lstm.weight_hh_l0, bias)
        named = zip(PARTS, found, strict=True)
        return {f"{self.seed}.{part}": tensor.detach().cpu().numpy().astype(np.float32) for part, tensor in named}


def _make_network(words: int, targets: int, size: int) -> Any:
    torch, _ = import_torch()

    class Network(torch.nn.Module):  # type: ignore[name-defined,misc]
        """Luong's global attention: score(h, s) = hᵀ W s, h̃ = tanh(W_c [context; h])."""

        def __init__(self) -> None:
            super().__init__()
            self.read = torch.nn.Embedding(words, size)
            self.written = torch.nn.Embedding(targets, size)
            self.encoder = torch.nn.LSTM(size, size, batch_first=True)
            self.decoder = torch.nn.LSTM(size, size, batch_first=True)
            self.attend = torch.nn.Linear(size, size, bias=False)
            self.combine = torch.nn.Linear(2 * size, size, bias=False)
            self.output = torch.nn.Linear(size, targets)

        def forward(self, read: Any, lengths: Any, written: Any) -> Any:
            packed = torch.nn.utils.rnn.pack_padded_sequence(
                self.read(read), lengths.cpu(), batch_first=True, enforce_sorted=False
            )
            states, last = self.encoder(packed)
            states, _ = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=read.shape[1])
            hidden, _ = self.decoder(self.written(written), last)
            scores = hidden @ self.attend(states).transpose(1, 2)
            outside = torch.arange(read.shape[1], device=read.device)[None, None] >= lengths[:, None, None]
            context = scores.masked_fill(outside, -torch.inf).softmax(-1) @ states
            return self.output(torch.tanh(self.combine(torch.cat([context, hidden], dim=-1))))

    return Network()


def train_context(
    pairs: ContextPairs, settings: ContextSettings, output: str, *, progress: Progress | None = None
) -> Artifact:
    """Train the networks of all seeds, write them to *output* and return them.

    A training that was interrupted goes on: finished seeds and the state of the current one are kept beside *output*
    until the file is written.

    Raises:
        OptionError: the training beside *output* is another one, or a loss is not a number from the start.
    """
    recipe = json.dumps([pairs.digest, asdict(settings) | {"seeds": None}])
    arrays: dict[str, NDArray[Any]] = {}
    figures: dict[str, Any] = {}
    parts = {seed: Path(f"{output}.seed{seed}.part") for seed in settings.seeds}
    for seed, part in parts.items():
        made = _finished(part, recipe) or _train_seed(pairs, settings, seed, recipe, part, progress)
        arrays |= made.arrays
        figures[str(seed)] = made.history["figures"]
    shared = {"dimension": settings.dimension, "seeds": list(settings.seeds), "vocabulary": list(pairs.vocabulary)}
    history = {"texts": pairs.digest, "pairs": len(pairs.sources), "training": asdict(settings), "by_seed": figures}
    if pairs.cut:
        history["cut"] = {"texts": pairs.cut, "words": LONGEST}
    artifact = Artifact(KIND, arrays, shared, history, output)
    artifact.save(output)
    for part in parts.values():
        part.unlink(missing_ok=True)
    return artifact


def _finished(part: Path, recipe: str) -> Artifact | None:
    if not part.exists():
        return None
    made = Artifact.load(part, kind=f"{KIND}-part")
    if made.settings["recipe"] != recipe:
        raise OptionError(f"{part} belongs to a training with other data or settings; delete it or write elsewhere")
    return made


def _train_seed(
    pairs: ContextPairs, settings: ContextSettings, seed: int, recipe: str, part: Path, progress: Progress | None
) -> Artifact:
    training = ContextTraining(pairs, settings, seed)
    before = training.judge()
    loop = LoopSettings(training.steps, seed=seed, judge_every=len(training.batches) * settings.repeat)
    report = None if progress is None else progress(seed, training.steps)
    result = run_loop(training, loop, recipe=recipe, checkpoint=f"{part}.checkpoint", report=report)
    if not result.best_step:
        result.discard_checkpoint()
        raise OptionError(f"seed {seed} learned nothing: {'; '.join(result.notes)}; try a smaller rate")
    figures = {"loss_before": -before, "loss": -result.judgements[result.best_step], "steps": len(result.losses)}
    notes = {"notes": result.notes} if result.notes else {}
    made = Artifact(f"{KIND}-part", training.arrays(), {"recipe": recipe}, {"figures": figures | notes})
    made.save(part)
    result.discard_checkpoint()
    return made
