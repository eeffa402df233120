"""Aligning a multilingual encoder on translations, into a folder that every metric takes as its encoder."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monge.crosslingual.criteria import SpaceQuality
from monge.crosslingual.vectors import VectorSpace
from monge.encoders import load_encoder
from monge.encoders.checkpoint import weight_files
from monge.encoders.registry import find_directory
from monge.encoders.stores import digest
from monge.environment import Environment
from monge.errors import OptionError
from monge.learned.folder import check_new_folder, write_encoder
from monge.learned.joint import JointSettings, JointTraining
from monge.learned.links import LinkedTexts, link_by_vectors, read_links
from monge.learned.loop import LoopResult, LoopSettings, run_loop
from monge.learned.progress import progress_reporter
from monge.learned.truncation import describe_cut
from monge.version import __version__
from monge.workflows.align import read_parallel_texts


@dataclass(frozen=True)
class TrainJointRequest:
    """Which encoder is aligned on which translations, and the folder that is written.

    ``texts`` are files in pairs, source and target, of one or several language pairs. Words are linked by the files
    ``links``, one per pair of files; without, by the vectors of ``linker`` (empty: of the encoder itself) in its
    ``layers``.
    """

    encoder: str
    texts: tuple[str, ...]
    output: str
    settings: JointSettings = field(default_factory=JointSettings)
    links: tuple[str, ...] = ()
    linker: str = ""
    layers: str = "last"
    most: int | None = None
    seed: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        if not self.texts or len(self.texts) % 2:
            raise OptionError(f"{len(self.texts)} files of texts: source and target belong together")
        if self.links and 2 * len(self.links) != len(self.texts):
            raise OptionError(f"{len(self.links)} files of links for {len(self.texts) // 2} pairs of files")


@dataclass(frozen=True, eq=False)
class TrainJointResult:
    """The folder, its manifest, the held-out quality of the space before and after, and notes."""

    directory: str
    manifest: dict[str, Any]
    before: SpaceQuality
    after: SpaceQuality
    notes: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        sides = {name: record_quality(own) for name, own in (("before", self.before), ("after", self.after))}
        return {"directory": self.directory, **self.manifest, **sides, "notes": list(self.notes)}


def record_quality(quality: SpaceQuality) -> dict[str, float]:
    """Return precision@1 both ways, the mean cosines of linked and random words, and how well these are told apart."""
    return {
        "forward": quality.forward,
        "backward": quality.backward,
        "cosine_matched": float(quality.matched.mean()),
        "cosine_random": float(quality.random.mean()),
        "separation": quality.separation,
    }


def run_train_joint(
    request: TrainJointRequest, *, show: bool | None = None, environment: Environment | None = None
) -> TrainJointResult:
    """Align an encoder and write it as a folder, which runs without torch.

    The state is in ``OUTPUT.checkpoint`` until training has ended; after an interruption the same request goes on.
    Raises InputError for texts or links that are not right or too few, OptionError for bad settings, ModelError for an
    encoder that is not BERT-shaped.
    """
    around = environment or Environment.read()
    target = Path(request.output)
    check_new_folder(target)
    base, title = find_directory(request.encoder, around)
    data = read_linked(request, around)
    training = JointTraining(base, data, request.settings, seed=request.seed, device=request.device)
    before, start = training.measure(), training.judge()
    every = max(1, training.steps // request.settings.judgements)
    loop = LoopSettings(training.steps, request.seed, every, request.settings.patience, save_every=120.0)
    weights = digest(weight_files(base), around)
    recipe = json.dumps(["joint", weights, data.digest, dataclasses.asdict(request.settings)])
    report = progress_reporter("joint", training.steps, show)
    result = run_loop(training, loop, recipe=recipe, checkpoint=f"{target}.checkpoint", report=report)
    notes = tuple(result.notes)
    if not result.judgements or result.judgements.get(result.best_step, start) <= start:
        notes += ("no judgement is better than that of the encoder before training",)
    manifest = describe(request, training, result) | {
        "semantic": start,
        "base": title,
        "base_weights": weights,
        "texts": data.digest,
    }
    if cut := training.count_cut():
        manifest["cut"] = {"texts": cut, "tokens": training.longest}
        notes += (describe_cut(cut, training.longest, unit="token"),)
    write_encoder(training.model, base, target, manifest)
    result.discard_checkpoint()
    return TrainJointResult(str(target), manifest, before, training.measure(), notes)


def read_linked(request: TrainJointRequest, environment: Environment) -> LinkedTexts:
    """Read the texts and link their words."""
    space = None
    if not request.links:
        encoder = load_encoder(request.linker or request.encoder, cache=True, environment=environment)
        space = VectorSpace.choose(encoder, request.layers)
    found = LinkedTexts((), (), ())
    for number in range(len(request.texts) // 2):
        texts = read_parallel_texts(*request.texts[2 * number : 2 * number + 2])
        source, target = texts.source[: request.most], texts.target[: request.most]
        if space is not None:
            found = found.add(link_by_vectors(source, target, space))
        else:
            found = found.add(read_links(request.links[number], source, target))
    return found


def describe(request: TrainJointRequest, training: JointTraining, result: LoopResult) -> dict[str, Any]:
    """Return what the folder's manifest says of a training."""
    return {
        "method": "joint-align",
        "pairs": len(training.learned.source),
        "held_out_pairs": len(training.held_out.source),
        "links": sum(map(len, training.learned.links)),
        "linked_by": "files" if request.links else request.linker or "the encoder itself",
        "training": dataclasses.asdict(request.settings),
        "seed": request.seed,
        "steps": len(result.losses),
        "best_step": result.best_step,
        "losses": [result.losses[0], result.losses[-1]] if result.losses else [],
        "judgements": {str(step): value for step, value in result.judgements.items()},
        "monge": __version__,
    }
