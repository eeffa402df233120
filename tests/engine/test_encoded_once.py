"""A job encodes every text once, whatever the number of metrics and layers."""

import dataclasses
from pathlib import Path

import pytest

from monge.encoders.transformer import TransformerEncoder
from monge.engine.job import JobOptions, score_job
from monge.engine.journal import Journal
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.metrics import load_metric
from monge.text import Segment

METRICS = ("bertscore", "moverscore", "emd", "cosine")


@pytest.mark.parametrize("cache", [True, False])
def test_every_text_is_encoded_once(
    cache: bool, minilm_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(cache_directory=tmp_path, cache=cache)
    pairs = [("the boy ran", "a boy was running"), ("it rains", "it is raining"), ("the boy ran", "rain")]
    systems = [spool_segments((Segment(h, (r,), id=str(i)) for i, (h, r) in enumerate(pairs)), "one")]
    chosen = {"encoder": str(minilm_directory), "environment": environment}
    apart = [
        score_job([(name, load_metric(name, **chosen))], systems, journal=Journal(None), options=JobOptions())[0]
        for name in METRICS
    ]
    encoded: list[str] = []
    plain = TransformerEncoder.encode

    def encode(self, texts, layers=None):  # type: ignore[no-untyped-def]
        encoded.extend(texts)
        return plain(self, texts, layers)

    monkeypatch.setattr(TransformerEncoder, "encode", encode)
    fresh = {**chosen, "environment": dataclasses.replace(environment, cache_directory=tmp_path / "fresh")}
    metrics = [(name, load_metric(name, **fresh)) for name in METRICS]
    together = score_job(metrics, systems, journal=Journal(None), options=JobOptions())
    assert sorted(encoded) == sorted({text for pair in pairs for text in pair})
    assert [list(one.records()) for one in together] == [list(one.records()) for one in apart]
