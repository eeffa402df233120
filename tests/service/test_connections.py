"""Connections that send half a request: they must not keep others from being served."""

import contextlib
import resource
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from monge.encoders import EncodedText
from monge.encoders.static.hashed import HashedEncoder
from monge.service import server

from .conftest import make_app
from .test_process import Running

DESCRIPTORS = 256
HALF = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-half"


@contextlib.contextmanager
def half_open(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open connections and send half of the headers of a request on each."""
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            with contextlib.suppress(ConnectionError):  # closed already, to make room
                client.sendall(HALF)
            clients.append(client)
        yield clients


def test_half_sent_headers_do_not_keep_others_out(tmp_path: Path) -> None:
    running = Running(tmp_path / "log", descriptors=DESCRIPTORS)
    try:
        with half_open(running.port, DESCRIPTORS + 44):
            started = time.monotonic()
            for _ in range(5):
                assert httpx.get(f"{running.address}/healthz", timeout=5).status_code == 200
            assert time.monotonic() - started < 5
        descriptors = Path(f"/proc/{running.process.pid}/fd")
        if descriptors.is_dir():
            assert len(list(descriptors.iterdir())) < DESCRIPTORS
    finally:
        running.process.kill()
        running.process.wait()
    assert "Too many open files" not in (tmp_path / "log").read_text(encoding="utf-8")


@contextlib.contextmanager
def serving(app: FastAPI | None = None, **changes: object) -> Iterator[int]:
    """Serve in a thread, and return the port; *changes* are made to the configuration of uvicorn."""
    config = server.make_config(app or make_app())
    for name, value in changes.items():
        setattr(config, name, value)
    running = server.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        while not running.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(30)


def closed_within(client: socket.socket, seconds: float) -> bool:
    client.settimeout(seconds)
    try:
        while client.recv(65536):
            pass  # the rest of an answer
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def drip(client: socket.socket) -> None:
    """Send a byte from time to time, which must not extend the time."""
    with contextlib.suppress(OSError):
        while True:
            client.sendall(b"x")
            time.sleep(0.02)


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"], ids=["first", "second"])
def test_headers_must_arrive_in_time(before: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)
    with serving() as port, socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        if before:
            client.sendall(before)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
            time.sleep(0.5)  # an idle connection is kept longer than that
        client.sendall(HALF)
        thread = threading.Thread(target=drip, args=(client,))
        thread.start()
        assert closed_within(client, 20)
        client.close()
        thread.join()


def test_a_body_that_nobody_reads_must_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)
    with serving() as port, socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"POST /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\nx")
        assert client.recv(65536).startswith(b"HTTP/1.1 404")
        time.sleep(0.1)
        client.sendall(b"x")
        assert closed_within(client, 20)


def test_the_connection_that_waits_longest_makes_room() -> None:
    with serving(limit_concurrency=3) as port, half_open(port, 3) as clients:
        assert not any(closed_within(client, 0.1) for client in clients)
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
        assert closed_within(clients[0], 10)
        assert not any(closed_within(client, 0.1) for client in clients[1:])


class HeldEncoder(HashedEncoder):
    """An encoder that is not done until it is let."""

    held = threading.Event()

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        assert self.held.wait(60)
        return super().encode(texts, layers)


def test_a_request_that_is_served_is_not_closed_for_another() -> None:
    """One connection is allowed, and it is being served: the next is refused, and the first gets its answer."""
    app = make_app()
    app.state.service.pool.add_encoder("minilm", HeldEncoder())
    request = {"metrics": [{"name": "emd"}], "segments": [{"hypothesis": "a", "references": ["b"]}]}
    with serving(app, limit_concurrency=1) as port, ThreadPoolExecutor(1) as pool:
        first = pool.submit(httpx.post, f"http://127.0.0.1:{port}/api/score", json=request, timeout=60)
        while not app.state.service.workers["vectors"].depth:
            time.sleep(0.01)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as second:
            assert second.recv(65536).startswith(b"HTTP/1.1 503")
        HeldEncoder.held.set()
        assert first.result().status_code == 200


@pytest.mark.parametrize(("soft", "most"), [(256, 128), (1, 1), (1_000_000, 4_000), (resource.RLIM_INFINITY, 4_000)])
def test_half_of_the_descriptors_are_for_connections(soft: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, soft))
    assert server.connection_limit() == most
