"""A real browser on a real service. Chromium of the system is used: apt-get install chromium."""

import dataclasses
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import playwright.sync_api as playwright
import pytest

from monge.encoders import EncodedText
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import ModelError
from monge.service.app import create_app
from monge.service.server import Server, make_config
from monge.service.settings import ServiceSettings

ARGUMENTS = (
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-domain-reliability",
)  # fmt: skip


class FragileEncoder(HashedEncoder):
    """An encoder that fails for texts with a mark, and that knows two thirds of the words of those with another."""

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        if any("unencodable" in text for text in texts):
            raise ModelError("the vectors of this text cannot be computed")
        encoded = super().encode(texts, layers)
        return [dataclasses.replace(one, unknown=1 / 3) if "xyzzy" in one.text else one for one in encoded]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A service on a free port of this machine, with hashed vectors; those of glove fail for marked texts."""
    app = create_app(ServiceSettings(encoders=("minilm", "glove")))
    app.state.service.pool.add_encoder("minilm", HashedEncoder(layers=7))
    app.state.service.pool.add_encoder("glove", FragileEncoder(layers=7))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(make_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def browser() -> Iterator["playwright.Browser"]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("this machine has no chromium (apt-get install chromium)")
    playwright.expect.set_options(timeout=15_000)  # a busy machine
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield opened
        opened.close()


class Watch:
    """The errors and warnings of a page, and the hosts that it sends requests to."""

    def __init__(self, page: "playwright.Page") -> None:
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda message: self._hear(message))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2] if "://" in request.url else ""))

    def _hear(self, message: "playwright.ConsoleMessage") -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture
def page(browser: "playwright.Browser", address: str) -> Iterator["playwright.Page"]:
    """A fresh page that must stay quiet and talk to its own service only."""
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    watch = Watch(opened)
    yield opened
    context.close()
    assert watch.complaints == []
    assert watch.hosts <= {address.removeprefix("http://")}
