"""Learning to find labels of texts or to rank answers, and using what was learned."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.learned.capsules.data import Answers, LabelledTexts, read_answers, read_labelled
from monge.learned.capsules.model import TASKS, CapsuleModel, evaluate
from monge.learned.capsules.settings import CapsuleSettings
from monge.learned.capsules.training import split_data, train_capsules
from monge.learned.progress import progress_reporter
from monge.learned.truncation import describe_cut


@dataclass(frozen=True)
class TrainCapsulesRequest:
    """A file of texts with labels (``task`` labels) or questions with answers (answers), and how to train.

    ``test`` is a file of the same form that the result is measured on; empty: none.
    """

    data: str | os.PathLike[str]
    output: str
    task: str = "labels"
    settings: CapsuleSettings = field(default_factory=CapsuleSettings)
    test: str = ""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise OptionError(f"task={self.task!r}{suggest(self.task, TASKS)}: must be labels or answers")


@dataclass(frozen=True)
class TrainCapsulesResult:
    """The digest of the file that was written, sizes, and measures on held-out and test data."""

    output: str
    digest: str
    used: int
    labels: int
    steps: int
    held_out: dict[str, float]
    test: dict[str, float]
    notes: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return dict(self.__dict__) | {"notes": list(self.notes)}


def run_train_capsules(
    request: TrainCapsulesRequest, *, show: bool | None = None, environment: Environment | None = None
) -> TrainCapsulesResult:
    """Train, write the file, and measure; an interrupted training goes on from ``OUTPUT.checkpoint``.

    Raises InputError for files that are not right or hold too little, and OptionError for bad settings.
    """
    data = read_examples(request.data, request.task)
    test = read_examples(request.test, request.task) if request.test else None
    settings = request.settings
    steps = settings.epochs * -(-len(split_data(data, settings.share)[0]) // settings.batch)
    report = progress_reporter(settings.model, steps, show)
    made = train_capsules(
        data, settings, checkpoint=f"{request.output}.checkpoint", report=report, environment=environment
    )
    artifact = replace(made.model.artifact, path=request.output)
    artifact.save(request.output)
    made.loop.discard_checkpoint()
    model = CapsuleModel(artifact)
    history = artifact.history
    cut = history.get("cut")
    notes = [describe_cut(cut["texts"], cut["words"])] if cut else []
    return TrainCapsulesResult(
        request.output, artifact.digest, history["used"], len(model.labels), len(made.loop.losses),
        evaluate(model, split_data(data, settings.share)[1]), {} if test is None else evaluate(model, test),
        (*made.loop.notes, *notes),
    )  # fmt: skip


def read_examples(path: str | os.PathLike[str], task: str) -> LabelledTexts | Answers:
    """Read a file of texts with labels, or of questions with answers."""
    return read_labelled(path) if task == "labels" else read_answers(path)
