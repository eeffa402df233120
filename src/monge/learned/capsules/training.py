"""Training capsules, a convolutional network or a linear model, on texts with labels or questions with answers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.learned.capsules.data import Answers, LabelledTexts
from monge.learned.capsules.model import CapsuleModel
from monge.learned.capsules.settings import CapsuleSettings
from monge.learned.capsules.tasks import make_training
from monge.learned.loop import LoopResult, LoopSettings, run_loop
from monge.learned.progress import Report
from monge.learned.split import split_rows

LEAST_TEXTS = 20
_LEAST_JUDGED = 50  # steps between judgements: epochs of few texts are too short to be told apart


@dataclass(frozen=True)
class TrainedCapsules:
    """A trained model and what the loop did."""

    model: CapsuleModel
    loop: LoopResult


def train_capsules(
    data: LabelledTexts | Answers,
    settings: CapsuleSettings,
    *,
    checkpoint: str | None = None,
    report: Report | None = None,
    environment: Environment | None = None,
) -> TrainedCapsules:
    """Train on nine tenths of *data*, keep the weights that are best on the rest, and return the model.

    Raises:
        InputError: too few texts, one label only, or no right or no wrong answer.
        OptionError: bad settings, or a checkpoint of another training.
    """
    training_data, held_out = split_data(data, settings.share)
    training = make_training(training_data, held_out, settings, environment)
    steps = settings.epochs * training.steps_per_epoch
    loop = LoopSettings(steps, settings.seed, max(training.steps_per_epoch, _LEAST_JUDGED), settings.patience)
    recipe = json.dumps([data.digest, asdict(settings)])
    result = run_loop(training, loop, recipe=recipe, checkpoint=checkpoint, report=report)
    if not result.best_step:
        result.discard_checkpoint()
        raise OptionError(f"the model learned nothing: {'; '.join(result.notes)}; try a smaller rate")
    history: dict[str, Any] = {
        "texts": data.digest, "used": len(training_data), "held_out": len(held_out), "training": asdict(settings),
        "best_step": result.best_step, "judgement": result.judgements[result.best_step], "notes": result.notes,
    }  # fmt: skip
    if training.cut and training.shape is not None:
        history["cut"] = {"texts": training.cut, "words": training.shape.length}
    return TrainedCapsules(CapsuleModel(training.artifact(history)), result)


def split_data(
    data: LabelledTexts | Answers, share: float = 1.0
) -> tuple[LabelledTexts | Answers, LabelledTexts | Answers]:
    """Return what is trained on and a tenth, at most 500, that is held out; answers to one question stay together."""
    keys = list(data.texts if isinstance(data, LabelledTexts) else data.questions)
    names = list(dict.fromkeys(keys))
    learned, apart = split_rows(len(names))
    used = round(len(learned) * share)
    if used < LEAST_TEXTS:
        what = "texts" if isinstance(data, LabelledTexts) else "questions"
        raise InputError(f"{used} {what} to train on are too few: at least {LEAST_TEXTS} are needed")
    held, kept = ({names[i] for i in rows} for rows in (apart, learned[:used]))
    parts = [data.part(i for i, key in enumerate(keys) if key in chosen) for chosen in (kept, held)]
    return parts[0], parts[1]
