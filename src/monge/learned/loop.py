"""The training loop that everything in this room shares: seeded, judged, resumable.

A training is an object that takes a step, judges itself on what was held out, and gives and takes its tensors
(:class:`Training`). Each step draws its random numbers from the seed and its own number alone, so a training that was
killed and continued ends in the same weights as one that was not.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from monge.encoders.torch_backend import import_torch
from monge.errors import OptionError
from monge.learned.checkpoint import Tensors, load_checkpoint, save_checkpoint, with_prefix, without_prefix
from monge.learned.progress import Report


class Training(Protocol):
    """What a loop trains."""

    def step(self, number: int) -> float:
        """Take the optimisation step *number* (from 0) and return its loss."""
        ...

    def judge(self) -> float:
        """Return how good the weights are on held-out data; higher is better."""
        ...

    def weights(self) -> Tensors:
        """Return the tensors that are the result, by name."""
        ...

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take back what :meth:`weights` returned."""
        ...

    def state(self) -> Tensors:
        """Return the other tensors that a continued training needs: those of optimizers."""
        ...

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take back what :meth:`state` returned."""
        ...


@dataclass(frozen=True)
class LoopSettings:
    """How long to train, when to judge, and when to stop.

    ``judge_every`` steps (0: only at the end) the training judges itself; the best weights are kept. After ``patience``
    judgements without a better one it stops (0: never). ``save_every`` is the number of seconds between checkpoints.
    """

    steps: int
    seed: int = 1
    judge_every: int = 0
    patience: int = 0
    save_every: float = 30.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise OptionError(f"steps={self.steps}: at least one step is needed")
        for name in ("judge_every", "patience", "save_every"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name}={getattr(self, name)}: must not be negative")


@dataclass
class LoopResult:
    """What a loop did: losses of all steps, judgements by step, the step whose weights were kept, and notes.

    The ``checkpoint`` stays until :meth:`discard_checkpoint`, which belongs after the result has been saved.
    """

    losses: list[float] = field(default_factory=list)
    judgements: dict[int, float] = field(default_factory=dict)
    best_step: int = 0
    notes: list[str] = field(default_factory=list)
    checkpoint: Path | None = None

    def record(self) -> dict[str, Any]:
        """Return the course of the training as plain values, for a manifest."""
        return {
            "steps": len(self.losses),
            "best_step": self.best_step,
            "loss_first": fmean(self.losses[:10]) if self.losses else None,
            "loss_last": fmean(self.losses[-10:]) if self.losses else None,
            "held_out": {str(step): round(value, 5) for step, value in self.judgements.items()},
        }

    def discard_checkpoint(self) -> None:
        """Delete the file that a repeated run would continue from."""
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)


def run_loop(
    training: Training,
    settings: LoopSettings,
    *,
    recipe: str,
    checkpoint: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> LoopResult:
    """Train, and leave the best judged weights in *training*.

    Args:
        training: what is trained; its weights are changed.
        settings: steps, seed, judgements.
        recipe: text that identifies the training: data digests and all options. A checkpoint of another is refused.
        checkpoint: file that keeps the state; a training continues where it stopped, and one that had ended is not
            repeated. Call ``discard_checkpoint()`` of the result once what was learned has been saved.
        report: called after every step, for a progress bar.

    Returns:
        Losses, judgements and notes. A loss that is not a number ends the training: the last good weights are kept, and
        a note says so.

    Raises:
        OptionError: the checkpoint belongs to another training.
    """
    import_torch()
    recipe = hashlib.sha256(f"{recipe}\0{settings}".encode()).hexdigest()
    loop = _Loop(training, settings, recipe, None if checkpoint is None else Path(checkpoint))
    start = loop.resume()
    try:
        for number in range(start, settings.steps):
            if not loop.advance(number):
                break
            if report is not None:
                report(number + 1, loop.result.losses[-1], loop.last_judgement)
    except KeyboardInterrupt:
        if loop.between_steps:
            loop.save()
        raise
    loop.finish()
    return loop.result


class _Loop:
    def __init__(self, training: Training, settings: LoopSettings, recipe: str, path: Path | None) -> None:
        self.training = training
        self.settings = settings
        self.recipe = recipe
        self.path = path
        self.result = LoopResult(checkpoint=path)
        self.best = _copy(training.weights())
        self.saved_at = time.monotonic()
        self.between_steps = True  # within a step the state is neither that before nor that after it

    @property
    def last_judgement(self) -> float | None:
        return next(reversed(self.result.judgements.values()), None)

    def resume(self) -> int:
        """Read the checkpoint, if there is one, and return the number of the next step."""
        found = None if self.path is None else load_checkpoint(self.path, recipe=self.recipe)
        if found is None:
            return 0
        tensors, facts = found
        self.training.load_weights(without_prefix("weights.", tensors))
        self.training.load_state(without_prefix("state.", tensors))
        self.best = without_prefix("best.", tensors)
        judgements = {int(step): value for step, value in facts["judgements"].items()}
        self.result = LoopResult(facts["losses"], judgements, facts["best_step"], facts["notes"], self.path)
        return self.settings.steps if self.result.notes else len(self.result.losses)

    def advance(self, number: int) -> bool:
        """Take one step; return whether training goes on."""
        self.between_steps = False
        goes_on = self._advance(number)
        self.between_steps = True
        if goes_on and self.path is not None and time.monotonic() - self.saved_at >= self.settings.save_every:
            self.save()
        return goes_on

    def _advance(self, number: int) -> bool:
        seed_step(self.settings.seed, number)
        loss = self.training.step(number)
        if not math.isfinite(loss):
            self.training.load_weights(self.best)
            kept = f"those of step {self.result.best_step}" if self.result.best_step else "those it started from"
            self.result.notes.append(f"the loss of step {number + 1} is not a number; the weights kept are {kept}")
            return False
        self.result.losses.append(loss)
        every = self.settings.judge_every
        if every and (number + 1) % every == 0:
            self.judge()
            if self.is_stuck():
                self.result.notes.append(f"stopped after step {number + 1}: no better judgement since")
                return False
        return True

    def judge(self) -> None:
        step = len(self.result.losses)
        value = self.training.judge()
        earlier = [other for other in self.result.judgements.values() if math.isfinite(other)]
        if math.isfinite(value) and value > max(earlier, default=-math.inf):
            self.result.best_step = step
            self.best = _copy(self.training.weights())
        self.result.judgements[step] = value

    def is_stuck(self) -> bool:
        done = list(self.result.judgements)
        if not self.settings.patience or not done:
            return False
        best = self.result.best_step
        return sum(step > best for step in done) >= self.settings.patience

    def finish(self) -> None:
        steps = len(self.result.losses)
        if not self.result.notes and steps not in self.result.judgements:
            self.judge()
        self.save()
        self.training.load_weights(self.best)

    def save(self) -> None:
        if self.path is None:
            return
        result = self.result
        tensors = (
            with_prefix("weights.", self.training.weights())
            | with_prefix("state.", self.training.state())
            | with_prefix("best.", self.best)
        )
        facts = {"recipe": self.recipe, "losses": result.losses, "judgements": result.judgements}
        save_checkpoint(self.path, tensors, facts | {"best_step": result.best_step, "notes": result.notes})
        self.saved_at = time.monotonic()


def seed_step(seed: int, number: int) -> None:
    """Make what torch draws in this step depend on *seed* and *number* alone."""
    torch, _ = import_torch()
    digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "little") >> 1)


def linear_schedule(step: int, steps: int, warmup: float = 0.1) -> float:
    """Return the factor of the learning rate: rises over the share *warmup* of the steps, then falls to zero.

    >>> [linear_schedule(step, 10, 0.2) for step in (0, 1, 2, 9)]
    [0.5, 1.0, 1.0, 0.125]
    """
    rising = max(1, round(steps * warmup))
    return (step + 1) / rising if step < rising else (steps - step) / max(1, steps - rising)


def _copy(tensors: Mapping[str, Any]) -> Tensors:
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}
