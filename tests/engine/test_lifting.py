"""Metrics of segments lifted to documents."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge import score
from monge.engine.job import JobOptions
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.metrics import load_metric
from monge.metrics.variants import parse_variants
from monge.text import Segment
from monge.workflows.compare import CompareRequest, run_compare
from monge.workflows.score import ScoreRequest, ScoreResult, run_score

LINES = [("the boat sank", "the boat sank"), ("a crew slept", "the crew slept"), ("rain fell", "snow fell all day")]
DOCUMENTS = ("first", "second", "first")  # the lines of a document need not stand together


def make_segments(lines: Sequence[tuple[str, str]] = LINES, system: str = "A") -> list[Segment]:
    return [
        Segment(own, (other,), id=str(i), system=system, document=name)
        for i, ((own, other), name) in enumerate(zip(lines, DOCUMENTS, strict=True))
    ]


def run(
    documents: str, *metrics: str, segments: list[Segment] | None = None, folder: Path, confidence: bool = False
) -> ScoreResult:
    texts = [spool_segments(segments or make_segments(), "A")]
    options = JobOptions(documents=documents, confidence=confidence)  # type: ignore[arg-type]
    return run_score(
        ScoreRequest(texts, tuple(parse_variants(metrics)), options), environment=Environment(cache_directory=folder)
    )


@pytest.mark.parametrize("metric", ["chrf", "rougel", "bertscore,encoder=hashed", "bleu"])
def test_mean_is_the_mean_over_the_segments_of_a_document(metric: str, tmp_path: Path) -> None:
    plain = run("", metric, folder=tmp_path).systems[0]
    lifted = run("mean", metric, folder=tmp_path).systems[0]
    first, second, third = (one.value for one in plain.scores)
    assert [one.value for one in lifted.scores] == pytest.approx([(first + third) / 2, second], abs=1e-12)
    assert lifted.score == pytest.approx(((first + third) / 2 + second) / 2, abs=1e-12)
    assert [segment.id for segment in lifted.segments] == ["first", "second"]
    assert lifted.signature == f"{plain.signature}|documents:mean"
    assert lifted.unit == "document"
    assert lifted.reused == len(LINES)  # the scores of the segments were known


@pytest.mark.parametrize("metric", ["chrf", "bleu", "bertscore,encoder=hashed"])
def test_whole_scores_the_joined_text(metric: str, tmp_path: Path) -> None:
    found = run("whole", metric, folder=tmp_path).systems[0]
    variant = parse_variants([metric])[0]
    joined = [Segment("the boat sank\nrain fell", ("the boat sank\nsnow fell all day",)), make_segments()[1]]
    own = load_metric(variant.name, **variant.options).score(joined)
    assert [one.value for one in found.scores] == pytest.approx([one.value for one in own], abs=1e-12)
    assert found.signature.endswith("|documents:whole")
    assert found.scale is None


def test_a_metric_of_documents_is_not_lifted(tmp_path: Path) -> None:
    plain, mean, whole = (run(how, "rc", folder=tmp_path).systems[0] for how in ("", "mean", "whole"))
    assert plain.score == mean.score == whole.score
    assert plain.signature == mean.signature == whole.signature


def test_segments_without_a_score_are_left_out_with_a_note(tmp_path: Path) -> None:
    lines = [("", ""), ("a crew slept", "the crew slept"), ("rain fell", "rain fell")]
    found = run("mean", "bertscore,encoder=hashed", segments=make_segments(lines), folder=tmp_path, confidence=True)
    (one,) = found.systems
    assert one.scores[0].value == pytest.approx(1)
    assert "1 of 2 segments have no score and were left out" in one.scores[0].notes
    assert one.half_width is not None
    assert one.half_width > 0
    nothing = run("mean", "bertscore,encoder=hashed", segments=make_segments([("", "")] * 3), folder=tmp_path)
    assert math.isnan(nothing.systems[0].score)


def test_texts_that_name_no_document_are_documents_with_a_warning(tmp_path: Path) -> None:
    segments = [Segment("a b", ("a c",), id=str(i)) for i in range(3)]
    found = run("mean", "chrf", segments=segments, folder=tmp_path)
    assert len(found.systems[0]) == 3
    assert "--docids" in found.warnings[-1]
    with pytest.raises(OptionError, match="must be mean, whole or empty"):
        JobOptions(documents="median")  # type: ignore[arg-type]


def test_documents_are_what_is_compared(tmp_path: Path) -> None:
    worse = [("a ship", "the boat sank"), ("slept", "the crew slept"), ("rain", "snow fell all day")]
    texts = [spool_segments(make_segments(), "A"), spool_segments(make_segments(worse, "B"), "B")]
    request = CompareRequest(texts, tuple(parse_variants(["chrf"])), documents="mean", show=1)
    found = run_compare(request, environment=Environment(cache_directory=tmp_path))["chrf"]
    assert found.table.segments == ("first", "second")
    assert found.order == ["A", "B"]


def test_document_ids_in_python() -> None:
    found = score(["a b", "c d", "e f"], ["a b", "c x", "e f"], metric="chrf", document_ids=["x", "x", "y"])
    joined = score(["a b\nc d", "e f"], ["a b\nc x", "e f"], metric="chrf")
    assert np.array_equal(found.scores, joined.scores)
    assert [segment.id for segment in found.segments] == ["x", "y"]
    with pytest.raises(InputError, match="2 hypotheses but 1 document ids"):
        score(["a", "b"], ["a", "b"], metric="chrf", document_ids=["x"])
    with pytest.raises(InputError, match="document id 2 must be a text"):
        score(["a", "b"], ["a", "b"], metric="chrf", document_ids=["x", " "])
