"""Metrics of other packages, offered where these are installed: COMET and BLEURT.

The entry points of this package name the specs below; ``MetricSpec.requires`` says which module must be importable.
monge neither contains nor installs these packages and their weights.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from monge.environment import Environment
from monge.errors import ModelError
from monge.metrics.base import MetricBase, check_needs, note_empty_texts
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment
from monge.version import __version__

COMET = MetricSpec(
    "comet",
    "monge.metrics.installed:make_comet",
    "a trained regressor of human judgments (unbabel-comet)",
    family="installed",
    needs=("references", "source"),
    bounds=(-math.inf, math.inf),
    citation="Rei et al. (2020), COMET: A Neural Framework for MT Evaluation, EMNLP",
    requires="comet",
)
BLEURT = MetricSpec(
    "bleurt",
    "monge.metrics.installed:make_bleurt",
    "a trained regressor of human judgments (bleurt)",
    family="installed",
    bounds=(-math.inf, math.inf),
    citation="Sellam et al. (2020), BLEURT: Learning Robust Metrics for Text Generation, ACL",
    requires="bleurt",
)


@dataclass(frozen=True, eq=False)
class CometMetric(MetricBase):
    """A COMET model; one without references (CometKiwi) needs the source only. With several references the first."""

    spec: MetricSpec
    model: Any
    name: str
    batch_size: int
    gpus: int

    @property
    def signature(self) -> Signature:
        """The model and the version of the package."""
        library = _library("unbabel-comet")
        return Signature({"metric": "comet", "model": self.name, "library": library, "version": __version__})

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return the model's score of each segment."""
        check_needs(self.spec, segments)
        if not segments:
            return []
        samples = [
            {"src": segment.source, "mt": segment.hypothesis}
            | ({"ref": segment.references[0]} if "references" in self.spec.needs else {})
            for segment in segments
        ]
        with open(os.devnull, "w", encoding="utf-8") as quiet, contextlib.redirect_stdout(quiet):
            found = self.model.predict(
                samples, batch_size=self.batch_size, gpus=self.gpus, progress_bar=False, num_workers=1
            )
        several = "only the first reference is used"
        return [
            Score(
                float(value),
                notes=note_empty_texts(segment)
                + ((several,) if len(segment.references) > 1 and "references" in self.spec.needs else ()),
            )
            for value, segment in zip(found["scores"], segments, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class BleurtMetric(MetricBase):
    """A BLEURT checkpoint; of several references the best counts."""

    spec: MetricSpec
    scorer: Any
    name: str
    batch_size: int

    @property
    def signature(self) -> Signature:
        """The checkpoint and the version of the package."""
        fields = {"metric": "bleurt", "checkpoint": self.name, "references": "max"}
        return Signature({**fields, "library": _library("bleurt"), "version": __version__})

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return the checkpoint's score of each segment against its best reference."""
        check_needs(self.spec, segments)
        pairs = [(reference, segment.hypothesis) for segment in segments for reference in segment.references]
        if not pairs:
            return []
        references, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
        values = iter(self.scorer.score(references=references, candidates=candidates, batch_size=self.batch_size))
        scores = []
        for segment in segments:
            own = [float(next(values)) for _ in segment.references]
            best = max(range(len(own)), key=own.__getitem__)
            scores.append(Score(own[best], reference_index=best, notes=note_empty_texts(segment)))
        return scores


def make_comet(
    *,
    model: str = "Unbabel/wmt22-comet-da",
    batch_size: int = 16,
    gpus: int = 0,
    environment: Environment | None = None,
) -> CometMetric:
    """COMET through the package unbabel-comet: ``model`` is a name of the hub or a checkpoint file.

    Offline, only models that are there already are used.
    """
    import comet

    around = Environment.read() if environment is None else environment
    try:
        path = model if os.path.exists(model) else comet.download_model(model, local_files_only=around.offline)
        loaded = comet.load_from_checkpoint(path, local_files_only=around.offline)
    except Exception as error:  # the package raises whatever its libraries raise
        raise ModelError(f"COMET's model {model!r} cannot be loaded: {_first_line(error)}") from error
    compares = loaded.requires_references()
    needs = ("references", "source") if compares else ("source",)
    spec = dataclasses.replace(COMET, needs=needs, copy_is_best=compares)  # a copy of the source is not a translation
    return CometMetric(spec, loaded, os.path.basename(model), batch_size, gpus)


def make_bleurt(*, checkpoint: str = "BLEURT-20", batch_size: int = 16) -> BleurtMetric:
    """BLEURT through the package bleurt: ``checkpoint`` is the folder of a checkpoint."""
    from bleurt.score import BleurtScorer

    if not os.path.isdir(checkpoint):
        raise ModelError(f"there is no folder {checkpoint!r} with a checkpoint of BLEURT: name it with checkpoint=DIR")
    try:
        scorer = BleurtScorer(checkpoint)
    except Exception as error:  # the package raises whatever its libraries raise
        raise ModelError(f"BLEURT's checkpoint {checkpoint!r} cannot be loaded: {_first_line(error)}") from error
    return BleurtMetric(BLEURT, scorer, os.path.basename(os.path.normpath(checkpoint)), batch_size)


def _library(package: str) -> str:
    try:
        return f"{package}-{version(package)}"
    except PackageNotFoundError:
        return package


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).split("\n") if line.strip()), type(error).__name__)
