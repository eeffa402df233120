"""The JSON API: correct answers."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from monge.cli import main
from monge.encoders.static import StaticEncoder
from monge.encoders.static.files import VectorTable
from monge.encoders.static.hashed import HashedEncoder
from monge.metrics import load_metric
from monge.metrics.base import sign_scores
from monge.service.app import create_app
from monge.service.settings import ServiceSettings
from monge.text import Segment

from .bodies import PAIR, post, score_request
from .conftest import make_app


def test_scores_are_those_of_the_library(client: TestClient) -> None:
    answer = post(client, "/api/score", score_request("bertscore", "emd", "chrf"))
    assert answer.status_code == 200
    encoder = HashedEncoder(layers=7, special=True)
    for result in answer.json()["results"]:
        options = {} if result["metric"] == "chrf" else {"encoder": encoder}
        metric = load_metric(result["metric"], **options)
        segment = Segment(PAIR["hypothesis"], tuple(PAIR["references"]))
        expected = metric.score([segment])[0].value
        assert result["segments"][0]["value"] == pytest.approx(expected, abs=1e-12)
        assert result["signature"] == str(sign_scores(metric, [segment]))


def test_explanations_sum_to_the_score(client: TestClient) -> None:
    answer = post(client, "/api/explain", {"metric": {"name": "lazy_emd"}, "segment": PAIR}).json()
    explanation = answer["explanation"]
    words = [
        w["contribution"] for p in explanation["pairs"] for s in ("hypothesis", "reference") for w in p[s]["words"]
    ]
    assert explanation["base"] + math.fsum(words) == pytest.approx(explanation["value"], abs=1e-9)
    assert answer["pictures"][0]["ribbons"].startswith("<svg")
    assert answer["pictures"][0]["heatmap"].startswith("<svg")


def test_a_heat_map_stays_small_enough_to_show(client: TestClient) -> None:
    words = " ".join(f"w{i}" for i in range(160))
    segment = {"hypothesis": words, "references": [words]}
    answer = post(client, "/api/explain", {"metric": {"name": "bertscore"}, "segment": segment})
    assert answer.status_code == 200
    assert answer.json()["pictures"][0]["heatmap"] == ""
    assert answer.json()["pictures"][0]["ribbons"].startswith("<svg")


def test_an_ensemble_needs_no_encoder_to_be_named(client: TestClient) -> None:
    assert post(client, "/api/score", score_request("ensemble")).status_code == 200


def test_metrics_without_transport_are_explained_by_leaving_words_out(client: TestClient) -> None:
    segment = {"hypothesis": "the zebra ran", "references": ["the boy ran"]}
    answer = post(client, "/api/explain", {"metric": {"name": "rouge1"}, "segment": segment}).json()
    assert answer["kind"] == "occlusion"
    effects = {word["text"]: word["effect"] for word in answer["explanation"]["words"]}
    assert effects["zebra"] < 0 < effects["ran"]
    assert answer["pictures"][0]["ribbons"].startswith("<svg")


def test_documents_are_explained_by_their_foci(client: TestClient) -> None:
    segment = {
        "hypothesis": "The boat sank. A boat and its crew were lost.",
        "references": ["The boat sank near the coast. The crew was saved.", "A boat sank."],
    }
    answer = post(client, "/api/explain", {"metric": {"name": "ds_focus"}, "segment": segment, "width": 400}).json()
    assert answer["kind"] == "document"
    explanation = answer["explanation"]
    foci = [focus for pair in explanation["pairs"] for focus in pair["foci"]]
    assert explanation["additive"] is True
    assert math.fsum(focus["contribution"] for focus in foci) == pytest.approx(explanation["value"], abs=1e-9)
    scored = post(client, "/api/score", score_request("ds_focus", segments=[segment])).json()
    assert explanation["value"] == pytest.approx(scored["results"][0]["segments"][0]["value"], abs=1e-9)
    assert [
        (link["first"], link["second"], link["weight"]) for link in explanation["pairs"][0]["hypothesis"]["links"]
    ] == [(0, 1, 1.0)]
    assert len(answer["pictures"]) == 2
    assert 'width="400"' in answer["pictures"][0]["ribbons"]
    alone = post(client, "/api/explain", {"metric": {"name": "rc"}, "segment": segment}).json()
    assert alone["kind"] == "document"
    assert alone["explanation"]["pairs"][0]["reference"] is None
    assert alone["explanation"]["additive"] is False


def test_comparisons_name_the_better_system(client: TestClient) -> None:
    references = [f"line number {i} of the text" for i in range(30)]
    worse = [line.replace("number", "banana").replace("text", "zebra") for line in references]
    body = {
        "metrics": [{"name": "chrf"}, {"name": "emd"}],
        "systems": {"good": references, "bad": worse},
        "references": [references],
    }
    answer = post(client, "/api/compare", body).json()
    assert set(answer["comparisons"]) == {"chrf", "emd"}
    pair = answer["comparisons"]["chrf"]["pairs"][0]
    assert pair["winner"] == "good"
    assert answer["report"].startswith("<!doctype html>")
    assert answer["verdicts"]


def test_comparisons_are_those_of_the_command(
    client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    references = [f"the {i} boats left the harbour at {i + 3} in the morning" for i in range(25)]
    systems = {
        "first": [line.replace("harbour", "port") for line in references],
        "second": [line if i % 3 else line.replace("boats", "trains") for i, line in enumerate(references)],
        "empty": ["", *references[1:]],
    }
    for name, lines in {"ref": references, **systems}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / f"{name}.txt") for name in ("ref", *systems)]
    assert (
        main(["compare", files[0], "-i", *files[1:], "-m", "bleu", "chrf", "rouge1", "-f", "json", "--show", "0"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    body = {
        "metrics": [{"name": name} for name in ("bleu", "chrf", "rouge1")],
        "systems": systems,
        "references": [references],
    }
    answer = post(client, "/api/compare", body).json()
    assert answer["comparisons"] == printed["metrics"]
    assert answer["verdicts"] == printed["verdicts"]
    assert set(answer["comparisons"]["bleu"]["corpus"]["scores"]) == set(systems)
    assert "corpus" not in answer["comparisons"]["rouge1"]
    assert "Corpus" in answer["report"]


def test_systems_share_their_statistics(client: TestClient) -> None:
    """λ relative to the typical cost: the same λ for all systems, so a system's scores do not depend on it alone."""
    references = [f"the {i} boats left the harbour" for i in range(6)]
    good = [f"the {i} boats left the port" for i in range(6)]
    systems = {"good": good, "same": good, "bad": [f"quite {i} other words" for i in range(6)]}
    options = {"lambda_c": 0.5, "lambda_r": 0.5, "lambda_unit": "relative"}
    body = {"metrics": [{"name": "lazy_emd", "options": options}], "systems": systems, "references": [references]}
    answer = post(client, "/api/compare", body | {"report": False}).json()
    segments = [
        Segment(line, (reference,), system=name)
        for name, lines in systems.items()
        for line, reference in zip(lines, references, strict=True)
    ]
    metric = load_metric("lazy_emd", encoder=HashedEncoder(layers=7, special=True), **options).bind_shared(segments)
    assert answer["comparisons"]["lazy_emd"]["signature"] == str(sign_scores(metric, segments))
    expected = {name: metric.score([s for s in segments if s.system == name]) for name in systems}
    means = answer["comparisons"]["lazy_emd"]["rankings"]["mean"]
    for name, scores in expected.items():
        assert means[name]["value"] == pytest.approx(sum(score.value for score in scores) / 6, abs=1e-9)


