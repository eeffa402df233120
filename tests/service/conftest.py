"""A service that needs no weights: the names of real encoders, the vectors of a hash."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from monge.encoders.static.hashed import HashedEncoder
from monge.service.app import create_app
from monge.service.settings import ServiceSettings


def make_app(**settings: object) -> FastAPI:
    """Return an app whose encoders are hashes."""
    app = create_app(ServiceSettings(encoders=("minilm", "glove"), hosts=("testserver", "127.0.0.1"), **settings))
    for name in ("minilm", "glove"):
        app.state.service.pool.add_encoder(name, HashedEncoder(layers=7, special=True))
    return app


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(), raise_server_exceptions=False) as session:
        yield session
