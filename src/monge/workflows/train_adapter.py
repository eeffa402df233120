"""Training a low-rank adapter of an encoder so that the transport score itself agrees with a teacher or with people."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from monge.encoders import load_encoder
from monge.encoders.adapter import KIND
from monge.encoders.checkpoint import weight_files
from monge.encoders.registry import find_directory, name_base
from monge.encoders.stores import digest, vector_store
from monge.encoders.torch_backend import import_torch
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.learned.adapter import AdapterSettings, AdapterTraining
from monge.learned.distillation import TeacherScale
from monge.learned.examples import Example
from monge.learned.loop import LoopResult, LoopSettings, run_loop
from monge.learned.lora import LowRankEncoder
from monge.learned.progress import progress_reporter
from monge.learned.teacher import Teacher
from monge.learned.truncation import describe_cut
from monge.metrics.baseline import read_unrelated_texts
from monge.storage.artifact import Artifact
from monge.storage.digests import hash_files
from monge.text import iter_table
from monge.version import __version__
from monge.workflows.judged_data import JudgedData, read_judged_sets

Announce = Callable[[str], None]


@dataclass(frozen=True)
class TrainAdapterRequest:
    """What is to be learned, from what, and where it is written.

    ``pairs`` are tables of hypotheses with references, without judgments. ``teacher`` names the encoder whose opinions
    are taught (distillation), computed in ``teacher_dtype``; ``corrupt`` adds the order of damaged texts and of
    exchanged words; both need no human label. ``judgments`` name sets of human judgments as ``monge correlate`` does.
    ``notes`` go into the manifest: where the data come from and under which licences.
    """

    encoder: str
    output: str
    pairs: tuple[str, ...] = ()
    teacher: str = ""
    corrupt: bool = False
    judgments: tuple[str, ...] = ()
    settings: AdapterSettings | None = None
    seed: int = 1
    device: str = "auto"
    notes: tuple[str, ...] = ()
    teacher_dtype: str = "float32"

    @property
    def chosen_settings(self) -> AdapterSettings:
        """The settings, with usual weights where none are given."""
        if self.settings is not None:
            return self.settings
        teacher, corrupt, people = (float(bool(given)) for given in (self.teacher, self.corrupt, self.judgments))
        return AdapterSettings(distil=teacher, ladder=corrupt, exchange=corrupt, judge=people)

    @property
    def variant(self) -> str:
        """What the adapter learned from, in words; human labels are always named."""
        parts = [f"distilled from {_name(self.teacher)}"] if self.teacher else []
        parts += ["ranking of corruptions"] if self.corrupt else []
        labels = f"human judgments of {', '.join(map(_name, self.judgments))}" if self.judgments else "no human label"
        return "; ".join([*parts, labels])


@dataclass(frozen=True)
class TrainAdapterResult:
    """The adapter that was written, and how its training went."""

    artifact: Artifact
    references: int
    pairs: int
    seconds: float
    loop: LoopResult = field(repr=False)

    def record(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "file": self.artifact.path,
            "digest": self.artifact.digest,
            "settings": dict(self.artifact.settings),
            "history": dict(self.artifact.history),
            "notes": list(self.loop.notes),
        }


def run_train_adapter(
    request: TrainAdapterRequest, *, environment: Environment | None = None, announce: Announce | None = None
) -> TrainAdapterResult:
    """Train an adapter and write it to ``request.output``.

    An interrupted training goes on when it is run again: the teacher's opinions are kept in the cache, the state of the
    training in ``OUTPUT.checkpoint``. Raises InputError for too few or unusable texts, OptionError for settings that do
    not fit each other, ModelError for an encoder that cannot be trained.
    """
    environment = environment or Environment.read()
    tell = announce or (lambda text: None)
    settings, began = request.chosen_settings, time.monotonic()
    _check(request, settings)
    directory, title = find_directory(request.encoder, environment)
    groups = _read_groups(request, environment)
    import_torch()
    student = LowRankEncoder(
        directory,
        rank=settings.rank,
        length=settings.length,
        seed=request.seed,
        device=request.device,
        dtype=settings.dtype,
    )
    examples = _ask(request, groups, environment, tell)
    scale = _measure_scale(request, environment) if settings.distil and settings.scaled else None
    training = AdapterTraining(student, examples, settings, seed=request.seed, scale=scale)
    loop = LoopSettings(settings.steps, request.seed, judge_every=max(10, settings.steps // 4))
    weights = digest(weight_files(directory), environment)
    base, data = name_base(request.encoder, title), _describe_data(request, groups)
    recipe = f"adapter {weights} {settings} {data} {request.teacher} {request.teacher_dtype} {request.seed}"
    count = sum(len(example.hypotheses) for example in examples)
    tell(f"training {title}: {len(examples):,} references, {count:,} pairs, {settings.steps} steps on {student.device}")
    bar = progress_reporter("adapter", settings.steps)
    result = run_loop(training, loop, recipe=recipe, checkpoint=f"{request.output}.checkpoint", report=bar)
    history = _history(request, settings, data, result) | {"references": len(examples), "pairs": count}
    texts = list(dict.fromkeys(text for example in examples for text in (example.reference, *example.hypotheses)))
    if cut := student.count_cut(texts):
        history["cut"] = {"texts": cut, "tokens": student.length}
        result.notes.append(describe_cut(cut, student.length, unit="token"))
    artifact = Artifact(KIND, student.factors(), {"base": base, "weights": weights, "rank": settings.rank}, history)
    artifact.save(request.output)
    result.discard_checkpoint()
    artifact = dataclasses.replace(artifact, path=request.output)
    return TrainAdapterResult(artifact, len(examples), count, time.monotonic() - began, result)


def _check(request: TrainAdapterRequest, settings: AdapterSettings) -> None:
    if bool(settings.distil) != bool(request.teacher):
        raise OptionError("distillation needs a teacher, and a teacher is for distillation")
    for name, usual, meaning in (
        ("wide", 0, "weighs what a teacher says of all pairs"),
        ("blend", 0, "mixes in the cosine of a teacher"),
        ("floor", -1, "is a cosine by a teacher"),
    ):
        if getattr(settings, name) != usual and not request.teacher:
            raise OptionError(f"{name} {meaning}: name a teacher")
    if (settings.ladder or settings.exchange) and not request.corrupt:
        raise OptionError("ladder and exchange weigh damaged texts: give corrupt too")
    if request.teacher_dtype != "float32" and not request.teacher:
        raise OptionError(f"teacher_dtype={request.teacher_dtype}: name a teacher")
    if bool(settings.judge) != bool(request.judgments):
        raise OptionError("judge weighs human judgments: give both or neither")
    if not request.pairs and not request.judgments:
        raise OptionError("give --pairs FILE or --judgments DATA to learn from")


def _read_groups(request: TrainAdapterRequest, environment: Environment) -> list[Example]:
    """Return the texts to learn from, by reference."""
    plain: dict[str, list[str]] = {}
    for path in request.pairs:
        for segment in iter_table(path):
            if not segment.references:
                raise InputError(f"{path}, line {segment.id}: no reference")
            for reference in segment.references:
                if segment.hypothesis.strip() and reference.strip():
                    plain.setdefault(reference, []).append(segment.hypothesis)
    examples = [Example(reference, tuple(dict.fromkeys(texts))) for reference, texts in plain.items()]
    return examples + [example for name in request.judgments for example in _read_judged(name, environment)]


def _read_judged(name: str, environment: Environment) -> Iterable[Example]:
    """Yield the judged outputs of a set by reference, judgments standardised within the set and aspect averaged."""
    for judged in read_judged_sets(JudgedData(name), environment=environment):
        cells: dict[tuple[str, str], list[float]] = {}
        for table in judged.judgments.values():
            standard = (table.values - np.nanmean(table.values)) / max(float(np.nanstd(table.values)), 1e-9)
            for s, n in zip(*np.nonzero(np.isfinite(standard)), strict=True):
                cells.setdefault((table.systems[s], table.segments[n]), []).append(float(standard[s, n]))
        groups: dict[str, dict[str, float]] = {}
        for segment in judged.segments:
            values = cells.get((segment.system, segment.id), [])
            for reference in segment.references if values else ():
                groups.setdefault(reference, {})[segment.hypothesis] = float(np.mean(values))
        yield from (Example(text, tuple(own), (), tuple(own.values())) for text, own in groups.items())


def _ask(
    request: TrainAdapterRequest, examples: Sequence[Example], environment: Environment, tell: Announce
) -> list[Example]:
    """Return the examples with the opinions of the teacher; without any, as they are."""
    settings = request.chosen_settings
    if not settings.distil:
        return list(examples)
    from tqdm import tqdm

    pairs = [(text, one.reference) for one in examples for text in one.hypotheses]
    store = vector_store(environment) if environment.cache else None
    encoder = load_encoder(request.teacher, device=request.device, dtype=request.teacher_dtype, environment=environment)
    teacher = Teacher(encoder, store)
    tell(f"asking {teacher.encoder.signature} about {len(pairs):,} pairs; answers are kept in the cache")
    shown = tqdm(teacher.ask(pairs), total=len(pairs), desc="teacher", unit=" pairs", disable=None, file=sys.stderr)
    opinions = iter(list(shown))
    asked = [dataclasses.replace(one, opinions=tuple(next(opinions) for _ in one.hypotheses)) for one in examples]
    if settings.wide:
        return asked
    return [kept for kept in (example.above(settings.floor) for example in asked) if kept is not None]


def _measure_scale(request: TrainAdapterRequest, environment: Environment) -> TeacherScale:
    """Ask the encoder and its teacher about the unrelated texts that come with monge."""
    texts = read_unrelated_texts()
    pairs = [(text, texts[i - 1]) for i, text in enumerate(texts)]
    store = vector_store(environment) if environment.cache else None
    own, theirs = (
        list(Teacher(load_encoder(name, device=request.device, dtype=dtype, environment=environment), store).ask(pairs))
        for name, dtype in ((request.encoder, "float32"), (request.teacher, request.teacher_dtype))
    )
    return TeacherScale.measure(own, theirs)


def _name(given: str) -> str:
    """Return a name as it is, and of a file or folder its own name without the way there."""
    path = Path(given).expanduser()
    return path.resolve().name if given and path.exists() else given


def _describe_data(request: TrainAdapterRequest, examples: Sequence[Example]) -> list[dict[str, str]]:
    """Name what is learned from, each file with its SHA-256, judged sets with that of their texts and judgments."""
    files = [{"file": Path(path).name, "sha256": hash_files([Path(path)])} for path in request.pairs]
    if not request.judgments:
        return files
    judged = [(one.reference, one.hypotheses, one.judgments) for one in examples if one.judgments]
    content = hashlib.sha256(json.dumps(judged).encode()).hexdigest()
    return [*files, {"judgments": ", ".join(map(_name, request.judgments)), "sha256": content}]


def _history(
    request: TrainAdapterRequest, settings: AdapterSettings, data: list[dict[str, str]], result: LoopResult
) -> dict[str, Any]:
    return {
        "variant": request.variant,
        "teacher": _name(request.teacher),
        **({"teacher_dtype": request.teacher_dtype} if request.teacher else {}),
        "data": data,
        "notes": list(request.notes),
        "training": dataclasses.asdict(settings),
        "seed": request.seed,
        **result.record(),
        "monge": __version__,
    }
