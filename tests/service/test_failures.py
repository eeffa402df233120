"""One metric fails, the others are answered: real metrics on an encoder that fails for marked texts."""

import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from monge.encoders import EncodedText
from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.errors import ModelError
from monge.metrics import metric_specs
from monge.service.app import create_app
from monge.service.log import JsonLines
from monge.service.pool import MetricPool
from monge.service.settings import ServiceSettings

from .conftest import make_app

MARK, REASON = "unencodable", "the vectors of this text cannot be computed"


class FragileEncoder(HashedEncoder):
    """An encoder that fails for texts with a mark, as one does whose weights or device are damaged."""

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        if any(MARK in text for text in texts):
            raise ModelError(REASON) if any("expected" in text for text in texts) else ValueError(f"secret: {texts}")
        return super().encode(texts, layers)


class HeldEncoder(HashedEncoder):
    """An encoder that is not done until it is let."""

    let = threading.Event()

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        assert self.let.wait(60)
        return super().encode(texts, layers)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A service whose metrics of glove fail for marked texts; those of minilm do not."""
    app = make_app()
    app.state.service.pool.add_encoder("glove", FragileEncoder(layers=7, special=True))
    with TestClient(app, raise_server_exceptions=False) as session:
        yield session


METRICS = [{"name": "bertscore"}, {"name": "wmdo"}, {"name": "chrf"}]  # wmdo uses glove


def score(client: TestClient, text: str, metrics: Sequence[object] = METRICS) -> httpx.Response:
    segments = [
        {"hypothesis": "plain words", "references": ["other words"]},
        {"hypothesis": text, "references": [text]},
    ]
    return client.post("/api/score", json={"metrics": metrics, "segments": segments})


def compare(client: TestClient, text: str, metrics: Sequence[object] = METRICS) -> httpx.Response:
    lines = [f"line {i} of the text" for i in range(10)]
    systems = {"first": [*lines, text], "second": [*reversed(lines), "plain"]}
    return client.post("/api/compare", json={"metrics": metrics, "systems": systems, "references": [[*lines, "end"]]})


def test_the_others_are_scored(client: TestClient) -> None:
    answer = score(client, f"{MARK} expected")
    assert answer.status_code == 200
    first, failed, last = answer.json()["results"]
    assert failed == {
        "metric": "wmdo", "score": None, "higher_is_better": False, "segments": [], "notes": [], "scale": None,
        "signature": "", "error": REASON,
    }  # fmt: skip
    alone = score(client, f"{MARK} expected", [METRICS[0], METRICS[2]]).json()["results"]
    assert [first, last] == alone
    assert [result["error"] for result in alone] == [None, None]
    assert all(len(result["segments"]) == 2 for result in alone)


def test_the_others_are_compared(client: TestClient) -> None:
    answer = compare(client, f"{MARK} expected").json()
    assert answer["errors"] == {"wmdo": REASON}
    alone = compare(client, f"{MARK} expected", [METRICS[0], METRICS[2]]).json()
    assert alone["errors"] == {}
    for key in ("comparisons", "verdicts"):
        assert answer[key] == alone[key]
    assert "wmdo" not in answer["report"]


@pytest.mark.parametrize("ask", [score, compare])
def test_an_unexpected_error_is_logged_without_its_text(
    ask: Callable[..., httpx.Response], client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "monge.service"):
        answer = ask(client, MARK)
    assert answer.status_code == 200
    assert "wmdo failed on this request; see the log" in answer.text
    assert "secret" not in answer.text
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "monge.service"]
    failure = json.loads(lines[0])
    assert (failure["level"], failure["metric"], failure["error"]) == ("error", "wmdo", "ValueError")
    assert any("encode" in frame for frame in failure["trace"])
    assert not any("secret" in line for line in lines)


@pytest.mark.parametrize("ask", [score, compare])
@pytest.mark.parametrize(("text", "status"), [(f"{MARK} expected", 422), (MARK, 500)])
def test_a_request_whose_metrics_all_fail_is_refused(
    ask: Callable[..., httpx.Response], text: str, status: int, client: TestClient
) -> None:
    answer = ask(client, text, [{"name": "wmdo"}])
    assert answer.status_code == status
    assert answer.json().keys() == {"error"}


def test_an_encoder_that_cannot_be_loaded_fails_its_own_metrics_only(tmp_path_factory: pytest.TempPathFactory) -> None:
    broken = tmp_path_factory.mktemp("broken") / "vectors.vec"
    broken.write_text("2 3\nword 1 2 three\n", encoding="utf-8")
    settings = ServiceSettings(encoders=("hashed", str(broken)), hosts=("testserver",))
    metrics = [{"name": "chrf"}, {"name": "emd", "options": {"encoder": str(broken)}}]
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        chrf, emd = score(client, "words", metrics).json()["results"]
        assert chrf["error"] is None
        assert "vectors.vec" in emd["error"]
        assert score(client, "words", metrics[1:]).status_code == 503


def test_a_metric_that_is_late_does_not_take_the_others_with_it() -> None:
    app = make_app(seconds=3.0)
    app.state.service.pool.add_encoder("glove", HeldEncoder(layers=7))
    with TestClient(app, raise_server_exceptions=False) as client:
        first, late, last = score(client, "words").json()["results"]
        HeldEncoder.let.set()
    assert first["error"] is None
    assert last["error"] is None
    assert late["error"] == "not done within 3 seconds; send less at once"


def test_a_mistake_in_the_request_still_refuses_it_as_a_whole(client: TestClient) -> None:
    answer = score(client, "words", [{"name": "chrf"}, {"name": "emd", "options": {"nonsense": 1}}])
    assert answer.status_code == 422
    assert answer.json()["field"] == "metrics[1].options.nonsense"


def test_a_metric_that_cannot_be_loaded_here_does_not_lose_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise ModelError("no dictionary on this machine")

    monkeypatch.setattr("monge.metrics.lexical.sacrebleu._make_scorer", refuse)
    with TestClient(create_app(ServiceSettings(hosts=("*",)))) as client:
        body = {"metrics": ["bleu", "mine:=chrf,beta=3"], "segments": [{"hypothesis": "a b", "references": ["a c"]}]}
        answer = client.post("/api/score", json=body)
    assert answer.status_code == 200, answer.text
    failed, fine = answer.json()["results"]
    assert "no dictionary" in failed["error"]
    assert fine["metric"] == "mine"
    assert fine["score"] is not None


def test_the_environment_reaches_the_service(tmp_path: Path) -> None:
    environment = Environment(cache_directory=tmp_path, token="secret")
    with TestClient(create_app(environment=environment), base_url="http://127.0.0.1") as client:
        assert client.get("/api/metrics").status_code == 401
        answer = client.get("/api/metrics", headers={"authorization": "Bearer secret"})
    assert set(answer.json()["encoders"]) <= {"use"}  # whose files are in a package that may be installed
    cards = {card["name"]: card for card in answer.json()["metrics"]}
    assert "monge models fetch smollm2" in cards["gloss_lm"]["reason"]
    assert not (tmp_path / "downloads").exists()  # a list is no reason to fetch hundreds of megabytes


def test_what_was_missing_is_looked_for_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A metric is no longer refused once its model has come, without a restart."""
    from monge.service import pool as module

    pool, spec = MetricPool(ServiceSettings(), Environment(cache_directory=tmp_path)), metric_specs()["chrf"]
    load = module.load_metric

    def fail(*given: object, **named: object) -> None:
        raise ModelError("not here yet")

    monkeypatch.setattr(module, "load_metric", fail)
    assert pool.find_obstacle(spec) == "not here yet"
    monkeypatch.setattr(module, "load_metric", load)
    assert pool.find_obstacle(spec) == ""
