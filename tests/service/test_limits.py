"""Tokens, limits and load."""

import asyncio
import json
import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from monge.errors import MongeError
from monge.metrics import load_metric
from monge.metrics.lexical.sacrebleu import _KEPT
from monge.scores import Score
from monge.service.counters import RequestCounters
from monge.service.log import JsonLines
from monge.service.settings import RefusalError
from monge.service.worker import Task, Worker
from monge.text import Segment

from .conftest import make_app

PATIENCE = 60.0  # seconds that a busy machine may take for anything
BODY = {"metrics": [{"name": "chrf"}], "segments": [{"hypothesis": "secret words", "references": ["b"]}]}


def test_a_token_is_required_for_the_api_only() -> None:
    with TestClient(make_app(token="open sesame")) as client:
        assert client.get("/").status_code == 200
        assert client.get("/healthz").status_code == 200
        refused = client.get("/api/metrics")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert client.get("/api/metrics", headers={"authorization": "Bearer open sesamE"}).status_code == 401
        assert client.get("/api/metrics", headers={"authorization": "Bearer open sesame"}).status_code == 200


def test_large_bodies_are_refused_before_they_are_parsed() -> None:
    with TestClient(make_app(body_bytes=1000)) as client:
        body = json.dumps(BODY | {"pad": "x" * 2000}).encode()
        headers = {"content-type": "application/json"}
        assert client.post("/api/score", content=body, headers=headers).status_code == 413

        def stream():
            yield from (body[i : i + 100] for i in range(0, len(body), 100))

        assert client.post("/api/score", content=stream(), headers=headers).status_code == 413


def test_only_authorised_requests_to_the_api_have_their_bodies_read() -> None:
    async def post(path: str) -> int:
        """Send a body whose end never comes; return the status of the answer."""
        arrived: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        chunks = [{"type": "http.request", "body": b"x" * 100, "more_body": True}]

        async def receive() -> dict[str, object]:
            return chunks.pop() if chunks else await asyncio.Future()

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                arrived.set_result(message["status"])

        headers = [(b"host", b"testserver"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b""}
        working = asyncio.ensure_future(make_app(seconds=2.0, token="sesame")(scope, receive, send))
        status = await arrived
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return status

    with ThreadPoolExecutor(1) as pool:  # the browser of other tests keeps a loop running in this thread
        answers = [pool.submit(asyncio.run, post(path)).result() for path in ("/api/score", "/", "/nowhere")]
    assert answers == [401, 405, 404]


def test_logs_hold_no_texts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "monge.service"), TestClient(make_app()) as client:
        client.post("/api/score", json=BODY)
        client.post("/api/score", json=BODY | {"metrics": [{"name": "secret words"}]})
        client.get("/secret words?secret=words")
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "monge.service"]
    assert len(lines) == 3
    assert not any("secret" in line for line in lines)
    assert json.loads(lines[0])["path"] == "/api/score"
    assert json.loads(lines[0])["status"] == 200


def test_counts_are_remembered_without_their_texts() -> None:
    """The texts of 16,384 segments would be gigabytes, and a service promises not to keep them."""
    metric = load_metric("chrf")
    scored = [Segment("secret words \ud800", ("b", "c")), Segment("secret words \ud800", ("b c",))]
    values = [score.value for score in metric.score(scored)]
    assert [score.value for score in metric.score(scored)] == values
    assert sorted(map(len, metric._counted)) == [16, 16]


def test_counts_that_were_added_beyond_the_limit_are_forgotten() -> None:
    """Two threads may add at once, so their number can exceed the limit without ever being equal to it."""
    metric = load_metric("chrf")
    metric._counted.update((str(i).encode(), ()) for i in range(_KEPT + 1))
    metric.score(segments(1))
    assert len(metric._counted) == 1


