"""Headers, host names and other origins: who may read the service."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from monge.errors import OptionError
from monge.service.app import create_app
from monge.service.settings import ServiceSettings


def test_headers_are_strict_everywhere(client: TestClient) -> None:
    for path in ("/", "/api/metrics", "/nowhere", "/page/app.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_no_cross_origin_access(client: TestClient) -> None:
    answer = client.options(
        "/api/score", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}
    )
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost", "",
        "[::1]evil.example", "[::1].evil.example:80", "[::2]:80", "[", "localhost:80:evil", "localhost@evil",
        "127.0.0.2", "a.b.sub.example.evil", "sub.example",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/metrics", "/", "/healthz"])
def test_other_host_names_are_refused(named: TestClient, path: str, host: str) -> None:
    """DNS rebinding: a foreign page that reaches this machine under its own name reads nothing."""
    answer = named.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "host name" in answer.json()["error"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000", "a.sub.example", "a.b.sub.example:80"]
)
def test_known_host_names_are_served(named: TestClient, host: str) -> None:
    assert named.get("/api/metrics", headers={"host": host}).status_code == 200


@pytest.fixture(scope="session")
def named() -> Iterator[TestClient]:
    settings = ServiceSettings(encoders=(), hosts=("localhost", "127.0.0.1", "[::1]", "*.sub.example"))
    with TestClient(create_app(settings), raise_server_exceptions=False) as session:
        yield session


def test_any_host_name_may_be_allowed() -> None:
    with TestClient(create_app(ServiceSettings(encoders=(), hosts=("*",)))) as client:
        assert client.get("/healthz", headers={"host": "any.example"}).status_code == 200


@pytest.mark.parametrize("host", ["a*b", "*a.example", "*.*.example", "**"])
def test_a_host_pattern_that_matches_nothing_sensible_is_refused(host: str) -> None:
    with pytest.raises(OptionError, match="host"):
        ServiceSettings(hosts=(host,))


def test_the_page_loads_only_from_here(client: TestClient) -> None:
    import re

    from monge.service.static import PAGE_FILES

    for path in PAGE_FILES:
        answer = client.get(path)
        assert answer.status_code == 200
        links = re.findall(r"""(?:src|href)=["']([^"']+)|from '([^']+)'|@import|url\(([^)]+)\)""", answer.text)
        for link in links:
            assert all(not part or part.startswith(("/", "./", "#")) for part in link), (path, link)
