"""Encoders of a service: number format, memory of recent texts, models that appear while it runs."""

import pytest
from starlette.testclient import TestClient

from monge.cli import build_parser
from monge.cli.serve import make_settings
from monge.encoders.recent import RecentEncoder
from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics import load_metric
from monge.service import pool as pools
from monge.service.app import create_app
from monge.service.pool import MetricPool
from monge.service.settings import ServiceSettings
from monge.text import Segment

SEGMENT = {"hypothesis": "The boy ran home.", "references": ["The young man hurried home."]}


class Counting(HashedEncoder):
    """Counts the texts it encodes."""

    def __init__(self) -> None:
        super().__init__(layers=7, special=True)
        self.asked = 0

    def encode(self, texts, layers=None):
        self.asked += len(texts)
        return super().encode(texts, layers)


@pytest.mark.parametrize(("memory", "asked"), [(1 << 20, 2), (0, 6)])
def test_texts_that_come_again_are_encoded_once(monkeypatch, memory, asked):
    counting = Counting()
    monkeypatch.setattr(pools, "load_encoder", lambda name, **options: counting)
    settings = ServiceSettings(encoders=("minilm",), hosts=("testserver",), memory_bytes=memory)
    body = {"metrics": [{"name": "bertscore"}], "segments": [SEGMENT]}
    with TestClient(create_app(settings)) as client:
        answers = [client.post("/api/score", json=body).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert counting.asked == asked


def test_the_parts_of_a_composite_read_one_encoding(monkeypatch):
    counting = Counting()
    monkeypatch.setattr(pools, "load_encoder", lambda name, **options: counting)
    settings = ServiceSettings(encoders=("minilm",), hosts=("testserver",), memory_bytes=0)
    with TestClient(create_app(settings)) as client:
        choice = {"name": "mongescore", "options": {"encoder": "minilm"}}
        answers = []
        for hypothesis in ("The boy ran home.", "The boy ran home again."):  # the first request measures the scale
            counting.asked = 0
            body = {"metrics": [choice], "segments": [{**SEGMENT, "hypothesis": hypothesis}]}
            answers.append(client.post("/api/score", json=body).json()["results"][0])
    assert counting.asked == 2
    metric = load_metric("mongescore", encoder=HashedEncoder(layers=7, special=True))
    expected = metric.score([Segment("The boy ran home again.", tuple(SEGMENT["references"]))])[0]
    assert answers[1]["segments"][0]["value"] == expected.value
    assert answers[1]["segments"][0]["parts"] == dict(expected.parts)


def test_the_number_format_is_in_the_signature(minilm_directory):
    settings = ServiceSettings(encoders=("minilm",), hosts=("testserver",), dtype="int8")
    body = {"metrics": [{"name": "bertscore"}], "segments": [SEGMENT]}
    with TestClient(create_app(settings)) as client:
        result = client.post("/api/score", json=body).json()["results"][0]
    assert "/int8" in result["signature"]


def test_word_vectors_have_no_memory_of_their_own(monkeypatch):
    asked = []

    def load(name, **options):
        asked.append((name, options.get("dtype")))
        return HashedEncoder()

    monkeypatch.setattr(pools, "load_encoder", load)
    pool = MetricPool(ServiceSettings(encoders=("glove", "minilm"), dtype="int8"), Environment())
    assert not isinstance(pool._encoder("glove", ""), RecentEncoder)
    assert isinstance(pool._encoder("minilm", ""), RecentEncoder)
    assert asked == [("glove", None), ("minilm", "int8")]


def test_models_are_looked_for_now_and_then(monkeypatch):
    there = {"minilm"}
    monkeypatch.setattr(pools, "locate_model", lambda spec, environment: "here" if spec.name in there else None)
    pool = MetricPool(ServiceSettings(), Environment())
    assert pool.encoders() == ["minilm"]
    there.add("use")
    assert pool.encoders() == ["minilm"]
    monkeypatch.setattr(pools, "LOOK", -1.0)
    assert pool.encoders() == ["minilm", "use"]


@pytest.mark.parametrize("settings", [{"dtype": "int4"}, {"memory_bytes": -1}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(OptionError, match=next(iter(settings))):
        ServiceSettings(**settings)


def test_the_command_sets_both():
    arguments = ["serve", "--dtype", "int8", "--memory", "64M"]
    settings = make_settings(build_parser("serve").parse_args(arguments), Environment())
    assert (settings.dtype, settings.memory_bytes) == ("int8", 64 << 20)
    assert make_settings(build_parser("serve").parse_args(["serve"]), Environment()).memory_bytes == 256 << 20