@pytest.fixture
def switch_often() -> Iterator[None]:
    """Let threads take turns far more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_counters_are_read_while_requests_are_counted(switch_often: None) -> None:
    """New labels appear while all are listed."""
    counters = RequestCounters(lambda: {"monge_waiting": 0})
    done = threading.Event()

    def count() -> None:
        for i in range(2_000):
            counters.add(f"/path/{i}", 200, 0.01)
        done.set()

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(count)
        while not done.is_set():
            counters.render()
        counting.result()
    found = re.findall(r"^monge_requests_total{.*} (.*)$", counters.render().decode(), re.MULTILINE)
    assert sum(map(float, found)) == 2_000


def test_traffic_is_counted_exactly_while_it_is_scraped() -> None:
    with TestClient(make_app()) as client, ThreadPoolExecutor(4) as pool:
        paths = ["/healthz", "/api/metrics", "/nowhere", "/page/app.js"] * 25
        asked = [pool.submit(client.get, path) for path in paths]
        scraped = [pool.submit(client.get, "/metrics") for _ in range(25)]
        assert all(future.result().status_code in (200, 404) for future in asked)
        assert all(future.result().status_code == 200 for future in scraped)
        text = client.get("/metrics").text
    for path, status in (("/healthz", 200), ("/api/metrics", 200), ("other", 404), ("/metrics", 200)):
        assert f'monge_requests_total{{path="{path}",status="{status}"}} 25.0' in text
    assert 'monge_request_seconds_count{path="/healthz"} 25.0' in text


class HeldMetric:
    """chrF that scores when it is let, and records how many segments each call had."""

    def __init__(self, *, free: bool = False) -> None:
        self._metric = load_metric("chrf")
        self._free = free
        self._permits = threading.Semaphore(0)
        self.calls: list[int] = []
        self.spec, self.signature, self.bound = self._metric.spec, self._metric.signature, True
        self.binding_notes: tuple[str, ...] = ()

    def let(self, calls: int = 1000) -> None:
        """Let some more calls go on."""
        self._permits.release(calls)

    def bind(self, corpus: Sequence[Segment]) -> "HeldMetric":
        return self

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        return scores[0].value

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        self.calls.append(len(segments))
        assert self._free or self._permits.acquire(timeout=PATIENCE)
        if any(segment.hypothesis == "break" for segment in segments):
            raise ValueError("broken")
        return self._metric.score(segments)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def started(waiting: int = 100) -> Worker:
    worker = Worker(waiting)
    worker.start()
    return worker


def segments(count: int, text: str = "some words") -> list[Segment]:
    return [Segment(f"{text} {i}", (f"{text} {i}",)) for i in range(count)]


def test_waiting_requests_are_scored_together() -> None:
    worker, metric = started(), HeldMetric()
    futures = [worker.submit(Task(metric, segments(1, f"job {k}")), PATIENCE) for k in range(20)]
    metric.let()
    assert [future.result(PATIENCE).scores[0].value for future in futures] == [100.0] * 20
    assert len(metric.calls) <= 2  # those that came before the first call, and all others
    worker.stop()


def test_answers_are_not_crossed() -> None:
    worker, metric = started(), HeldMetric()
    tasks = [Task(metric, [Segment("a" * k, ("a" * 10,)) for k in range(1, 1 + n)]) for n in range(1, 30)]
    expected = [[score.value for score in load_metric("chrf").score(task.segments)] for task in tasks]
    futures = [worker.submit(task, PATIENCE) for task in tasks]
    metric.let()
    got = [[score.value for score in future.result(PATIENCE).scores] for future in futures]
    assert got == expected
    worker.stop()


def test_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), HeldMetric()
    large = worker.submit(Task(metric, segments(2000, "long " * 100)), PATIENCE)
    wait_until(lambda: bool(metric.calls))
    small = worker.submit(Task(HeldMetric(free=True), segments(1)), PATIENCE)
    metric.let(1)  # one slice of the large one
    assert small.result(PATIENCE).scores
    assert not large.done()
    large.cancel()
    metric.let()
    worker.stop()


def test_one_broken_request_fails_alone() -> None:
    worker, metric = started(), HeldMetric()
    first = worker.submit(Task(metric, segments(1)), PATIENCE)
    wait_until(lambda: bool(metric.calls))
    bad = worker.submit(Task(metric, [Segment("break", ("x",))]), PATIENCE)
    good = [worker.submit(Task(metric, segments(1)), PATIENCE) for _ in range(3)]
    metric.let()
    assert all(future.result(PATIENCE).scores for future in (first, *good))
    with pytest.raises(ValueError, match="broken"):
        bad.result(PATIENCE)
    assert metric.calls[:2] == [1, 4]  # it was in company
    assert worker.alive
    worker.stop()


class ForgetfulMetric(HeldMetric):
    """A metric that returns no score for the first segment of each call."""

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return super().score(segments)[1:]


def test_a_metric_that_returns_too_few_scores_fails_at_once() -> None:
    """Its requests would get the scores of others, or wait for the rest until their time is over."""
    worker = started()
    futures = [worker.submit(Task(ForgetfulMetric(free=True), segments(1)), PATIENCE) for _ in range(2)]
    for future in futures:
        with pytest.raises(MongeError, match="chrf returned 0 scores for 1 segments"):
            future.result(PATIENCE / 2)
    worker.stop()


def test_a_full_queue_refuses_at_once() -> None:
    worker, metric = started(waiting=3), HeldMetric()
    for _ in range(3):
        worker.submit(Task(metric, segments(1)), PATIENCE)
    with pytest.raises(RefusalError, match="waiting") as refusal:
        worker.submit(Task(metric, segments(1)), PATIENCE)
    assert refusal.value.status == 503
    metric.let()
    worker.stop()


def test_a_request_that_takes_too_long_is_dropped() -> None:
    worker, metric = started(), HeldMetric()
    future = worker.submit(Task(metric, segments(500, "long " * 200)), 0.05)
    time.sleep(0.1)  # its time is over
    metric.let()
    with pytest.raises(RefusalError, match="too long"):
        future.result(PATIENCE)
    assert len(metric.calls) <= 1
    wait_until(lambda: worker.depth == 0)
    worker.stop()


def test_stopping_finishes_or_refuses() -> None:
    worker, metric = started(), HeldMetric(free=True)
    first = worker.submit(Task(metric, segments(1)), PATIENCE)
    worker.stop(PATIENCE)
    assert first.result(0).scores
    with pytest.raises(RefusalError, match="shutting down"):
        worker.submit(Task(metric, segments(1)), PATIENCE)


def test_a_stop_that_times_out_leaves_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    mishaps: list[object] = []
    monkeypatch.setattr(threading, "excepthook", mishaps.append)
    worker, metric = started(), HeldMetric()
    futures = [worker.submit(Task(metric, segments(1)), PATIENCE) for _ in range(2)]
    wait_until(lambda: bool(metric.calls))
    worker.stop(0.01)
    for future in futures:
        with pytest.raises(RefusalError, match="shutting down"):
            future.result(0)
    metric.let()
    wait_until(lambda: not worker._thread.is_alive())
    assert mishaps == []


def test_the_time_limit_is_an_answer() -> None:
    app, metric = make_app(seconds=0.2), HeldMetric()
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: metric
        answer = client.post("/api/score", json=BODY)
        metric.let()
        assert answer.status_code == 503
        assert "0.2 seconds" in answer.json()["error"]


def test_a_failure_is_an_answer_and_its_log_holds_no_text(caplog: pytest.LogCaptureFixture) -> None:
    app = make_app()
    with caplog.at_level(logging.INFO, "monge.service"), TestClient(app) as client:
        app.state.service.pool.load = lambda *_: (_ for _ in ()).throw(ValueError("secret words"))
        answer = client.post("/api/score", json=BODY)
        assert answer.status_code == 500
        assert "log" in answer.json()["error"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert 'status="500"' in client.get("/metrics").text
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "monge.service"]
    assert json.loads(lines[0])["error"] == "ValueError"
    assert not any("secret" in line for line in lines)


class CountingMetric(HeldMetric):
    """A metric that takes long to score the whole set."""

    def __init__(self) -> None:
        super().__init__(free=True)
        self.asked, self.let_go = threading.Event(), threading.Event()
        self.in_time = False

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        self.asked.set()
        self.in_time = self.let_go.wait(10)
        return scores[0].value


def test_the_score_of_a_set_does_not_hold_up_the_service() -> None:
    app, metric = make_app(), CountingMetric()
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: metric
        thread = threading.Thread(target=lambda: client.post("/api/score", json=BODY))
        thread.start()
        assert metric.asked.wait(60)
        assert client.get("/healthz").status_code == 200
        metric.let_go.set()
        thread.join()
    assert metric.in_time


class LearningMetric(HeldMetric):
    """A metric that has to learn from a corpus first, and reads a segment of it when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.bound = False
        self.read = 0
        self.ended = threading.Event()

    def bind(self, corpus: Sequence[Segment]) -> "LearningMetric":
        try:
            for _ in corpus:
                self.read += 1
                assert self._permits.acquire(timeout=PATIENCE)
            return self
        finally:
            self.ended.set()


