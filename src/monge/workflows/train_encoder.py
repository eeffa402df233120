"""Fine-tuning an encoder on pairs of texts, into a folder that every metric takes as its encoder."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monge.encoders.checkpoint import weight_files
from monge.encoders.registry import find_directory
from monge.encoders.stores import digest
from monge.encoders.torch_backend import import_torch
from monge.environment import Environment
from monge.learned.finetune import FinetuneSettings, FinetuneTraining
from monge.learned.folder import check_new_folder, write_encoder
from monge.learned.loop import LoopResult, LoopSettings, run_loop
from monge.learned.pair_files import LabelledPairs, count_classes, read_labelled_pairs
from monge.learned.progress import progress_reporter
from monge.learned.truncation import describe_cut
from monge.storage.digests import hash_files
from monge.version import __version__

_JUDGEMENTS = 10  # per training


@dataclass(frozen=True)
class TrainEncoderRequest:
    """Which encoder is fine-tuned on which pairs, and the folder that is written.

    ``task`` is ``nli``, ``paraphrase`` or ``similarity``; ``settings`` None means a joint classifier for classes and
    the cosine of two encodings for similarities.
    """

    encoder: str
    pairs: tuple[str, ...]
    task: str
    output: str
    settings: FinetuneSettings | None = None
    seed: int = 1
    device: str = "auto"

    @property
    def chosen_settings(self) -> FinetuneSettings:
        """The settings, or the usual ones of the task."""
        return self.settings or FinetuneSettings(head="cosine" if self.task == "similarity" else "joint")


@dataclass(frozen=True)
class TrainEncoderResult:
    """The folder that was written, its manifest, and notes."""

    directory: str
    manifest: dict[str, Any]
    seconds: float
    notes: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"directory": self.directory, **self.manifest, "notes": list(self.notes)}


def run_train_encoder(
    request: TrainEncoderRequest,
    *,
    environment: Environment | None = None,
    announce: Callable[[str], None] | None = None,
) -> TrainEncoderResult:
    """Fine-tune an encoder and write it as a Hugging Face folder, which runs without torch.

    A tenth of the pairs is held out; the weights that do best on it are kept. The state is in ``OUTPUT.checkpoint``
    until the training has ended: after an interruption the same request goes on from there. Raises InputError for pairs
    that cannot be used, OptionError for settings that do not fit, ModelError for an encoder that is not BERT-shaped.
    """
    environment = environment or Environment.read()
    settings, target, began = request.chosen_settings, Path(request.output), time.monotonic()
    check_new_folder(target)
    data = read_labelled_pairs(request.pairs, request.task)
    import_torch()
    directory, title = find_directory(request.encoder, environment)
    training = FinetuneTraining(directory, data, settings, seed=request.seed, device=request.device)
    every = max(1, training.steps // _JUDGEMENTS)
    loop = LoopSettings(training.steps, request.seed, every, settings.patience, save_every=120.0)
    base = digest(weight_files(directory), environment)
    files = [{"file": Path(path).name, "sha256": hash_files([Path(path)])} for path in request.pairs]
    if announce is not None:
        announce(f"training {title} on {len(data.pairs):,} pairs: {training.steps} steps on {training.device}")
    target.parent.mkdir(parents=True, exist_ok=True)
    result = run_loop(
        training,
        loop,
        recipe=f"encoder {base} {request.task} {settings} {files} {request.seed}",
        checkpoint=f"{request.output.rstrip('/')}.checkpoint",
        report=progress_reporter("encoder", training.steps),
    )
    manifest = _manifest(request, settings, data, result) | {"base": title, "base_weights": base, "data": files}
    notes = (*data.notes, *result.notes)
    if cut := training.count_cut():
        manifest["cut"] = {f"{training.read_as}s": cut, "tokens": training.longest}
        notes += (describe_cut(cut, training.longest, noun=training.read_as, unit="token"),)
    write_encoder(training.model, directory, target, manifest)
    result.discard_checkpoint()
    return TrainEncoderResult(str(target), manifest, time.monotonic() - began, notes)


def _manifest(
    request: TrainEncoderRequest, settings: FinetuneSettings, data: LabelledPairs, result: LoopResult
) -> dict[str, Any]:
    return {
        "task": request.task,
        "pairs": len(data.pairs),
        "classes": count_classes(data),
        "training": dataclasses.asdict(settings),
        "seed": request.seed,
        **result.record(),
        "monge": __version__,
    }
