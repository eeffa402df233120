"""What is stored, under which key, and what is never stored."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from monge.engine.chunks import Chunk
from monge.engine.job import JobOptions, score_all, score_job
from monge.engine.journal import Journal
from monge.engine.spool import spool_segments
from monge.metrics import Metric, load_metric
from monge.metrics.base import MetricBase
from monge.metrics.lexical.rouge import RougeMetric
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.storage.identity import stated_identity
from monge.storage.store import Store
from monge.text import Segment

SEGMENTS = [Segment("a b c", ("a b d",), id="1"), Segment("e f", ("e g",), id="2")]


class Counting(MetricBase):
    """Counts the texts it scores; its identity is given or unknown."""

    def __init__(self, identity: str | None, unit: str = "segment") -> None:
        self.spec = MetricSpec("counting", "-", "", "test", unit=unit)  # type: ignore[arg-type]
        self._identity = identity
        self.scored: list[str] = []

    @property
    def signature(self) -> Signature:
        return Signature({"metric": "counting"})

    @property
    def identity(self) -> str | None:
        return self._identity

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        self.scored += [segment.hypothesis for segment in segments]
        return [Score(float(len(segment.hypothesis))) for segment in segments]


def score_twice(first: Metric, second: Metric, folder: Path) -> None:
    for metric in (first, second):
        store = Store(folder)
        assert [score.value for score in score_all(metric, SEGMENTS, journal=Journal(store))] == [5.0, 3.0]
        store.close()


@pytest.mark.parametrize(("identity", "again"), [("x", 0), ("y", 2), (None, 2)])
def test_scores_are_used_again_by_the_same_identity_only(tmp_path: Path, identity: str | None, again: int) -> None:
    first, second = Counting("x"), Counting(identity)
    score_twice(first, second, tmp_path / "scores")
    assert len(first.scored) == 2
    assert len(second.scored) == again


def test_ensembles_share_the_scores_of_their_parts(tmp_path: Path) -> None:
    journal = Journal(Store(tmp_path / "scores"))
    chrf = load_metric("chrf")
    alone = score_all(chrf, SEGMENTS, journal=journal)
    records = spool_segments(SEGMENTS).records.read_joined(0, 2)
    assert journal.find(chrf, records) is not None
    ensemble = load_metric("ensemble", members="chrf + 2*rougel", constants="50/10 0.5/0.1")
    scores = score_all(ensemble, SEGMENTS, journal=journal)
    assert journal.find(load_metric("rougel"), records) is not None
    assert [score.parts["chrf"] for score in scores] == [score.value for score in alone]
    assert [score.value for score in scores] == [score.value for score in ensemble.score(SEGMENTS)]
    kept = journal.find(ensemble, records)
    assert kept is not None
    assert [score.value for score in Chunk.unpack(kept).scores] == [score.value for score in scores]


def test_a_document_is_scored_whole_and_no_chunk_cuts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.engine.executors.CHUNK_SEGMENTS", 2)
    segments = [Segment(f"text {i}", (f"text {i}",), id=str(i), document=f"d{i % 3}") for i in range(9)]
    metric = Counting(None, unit="document")
    done = score_job([("whole", metric)], [spool_segments(segments, "A")], journal=Journal(None), options=JobOptions())
    assert Counter(metric.scored) == Counter("\n".join(f"text {i}" for i in range(k, 9, 3)) for k in range(3))
    assert [segment.id for segment in done[0].segments] == ["d0", "d1", "d2"]
    assert len(done[0]) == 3


def test_an_ensemble_with_a_part_of_unknown_code_is_not_stored(tmp_path: Path) -> None:
    class Changed(RougeMetric):
        """Inherits an identity, but may compute anything."""

    ensemble = load_metric("ensemble", members="chrf + 2*rougel", constants="50/10 0.5/0.1")
    chrf, rouge = ensemble.members
    own = Changed(**{f.name: getattr(rouge.metric, f.name) for f in dataclasses.fields(rouge.metric)})
    changed = dataclasses.replace(ensemble, members=(chrf, dataclasses.replace(rouge, metric=own)))
    assert stated_identity(ensemble) is not None
    assert stated_identity(changed) is None
    journal = Journal(Store(tmp_path / "scores"))
    score_all(changed, SEGMENTS, journal=journal)
    assert journal.find(changed, spool_segments(SEGMENTS).records.read_joined(0, 2)) is None
