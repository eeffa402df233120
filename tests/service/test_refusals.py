"""The JSON API: what is refused, with which words, and texts that must do no harm."""

import json

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from monge.service.messages import CompareBody, ScoreBody, Strict

from .bodies import PAIR, post, score_request


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("/api/score", score_request("bertscor"), 422, "metrics[0].name"),
        ("/api/score", score_request("emd", nonsense=1), 422, "metrics[0].options.nonsense"),
        ("/api/score", score_request("emd", idf="/etc/passwd"), 422, "metrics[0].options.idf"),
        ("/api/score", score_request("emd", encoder="../../x"), 422, "metrics[0].options.encoder"),
        ("/api/score", score_request("emd", cost="nope"), 422, "metrics[0].options"),
        ("/api/score", score_request("emd", layers=[1, 2]), 422, "metrics[0].options.layers"),
        ("/api/score", score_request("emd", lambda_c=None), 422, "metrics[0].options.lambda_c"),
        ("/api/score", score_request("emd", segments=[{"hypothesis": "a"}]), 422, "metrics[0]"),
        ("/api/score", score_request("emd", segments=[]), 422, "segments"),
        ("/api/score", {"metrics": [], "segments": [PAIR]}, 422, "metrics"),
        ("/api/score", score_request("emd", segments=[{"hypothesis": 3}]), 422, "segments[0].hypothesis"),
        ("/api/score", score_request("emd", segments=[{**PAIR, "typo": 1}]), 422, "segments[0].typo"),
        (
            "/api/score",
            score_request("emd", segments=[{**PAIR, "hypothesis": "a" * 10_001}]),
            413,
            "segments[0].hypothesis",
        ),
        ("/api/score", score_request("chrf", segments=[PAIR] * 5001), 413, "segments"),
        (
            "/api/score",
            score_request("emd", segments=[{"hypothesis": "a " * 2500, "references": ["b " * 2500] * 3}]),
            413,
            "segments[0]",
        ),
        ("/api/score", score_request(*["chrf"] * 9), 413, "metrics"),
        ("/api/score", score_request("ter", segments=[{**PAIR, "hypothesis": "a " * 101}]), 413, "metrics[0]"),
        (
            "/api/score",
            score_request("ter", segments=[{**PAIR, "hypothesis": "a," * 60}], normalized=True),
            413,
            "metrics[0]",
        ),
        (
            "/api/score",
            score_request("ribes", segments=[{**PAIR, "hypothesis": "a" * 101}], tokenize="char"),
            413,
            "metrics[0]",
        ),
        (
            "/api/explain",
            {"metric": {"name": "emd"}, "segment": {"hypothesis": "a", "references": ["b", "c " * 1001]}},
            413,
            "segment.references[1]",
        ),
        (
            "/api/explain",
            {"metric": {"name": "emd"}, "segment": {"hypothesis": "a " * 600, "references": ["b " * 300, "c " * 200]}},
            413,
            "segment.references",
        ),
        (
            "/api/explain",
            {"metric": {"name": "emd"}, "segment": {**PAIR, "hypothesis": "a" * 10_001}},
            413,
            "segment.hypothesis",
        ),
        (
            "/api/explain",
            {"metric": {"name": "bleu"}, "segment": {**PAIR, "hypothesis": " "}},
            422,
            "segment.hypothesis",
        ),
        (
            "/api/compare",
            {"metrics": [{"name": "chrf"}], "systems": {"a": ["x"]}, "references": [["x"]]},
            422,
            "systems",
        ),
        (
            "/api/compare",
            {"metrics": [{"name": "chrf"}], "systems": {"a": ["x"], "b": ["x", "y"]}, "references": [["x"]]},
            422,
            "systems.b",
        ),
        ("/api/compare", {"metrics": [{"name": "chrf"}], "systems": {"a": [], "b": []}}, 422, "systems.a"),
        (
            "/api/compare",
            {
                "metrics": [{"name": "chrf"}],
                "systems": {"a": ["x"], "b": ["x" * 5000]},
                "references": [["y" * 5000]] * 3,
            },
            413,
            "systems.b[0]",
        ),
    ],
)
def test_refusals_name_the_field(client: TestClient, path: str, body: object, status: int, field: str) -> None:
    answer = post(client, path, body)
    assert answer.status_code == status, answer.text
    assert answer.json()["field"] == field
    assert len(answer.json()["error"]) > 10


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422), (b"", 422), (b"[]", 422), (b"null", 422), (b'"x"', 422), (b"\xff\xfe", 422),
        (b'{"metrics": NaN}', 422), (b"[" * 100_000, 422), (b'{"a": ' + b"9" * 10_000 + b"}", 422),
        (json.dumps(score_request("emd")).encode().replace(b"the boy", b"\\ud800"), 422),
        (json.dumps({str(i): 1 for i in range(2000)}).encode(), 422),
    ],
)  # fmt: skip
def test_malformed_bodies(client: TestClient, body: bytes, status: int) -> None:
    answer = client.post("/api/score", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert "error" in answer.json()


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (ScoreBody, {"metrics": [1] * 100, "segments": [2] * 100}),
        (ScoreBody, {"metrics": [{"name": "emd", "options": {str(i): [] for i in range(2000)}}], "segments": [3]}),
        (CompareBody, {"metrics": [{"name": "emd"}], "systems": {str(i): i for i in range(2000)}}),
        (CompareBody, {"metrics": [], "systems": {"a": [1] * 9, "b": []}, "references": [[1, 2], 3, 4]}),
        (CompareBody, {"metrics": [], "systems": {"a": [], "b": []}, "sources": [1] * 100}),
        (ScoreBody, dict.fromkeys(map(str, range(2000)))),
    ],
)
def test_few_of_many_mistakes_are_reported(model: type[Strict], body: dict[str, object]) -> None:
    """A body has room for millions, and listing them all takes gigabytes and minutes in which nobody is served."""
    with pytest.raises(ValidationError) as found:
        model.model_validate(body)
    assert found.value.error_count() <= 3


