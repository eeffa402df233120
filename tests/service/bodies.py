"""Requests to the service, as tests send them."""

from starlette.testclient import TestClient

PAIR = {"hypothesis": "the boy ran", "references": ["the man ran home"]}


def post(client: TestClient, path: str, body: object, **options: object):
    return client.post(path, json=body, **options)


def score_request(*names: str, segments: object = (PAIR,), **options: object) -> dict[str, object]:
    return {"metrics": [{"name": name, "options": options} for name in names], "segments": list(segments)}
