"""A job in chunks says what the metric says of the whole, and never scores a chunk twice."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.engine import journal as journal_module
from monge.engine import progress as progress_module
from monge.engine.chunks import Chunk
from monge.engine.executors import InlineExecutor
from monge.engine.job import JobOptions, score_job, share_statistics
from monge.engine.journal import Journal
from monge.engine.recipes import Work
from monge.engine.records import bootstrap_half_width, count_notes, segment_record
from monge.engine.spool import ScoreSpool, SegmentSpool
from monge.engine.system_scores import SystemScores
from monge.metrics import Metric, load_metric
from monge.metrics.base import MetricBase, sign_scores
from monge.metrics.specs import spec_named
from monge.scores import Score, Signature
from monge.storage.store import Store
from monge.text import Segment

WORDS = re.findall(r"\S+", "the a boy girl dog cat ran walked home away quickly slowly in on under coat rain sun")
ENCODER = HashedEncoder(dimension=16, special=True)


def make_segments(count: int, seed: int, system: str) -> list[Segment]:
    generator = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(generator.choice(WORDS, size=generator.integers(0, 9)))

    return [Segment(text(), (text(), text()), id=str(n), system=system) for n in range(count)]


SEGMENTS = {"one": make_segments(95, 1, "one"), "two": make_segments(60, 2, "two")}


@pytest.fixture
def systems(monkeypatch: pytest.MonkeyPatch) -> list[SegmentSpool]:
    monkeypatch.setattr("monge.engine.executors.CHUNK_SEGMENTS", 20)
    spools = []
    for system, segments in SEGMENTS.items():
        spools.append(SegmentSpool(system))
        for segment in segments:
            spools[-1].append(segment)
    return spools


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "scores")


METRICS: list[tuple[str, dict[str, Any]]] = [
    ("bertscore", {"encoder": ENCODER}),
    ("yisi1", {"encoder": ENCODER}),
    ("moverscore_v1", {"encoder": ENCODER}),
    ("lazy_emd", {"encoder": ENCODER, "lambda_unit": "relative"}),
    ("bleu", {}),
    ("chrf", {}),
    ("ter", {}),
    ("nist", {}),
    ("ribes", {}),
    ("rougel", {}),
]


def same(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize(("name", "options"), METRICS, ids=[name for name, _ in METRICS])
def test_chunks_add_up_to_the_whole(
    name: str, options: dict[str, Any], systems: list[SegmentSpool], store: Store
) -> None:
    metric = load_metric(name, **options)
    shared = share_statistics(Work(name, metric), systems, InlineExecutor()).metric
    for reused in (0, 1):
        confidence = name != "nist"  # a thousand resamples of NIST take minutes
        results = score_job(
            [(name, metric)], systems, journal=Journal(store), options=JobOptions(confidence=confidence)
        )
        for got, segments in zip(results, SEGMENTS.values(), strict=True):
            fitted = shared if shared.bound else shared.bind(segments)  # at once, in memory
            scores = fitted.score(segments)
            assert (got.system, got.metric, got.signature) == (
                segments[0].system,
                name,
                str(sign_scores(fitted, segments)),
            )
            assert got.score == pytest.approx(fitted.aggregate(segments, scores), rel=1e-12, nan_ok=True)
            if confidence:
                width = bootstrap_half_width(fitted, segments, scores)
                assert got.half_width == pytest.approx(width, rel=1e-9, nan_ok=True)
            assert list(got.records()) == [segment_record(*pair) for pair in zip(segments, scores, strict=True)]
            assert got.reused == reused * len(SEGMENTS[got.system])


class CountingMetric(MetricBase):
    """Counts what it scores; says what a metric of this package would."""

    spec = spec_named("cosine")

    def __init__(self, name: str = "counting", fail_at: str = "") -> None:
        self.name = name
        self.fail_at = fail_at
        self.scored: list[str] = []

    @property
    def signature(self) -> Signature:
        return Signature({"metric": self.name})

    @property
    def identity(self) -> str | None:
        return self.name or None

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        self.scored += [segment.id for segment in segments]
        if self.fail_at in [segment.id for segment in segments]:
            raise KeyboardInterrupt
        return [Score(len(s.hypothesis) / 7, {"length": len(s.hypothesis) / 7}, notes=("odd",)) for s in segments]


def run(metric: Metric, systems: list[SegmentSpool], store: Store | None) -> list[SystemScores]:
    return score_job([(metric.spec.name, metric)], systems, journal=Journal(store), options=JobOptions())


def test_an_interrupted_job_goes_on(systems: list[SegmentSpool], store: Store) -> None:
    broken = CountingMetric(fail_at="45")
    with pytest.raises(KeyboardInterrupt):
        run(broken, systems, store)
    again = CountingMetric()
    results = run(again, systems, store)
    assert again.scored == [str(n) for n in range(40, 95)] + [str(n) for n in range(60)]
    assert [result.reused for result in results] == [40, 0]
    plain = run(CountingMetric(), systems, None)
    assert [list(result.records()) for result in results] == [list(result.records()) for result in plain]
    assert [result.score for result in results] == [result.score for result in plain]
    assert results[0].notes == {"odd": 95}


def test_only_the_same_job_is_reused(systems: list[SegmentSpool], store: Store) -> None:
    run(CountingMetric(), systems, store)
    other = CountingMetric(name="other")
    assert run(other, systems, store)[0].reused == 0
    changed = SegmentSpool("one")
    for segment in [*SEGMENTS["one"][:30], Segment("new", ("x",), id="30"), *SEGMENTS["one"][31:]]:
        changed.append(segment)
    assert run(CountingMetric(), [changed], store)[0].reused == 75  # all but the chunk of twenty that changed


def test_other_code_reuses_nothing(systems: list[SegmentSpool], store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run(CountingMetric(), systems, store)
    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "MAKER", "monge=99,journal=1")
        assert run(CountingMetric(), systems, store)[0].reused == 0
    assert run(CountingMetric(), systems, store)[0].reused == 95


@pytest.mark.parametrize("room", ["monge.metrics.base", "monge.clouds", "monge.transport"])
def test_scores_of_another_algorithm_are_not_reused(
    room: str, systems: list[SegmentSpool], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = load_metric("emd", encoder=ENCODER)
    assert run(metric, systems, store)[0].reused == 0
    assert run(metric, systems, store)[0].reused == 95
    monkeypatch.setattr(f"{room}.ALGORITHM", 99)
    assert run(metric, systems, store)[0].reused == 0


def test_metrics_and_encoders_of_others_are_not_journaled(systems: list[SegmentSpool], store: Store) -> None:
    class OwnEncoder(HashedEncoder):
        pass

    for metric in (CountingMetric(name=""), load_metric("bertscore", encoder=OwnEncoder(dimension=4))):
        run(metric, systems, store)
        assert [result.reused for result in run(metric, systems, store)] == [0, 0]
    assert store.summary() == []


def test_a_damaged_chunk_is_scored_again(
    systems: list[SegmentSpool], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(CountingMetric(), systems, store)
    (pack,) = store.directory.glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[10] ^= 1
    pack.write_bytes(content)
    after = run(CountingMetric(), systems, store)
    assert [result.reused for result in after] == [75, 60]
    assert list(after[0].records()) == list(before[0].records())
    assert "1 damaged" in capsys.readouterr().err


def test_long_texts_make_short_chunks(store: Store) -> None:
    spool = SegmentSpool("long")
    for n in range(6):
        spool.append(Segment("x" * 150_000, ("y",), id=str(n)))
    metric = CountingMetric()
    run(metric, [spool], store)
    assert store.summary()[0].entries == 3


def test_a_chunk_comes_back_exactly() -> None:
    scores = [
        Score(0.1 + 0.2, {"f": 1 / 3, "p": math.nan}, (), 1, ("ä", "b")),
        Score(math.nan),
        Score(-math.inf, {}, (), None, ()),
    ]
    back = Chunk.unpack(Chunk(scores, [3, 2.5]).pack())
    assert back.sums == [3, 2.5]
    for got, want in zip(back.scores, scores, strict=True):
        assert same(got.value, want.value)
        assert got.parts.keys() == want.parts.keys()
        assert all(same(got.parts[name], want.parts[name]) for name in want.parts)
        assert (got.reference_index, got.notes) == (want.reference_index, want.notes)


def test_scores_on_disk_are_a_sequence() -> None:
    spool = ScoreSpool()
    for start in (0, 3, 5):
        scores = [Score(float(n)) for n in range(start, start + (3 if start == 0 else 2))]
        spool.append(Chunk(scores, None).pack(), len(scores))
    assert len(spool) == 7
    assert [score.value for score in spool] == list(range(7))
    assert spool[4].value == 4
    assert [score.value for score in spool[2:6:2]] == [2, 4]
    with pytest.raises(IndexError):
        spool[7]


def test_the_journal_of_a_metric_can_be_off() -> None:
    journal = Journal(None)
    journal.keep(CountingMetric(), b"x", b"y")
    assert journal.find(CountingMetric(), b"x") is None


def test_progress_is_shown_on_request(systems: list[SegmentSpool], capsys: pytest.CaptureFixture[str]) -> None:
    score_job([("counting", CountingMetric())], systems, journal=Journal(None), options=JobOptions(progress=True))
    shown = capsys.readouterr()
    assert "155/155" in shown.err
    assert "segments/s" in shown.err
    assert shown.out == ""
    run(CountingMetric(), systems, None)
    assert capsys.readouterr().err == ""


def test_progress_of_corpus_statistics_is_shown(
    systems: list[SegmentSpool], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = progress_module.show_progress
    monkeypatch.setattr(
        progress_module, "show_progress", lambda *arguments, **options: plain(*arguments, **options | {"delay": 0})
    )
    metric = load_metric("yisi1", encoder=ENCODER)
    score_job([("yisi1", metric)], systems[:1], journal=Journal(None), options=JobOptions(progress=True))
    assert "yisi1, corpus statistics" in capsys.readouterr().err


def test_notes_of_one_kind_are_counted_together() -> None:
    cut = [Score(0.5, notes=(f"hypothesis: cut at 254 of {count} tokens",)) for count in (300, 400)]
    unknown = Score(0.5, notes=("reference: 2 of 9 words unknown: quux, blah",))
    counted = count_notes([*cut, unknown])
    shares = [Score(0.5, notes=(f"hypothesis: {share} % of the words unknown",)) for share in (30, 60, 45)]
    same = [Score(0.5, notes=("reference: encoded in 3 windows",))] * 2
    assert count_notes([*shares, *same]) == {
        "hypothesis: up to 60 % of the words unknown": 3,
        "reference: encoded in 3 windows": 2,
    }
    assert counted == {"hypothesis: cut to the encoder's window": 2, "reference: words unknown": 1}
