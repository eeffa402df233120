"""Tokens, bounds and load: what a service does when it must say no."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient

from monge.metrics import load_metric
from monge.scores import Score
from monge.service.gate import JsonLines
from monge.service.settings import RefusalError
from monge.service.worker import Task, Worker
from monge.text import Segment

from .conftest import make_app

BODY = {"metrics": [{"name": "chrf"}], "segments": [{"hypothesis": "secret words", "references": ["b"]}]}


def test_a_token_is_wanted_for_the_api_only() -> None:
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


def test_bodies_are_read_where_they_are_asked_for_and_no_one_else_may_fill_the_memory() -> None:
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

    assert asyncio.run(post("/api/score")) == 401
    assert asyncio.run(post("/")) == 405
    assert asyncio.run(post("/nowhere")) == 404


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


class SlowMetric:
    """chrF that takes its time, and tells how many segments each call had."""

    def __init__(self, seconds: float) -> None:
        self._metric = load_metric("chrf")
        self._seconds = seconds
        self.calls: list[int] = []
        self.spec, self.signature, self.fitted = self._metric.spec, self._metric.signature, True

    def fit(self, corpus: Sequence[Segment]) -> "SlowMetric":
        return self

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        return scores[0].value

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        self.calls.append(len(segments))
        time.sleep(self._seconds)
        if any(segment.hypothesis == "break" for segment in segments):
            raise ValueError("broken")
        return self._metric.score(segments)


def started(waiting: int = 100) -> Worker:
    worker = Worker(waiting)
    worker.start()
    return worker


def segments(count: int, text: str = "some words") -> list[Segment]:
    return [Segment(f"{text} {i}", (f"{text} {i}",)) for i in range(count)]


def test_waiting_requests_are_scored_together() -> None:
    worker, metric = started(), SlowMetric(0.05)
    futures = [worker.submit(Task(metric, segments(1, f"job {k}")), 10) for k in range(20)]
    assert [future.result(5).scores[0].value for future in futures] == [100.0] * 20
    assert len(metric.calls) < 5
    worker.stop()


def test_answers_are_not_crossed() -> None:
    worker, metric = started(), SlowMetric(0.001)
    tasks = [Task(metric, [Segment("a" * k, ("a" * 10,)) for k in range(1, 1 + n)]) for n in range(1, 30)]
    expected = [[score.value for score in load_metric("chrf").score(task.segments)] for task in tasks]
    futures = [worker.submit(task, 10) for task in tasks]
    got = [[score.value for score in future.result(10).scores] for future in futures]
    assert got == expected
    worker.stop()


def test_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), SlowMetric(0.02)
    large = worker.submit(Task(metric, segments(2000, "long " * 100)), 60)
    time.sleep(0.05)
    begun = time.monotonic()
    worker.submit(Task(SlowMetric(0.0), segments(1)), 10).result(5)
    assert time.monotonic() - begun < 0.5
    assert not large.done()
    large.cancel()
    worker.stop()


def test_one_broken_request_fails_alone() -> None:
    worker, metric = started(), SlowMetric(0.02)
    good = [worker.submit(Task(metric, segments(1)), 10) for _ in range(3)]
    bad = worker.submit(Task(metric, [Segment("break", ("x",))]), 10)
    assert all(future.result(5).scores for future in good)
    with pytest.raises(ValueError, match="broken"):
        bad.result(5)
    assert worker.alive
    worker.stop()


def test_a_full_queue_refuses_at_once() -> None:
    worker, metric = started(waiting=3), SlowMetric(0.2)
    for _ in range(3):
        worker.submit(Task(metric, segments(1)), 10)
    with pytest.raises(RefusalError, match="waiting") as refusal:
        worker.submit(Task(metric, segments(1)), 10)
    assert refusal.value.status == 503
    worker.stop()


def test_what_takes_too_long_is_given_up() -> None:
    worker, metric = started(), SlowMetric(0.05)
    future = worker.submit(Task(metric, segments(500, "long " * 200)), 0.2)
    with pytest.raises(RefusalError, match="too long"):
        future.result(5)
    assert worker.depth == 0
    worker.stop()


def test_stopping_finishes_or_refuses() -> None:
    worker, metric = started(), SlowMetric(0.05)
    first = worker.submit(Task(metric, segments(1)), 10)
    worker.stop()
    assert first.result(0).scores
    with pytest.raises(RefusalError, match="shutting down"):
        worker.submit(Task(metric, segments(1)), 10)


def test_the_time_limit_is_an_answer() -> None:
    app = make_app(seconds=0.2)
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: SlowMetric(1.0)
        answer = client.post("/api/score", json=BODY)
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


class CountingMetric(SlowMetric):
    """A metric whose score of the whole set is long in coming."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.asked, self.told = threading.Event(), threading.Event()
        self.in_time = False

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        self.asked.set()
        self.in_time = self.told.wait(10)
        return scores[0].value


def test_the_score_of_a_set_does_not_hold_up_the_service() -> None:
    app, metric = make_app(), CountingMetric()
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: metric
        thread = threading.Thread(target=lambda: client.post("/api/score", json=BODY))
        thread.start()
        assert metric.asked.wait(60)
        assert client.get("/healthz").status_code == 200
        metric.told.set()
        thread.join()
    assert metric.in_time


class LearningMetric(SlowMetric):
    """A metric that has to learn from a corpus first, and takes its time for every segment it reads."""

    def __init__(self, seconds: float) -> None:
        super().__init__(0.0)
        self.fitted = False
        self.read = 0
        self._pause = seconds

    def fit(self, corpus: Sequence[Segment]) -> "LearningMetric":
        for _ in corpus:
            self.read += 1
            time.sleep(self._pause)
        return self


def test_learning_from_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), LearningMetric(0.005)
    large = worker.submit(Task(metric, segments(1000)), 60)
    time.sleep(0.1)
    begun = time.monotonic()
    worker.submit(Task(SlowMetric(0.0), segments(1)), 10).result(5)
    assert time.monotonic() - begun < 0.5
    assert metric.read < 1000
    large.cancel()
    time.sleep(0.2)
    seen = metric.read
    time.sleep(0.2)
    assert metric.read == seen  # nobody waits: it reads no further
    worker.stop()


def test_too_many_requests_of_one_client() -> None:
    app = make_app(per_client=2)
    with TestClient(app) as client:
        app.state.service.pool.load = lambda *_: SlowMetric(0.5)
        statuses: list[int] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(client.post("/api/score", json=BODY).status_code))
            for _ in range(5)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(set(statuses)) == [200, 429]


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