def test_malformed_json_names_the_place(client: TestClient) -> None:
    answer = client.post("/api/score", content=b'{"metrics": }', headers={"content-type": "application/json"})
    assert answer.json() == {"error": "the body is not JSON: Expecting value (character 12)"}


def test_other_content_types_are_refused(client: TestClient) -> None:
    answer = client.post("/api/score", content=b"{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "null\x00byte \x1b[31m \u202e\u2066 rtl مرحبا",
    "e" + "\u0301" * 500,
    "👩‍👩‍👧‍👦" * 50,
    "\ufeff\u2028\u2029\u0085",
    "   ",
    "",
    "日本語のテキスト",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_scored_and_shown_literally(client: TestClient, text: str) -> None:
    segment = {"hypothesis": text, "references": ["plain", text]}
    names = ("bertscore", "emd", "lazy_emd", "moverscore", "wmdo", "chrf", "bleu")
    assert post(client, "/api/score", score_request(*names, segments=[segment])).status_code == 200
    answer = post(client, "/api/explain", {"metric": {"name": "emd"}, "segment": segment})
    assert answer.status_code == 200
    picture = answer.json()["pictures"][0]
    for drawn in picture.values():
        assert "<script" not in drawn
        assert "<img" not in drawn


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"segments": [PAIR]}, "metrics is missing"),
        ({"metrics": [], "segments": [PAIR]}, "metrics needs at least 1"),
        ({"metrics": ["chrf"], "segments": [{**PAIR, "hypothesis": 5}]}, "hypothesis must be a text, not a number"),
        ({"metrics": ["chrf"], "segments": [{**PAIR, "hypothese": "x"}]}, "there is no field 'hypothese' here"),
        ({"metrics": ["chrf"], "segments": "x"}, "segments must be a list, not a text"),
        ({"metrics": ["chrf"], "segments": [{"hypothesis": "", "references": [None]}]},
         "entry 1 of references must be a text, not null"),
        ([], "the body must be an object, not a list"),
    ],
)  # fmt: skip
def test_complaints_are_plain_sentences(client: TestClient, body: object, error: str) -> None:
    answer = post(client, "/api/score", body)
    assert answer.status_code == 422
    assert answer.json()["error"] == error
