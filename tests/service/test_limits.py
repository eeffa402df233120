"""Tokens, limits and load of the service."""

import asyncio
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from monge.metrics import load_metric
from monge.metrics.lexical.sacrebleu import _KEPT
from monge.scores import Score
from monge.service.counters import RequestCounters
from monge.service.log import JsonLines
from monge.text import Segment

from .conftest import make_app
from .held import BODY, HeldMetric, segments, wait_until


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
