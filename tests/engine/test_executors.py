"""Whatever runs the chunks, and whichever worker dies: the scores are those of one process, bit for bit."""

import dataclasses
import math
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from monge.engine.executors import ExecutorChoice, choose_executor
from monge.engine.job import JobOptions, score_job
from monge.engine.journal import Journal
from monge.engine.recipes import Work, load_recipe, make_recipe
from monge.engine.spool import SegmentSpool, spool_segments
from monge.engine.system_scores import SystemScores
from monge.environment import Environment
from monge.errors import ModelError, OptionError
from monge.metrics.variants import parse_variant
from monge.storage.shards import ShardStore
from monge.storage.store import Store
from monge.text import Segment

WORDS = re.findall(r"\S+", "the a boy girl dog cat ran walked home away quickly slowly in on under coat rain sun")
METRICS = (
    "bleu",
    "yisi1,encoder=hashed,layers=0",
    "lazy_emd,encoder=hashed,lambda_unit=relative",
    "ensemble,members=bertscore + 0.5*cosine,encoder=hashed,constants=0.5/0.1 0.5/0.1",
    "nist",
)


def make_system(name: str, count: int, seed: int, faults: dict[int, str] | None = None) -> SegmentSpool:
    generator = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(generator.choice(WORDS, size=generator.integers(0, 9)))

    texts = [(text(), (text(), text())) for _ in range(count)]
    wrong = faults or {}
    segments = (Segment(f"{h} {wrong.get(n, '')}", r, id=f"s{n}") for n, (h, r) in enumerate(texts))
    return spool_segments(segments, name)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.engine.executors.CHUNK_SEGMENTS", 20)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(cache_directory=tmp_path / "cache", offline=True)


def run(
    metrics: tuple[str, ...],
    systems: list[SegmentSpool],
    environment: Environment,
    choice: str,
    journal: Journal | None = None,
) -> list[SystemScores]:
    works = [Work(metric, parse_variant(metric).load(environment), parse_variant(metric)) for metric in metrics]
    chosen = dataclasses.replace(choose_executor(choice), workers=None if choice == "inline" else 2)
    with chosen.open(environment) as executor:
        return score_job(works, systems, journal=journal or Journal(None), options=JobOptions(), executor=executor)


def content(results: list[SystemScores]) -> list[tuple[object, ...]]:
    return [(repr(result.score), result.signature, result.notes, repr(list(result.records()))) for result in results]


def test_processes_score_as_one_process_does(environment: Environment) -> None:
    systems = [make_system("one", 70, 1), make_system("two", 45, 2)]
    expected = content(run(METRICS, systems, environment, "inline"))
    assert content(run(METRICS, systems, environment, "processes")) == expected


def test_a_killed_worker_changes_nothing(faulty: Path, environment: Environment) -> None:
    systems = [make_system("one", 70, 1, {30: "die once"})]
    killed = content(run(("faulty", "chrf"), systems, environment, "processes"))
    assert (faulty / "died").exists()
    assert killed == content(run(("faulty", "chrf"), systems, environment, "inline"))