def test_metrics_are_listed_with_options_that_any_client_may_set(client: TestClient) -> None:
    answer = client.get("/api/metrics").json()
    cards = {card["name"]: card for card in answer["metrics"]}
    assert cards["emd"]["higher_is_better"] is False
    names = {option["name"] for option in cards["bertscore"]["options"]}
    assert {"layers", "alpha", "cost"} <= names
    assert not names & {"idf", "baseline", "device", "encoder", "dtype"}
    assert answer["limits"]["text_characters"] == 10_000


def test_health_and_counters(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    post(client, "/api/score", score_request("chrf"))
    text = client.get("/metrics").text
    assert 'monge_requests_total{path="/api/score",status="200"}' in text
    assert "monge_segments_total" in text


def test_idf_of_one_pair_is_noted(client: TestClient) -> None:
    result = post(client, "/api/score", score_request("moverscore")).json()["results"][0]
    assert "uniform" in result["notes"][0]


def test_words_that_an_encoder_does_not_know_are_marked() -> None:
    table = VectorTable({"the": 0, "boy": 1}, np.eye(2, dtype=np.float32), "tiny", "0" * 64)
    app = make_app()
    app.state.service.pool.add_encoder("glove", StaticEncoder(table))
    segments = [
        {"hypothesis": hypothesis, "references": [reference]}
        for hypothesis, reference in (("the boy", "the"), ("the boy ran", "the boy"), ("我们", "政府"))
    ]
    with TestClient(app) as session:
        result = post(session, "/api/score", score_request("we", segments=segments)).json()["results"][0]
    known, marked, unreadable = result["segments"]
    assert (known["unknown"], known["marked"]) == (0.0, False)
    assert (marked["unknown"], marked["marked"]) == (pytest.approx(1 / 3), True)
    assert "hypothesis: 33 % of the words unknown to the encoder" in marked["notes"]
    assert unreadable["value"] is None
    assert "no score: the encoder can read neither text" in unreadable["notes"]


def test_a_language_that_the_encoder_was_not_made_for_is_noted(minilm_directory: Path) -> None:
    app = create_app(ServiceSettings(encoders=("minilm",), hosts=("testserver",)))
    german = "Der Junge in dem Mantel ist nach Hause gelaufen, und es hat die ganze Nacht in der Stadt geregnet."
    segment = {"hypothesis": german, "references": [german.replace("Mantel", "Anorak")]}
    with TestClient(app) as session:
        guessed, declared = (
            post(session, "/api/score", score_request("bertscore", segments=[segment], **options)).json()["results"][0]
            for options in ({}, {"language": "en"})
        )
    assert guessed["notes"] == ["the texts look German, but minilm was made for English: the scores may mislead"]
    assert declared["notes"] == []


def test_the_multilingual_encoder_is_taken_where_it_is_offered() -> None:
    app = create_app(ServiceSettings(encoders=("minilm", "use"), hosts=("testserver",)))
    for name in ("minilm", "use"):
        app.state.service.pool.add_encoder(name, HashedEncoder(layers=7, seed=len(name)))
    german = "Der Junge in dem Mantel ist nach Hause gelaufen, und es hat die ganze Nacht in der Stadt geregnet."
    segment = {"hypothesis": german, "references": [german.replace("Mantel", "Anorak")]}
    with TestClient(app) as session:
        guessed, declared = (
            post(session, "/api/score", score_request("bertscore", segments=[segment], **options)).json()["results"][0]
            for options in ({}, {"language": "en"})
        )
        explained = post(session, "/api/explain", {"metric": "bertscore", "segment": segment}).json()
    note = "the texts look German: scored with encoder=use, because minilm was made for English"
    assert guessed["notes"] == [note]
    assert note in explained["explanation"]["notes"]
    assert declared["notes"] == []
    assert guessed["signature"] != declared["signature"]


def test_a_comparison_tells_how_far_it_is(client: TestClient) -> None:
    lines = [f"sentence {i} about ships" for i in range(30)]
    body = {"metrics": ["bertscore"], "systems": {"A": lines, "B": ["bananas"] * 30}, "references": [lines]}
    answer = client.post("/api/compare", json=body, headers={"accept": "application/x-ndjson"})
    records = [json.loads(line) for line in answer.text.splitlines()]
    assert all(set(record) == {"progress"} for record in records[:-1])
    shown = records[-1]["answer"]["instances"]["bertscore"][0]
    assert (shown["first"], len(shown["for_first"]), shown["for_second"]) == ("A", 3, [])
    assert shown["for_first"][0]["outputs"][1] == "bananas"


def test_a_refused_comparison_says_so_in_its_last_line(client: TestClient) -> None:
    body = {"metrics": ["chrf"], "systems": {"A": ["a"], "B": ["b", "c"]}, "references": [["a"]]}
    answer = client.post("/api/compare", json=body, headers={"accept": "application/x-ndjson"})
    last = json.loads(answer.text.splitlines()[-1])
    assert last == {"error": "2 lines, but systems.A has 1", "field": "systems.B", "status": 422}


def test_metrics_that_cannot_run_say_why() -> None:
    with TestClient(create_app(ServiceSettings(encoders=("minilm",), hosts=("testserver",)))) as client:
        cards = {card["name"]: card for card in client.get("/api/metrics").json()["metrics"]}
    assert cards["bertscore"]["available"]
    assert not cards["wmd"]["available"]
    assert cards["wmd"]["reason"] == "its encoder glove is not on this machine: choose another"
    assert cards["bertscore"]["options"][0]["meaning"]