def test_learning_from_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), LearningMetric()
    large = worker.submit(Task(metric, segments(1000)), PATIENCE)
    wait_until(lambda: metric.read > 0)
    assert worker.submit(Task(HeldMetric(free=True), segments(1)), PATIENCE).result(PATIENCE).scores
    large.cancel()
    metric.let()
    assert metric.ended.wait(PATIENCE)
    assert metric.read == 1  # nobody waits: it reads no further
    worker.stop()


def test_too_many_requests_of_one_client() -> None:
    app, metric = make_app(per_client=2), HeldMetric()
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: metric
        statuses: list[int] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(client.post("/api/score", json=BODY).status_code))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: app.state.service.workers["words"].depth == 2)
        assert client.post("/api/score", json=BODY).status_code == 429
        metric.let()
        for thread in threads:
            thread.join()
        assert statuses == [200, 200]


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("bertscore", {"layers": ",".join(["0"] * 1000)}),
        ("bertscore", {"layers": "0,0,0"}),
        ("bertscore", {"layers": "0-99999999999"}),
        ("mongescore", {"layers": "0,idf=x"}),
        ("chrf", {"char_order": 40000}),
        ("nist", {"n": 1000}),
        ("lazy_emd", {"epsilon": 1e-6}),
        ("bleu", {"tokenize": "flores200"}),
    ],
)
def test_options_that_would_take_forever_or_name_files_are_refused(metric: str, options: dict[str, object]) -> None:
    with TestClient(make_app()) as client:
        answer = client.post("/api/score", json=BODY | {"metrics": [{"name": metric, "options": options}]})
        assert answer.status_code == 422, answer.text