@pytest.mark.parametrize("choice", ["inline", "processes"])
def test_a_segment_at_fault_is_named_and_the_rest_is_scored(
    choice: str, faulty: Path, environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = {3: "raise", 27: "huge", 44: "raise" if choice == "inline" else "die always"}
    systems = [make_system("one", 70, 1, faults)]
    (result, chrf) = run(("faulty", "chrf"), systems, environment, choice)
    missing = [n for n, score in enumerate(result.scores) if math.isnan(score.value)]
    assert missing == [3, 44]
    assert not any(math.isnan(score.value) for score in chrf.scores)
    said = capsys.readouterr().err
    assert "monge: faulty: segment s3 of one has no score: RuntimeError: a fault in a library" in said
    assert ("segment s44 of one has no score: the worker died" in said) == (choice == "processes")
    assert result.scores[3].notes == ("no score: RuntimeError: a fault in a library",)


def test_a_metric_that_always_fails_ends_the_job(
    faulty: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monge.engine.executors.CHUNK_SEGMENTS", 60)
    systems = [make_system("one", 60, 1, dict.fromkeys(range(60), "raise"))]
    with pytest.raises(RuntimeError, match="a fault in a library"):
        run(("faulty",), systems, environment, "inline")


def test_what_only_this_process_can_make_is_computed_here(
    environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    from monge.encoders.static.hashed import HashedEncoder

    systems = [make_system("one", 45, 1)]
    own = parse_variant("bertscore", {"encoder": HashedEncoder(dimension=8)})
    works = [Work("own", own.load(environment), own), Work("chrf", parse_variant("chrf").load(), parse_variant("chrf"))]
    found = []
    for choice in (ExecutorChoice(), ExecutorChoice("processes", workers=1)):
        with choice.open(environment) as executor:
            done = score_job(works, systems, journal=Journal(None), options=JobOptions(), executor=executor)
            found.append(content(done))
    assert found[0] == found[1]
    assert "own can only be computed in this process" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["memory://shards-of-a-test", "file", "folder"])
def test_finished_chunks_are_found_again_under_a_url(
    place: str, faulty: Path, environment: Environment, tmp_path: Path
) -> None:
    places = {"file": f"file://{tmp_path}/shards", "folder": str(tmp_path / "plain")}
    systems = [make_system("one", 70, 1)]
    expected = content(run(("faulty",), systems, environment, "inline"))
    (faulty / "scored.log").unlink()
    for reused in (0, 70):
        results = run(("faulty",), systems, environment, "inline", Journal(ShardStore(places.get(place, place))))
        assert content(results) == expected
        assert results[0].reused == reused
    scored = (faulty / "scored.log").read_text(encoding="utf-8").split()
    assert len(scored) == len(set(scored)) == 70
    if place == "folder":
        shards = [path for path in (tmp_path / "plain").rglob("*") if path.is_file()]
        assert len(shards) == 4
        shards[0].write_bytes(shards[0].read_bytes()[:-3])  # damaged
        again = run(("faulty",), systems, environment, "inline", Journal(ShardStore(places[place])))
        assert (content(again), again[0].reused < 70) == (expected, True)


def test_a_folder_that_cannot_be_written_is_reported_once(
    environment: Environment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    journal = Journal(ShardStore(str(tmp_path / "file" / "shards")))
    systems = [make_system("one", 70, 1)]
    expected = content(run(("chrf",), systems, environment, "inline"))
    assert content(run(("chrf",), systems, environment, "inline", journal)) == expected
    assert capsys.readouterr().err.count("going on without") == 1


def test_processes_share_the_journal(environment: Environment, tmp_path: Path) -> None:
    systems = [make_system("one", 70, 1)]
    for choice, reused in (("processes", 0), ("inline", 70), ("processes", 70)):
        assert run(("chrf",), systems, environment, choice, Journal(Store(tmp_path / "s")))[0].reused == reused


def test_other_versions_are_refused_with_both_named(environment: Environment) -> None:
    variant = parse_variant("chrf")
    recipe = make_recipe(Work("chrf", variant.load(), variant), environment, local=True)
    assert recipe is not None
    other = dataclasses.replace(recipe, versions={**recipe.versions, "monge": "0.0.1"})
    with pytest.raises(OptionError, match=r"has monge .*, but this job was started with monge 0\.0\.1"):
        load_recipe(pickle.dumps(other))
    changed = dataclasses.replace(recipe, identity="metric:chrf|other")
    with pytest.raises(ModelError, match="is not the metric of this job"):
        load_recipe(pickle.dumps(changed))


def test_a_recipe_holds_no_secret_and_no_model(environment: Environment) -> None:
    variant = parse_variant("bertscore,encoder=hashed")
    work = Work("b", variant.load(), variant)
    recipe = make_recipe(work, dataclasses.replace(environment, token="hush"), local=True)
    assert recipe is not None
    assert b"hush" not in recipe.pack()
    assert len(recipe.pack()) < 5000


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("procesess",), "did you mean 'processes'"),
        (("inline", None, 2), "inline has none"),
        (("processes", "tcp://a:1"), "is for --executor dask"),
        (("processes", None, 0), "must be 1 or more"),
    ],
)
def test_choices_that_make_no_sense_are_refused(arguments: tuple[str], why: str) -> None:
    with pytest.raises(OptionError, match=re.escape(why)):
        ExecutorChoice(*arguments)


def test_workers_end_with_the_job(environment: Environment) -> None:
    from monge.engine.pooled import PooledExecutor
    from monge.engine.processes import ProcessPool

    pool = ProcessPool(2)
    executor = PooledExecutor(pool, environment)
    variant = parse_variant("chrf")
    works = [Work("chrf", variant.load(), variant)]
    chunks = executor.run(works, make_system("one", 70, 1), Journal(None))
    next(chunks)
    processes = [worker.process for worker in pool._workers]
    chunks.close()
    executor.close()
    assert processes
    assert all(process.returncode is not None for process in processes)
    with pytest.raises(ProcessLookupError):
        os.kill(processes[0].pid, 0)
