"""The service as a process: started, stopped, killed, started again."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from monge.cli import build_parser, main
from monge.cli.serve import make_settings
from monge.environment import Environment

LARGE = {
    "metrics": [{"name": "emd", "options": {"encoder": "hashed"}}],
    "segments": [{"hypothesis": f"{i} words " * 40, "references": [f"other {i} words " * 30]} for i in range(80)],
}
HUGE = LARGE | {"segments": LARGE["segments"] * 10}
SMALL = {"metrics": LARGE["metrics"], "segments": [{"hypothesis": "a b", "references": ["a c"]}]}


class Running:
    """A `monge serve` of its own."""

    def __init__(self, log: Path, port: int = 0, *, descriptors: int | None = None) -> None:
        command = [sys.executable, "-m", "monge", "serve", "--port", str(port), "--encoders", "hashed"]
        if descriptors is not None:
            command = ["sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh", *command]
        with log.open("wb") as stream:
            self.process = subprocess.Popen(command, stderr=stream)
        for _ in range(600):
            time.sleep(0.05)
            found = re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8"))
            with contextlib.suppress(httpx.TransportError):
                if found and httpx.get(f"{found[0]}/healthz").status_code == 200:
                    self.address, self.port = found[0], int(found[1])
                    return
        raise AssertionError(f"it did not start: {log.read_text(encoding='utf-8')}")

    def post_in_thread(self, body: object) -> tuple[threading.Thread, list[object]]:
        """Send a request and collect its status, or the error a client sees."""
        outcome: list[object] = []

        def send() -> None:
            try:
                outcome.append(httpx.post(f"{self.address}/api/score", json=body, timeout=60).status_code)
            except httpx.TransportError as error:
                outcome.append(error)

        thread = threading.Thread(target=send)
        thread.start()
        return thread, outcome


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path / "log")
    yield running
    running.process.kill()
    running.process.wait()


def wait_until_busy(service: Running) -> None:
    for _ in range(500):
        if httpx.get(f"{service.address}/healthz").json()["waiting"]:
            return
        time.sleep(0.01)
    raise AssertionError("the request never arrived")


def test_a_stopped_service_finishes_what_is_under_way(service: Running) -> None:
    thread, outcome = service.post_in_thread(LARGE)
    wait_until_busy(service)
    service.process.send_signal(signal.SIGTERM)
    thread.join(60)
    assert outcome == [200]
    assert service.process.wait(30) in (0, -signal.SIGTERM)


def test_a_client_that_hangs_up_is_not_worked_for(service: Running) -> None:
    body = json.dumps(HUGE).encode()
    head = "POST /api/score HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        wait_until_busy(service)
    while httpx.get(f"{service.address}/healthz").json()["waiting"]:
        time.sleep(0.02)
    scored = re.search(r"^monge_segments_total (\d+)", httpx.get(f"{service.address}/metrics").text, re.MULTILINE)
    assert scored is not None
    assert int(scored[1]) < len(HUGE["segments"]), "it went on working to the end"
    assert httpx.post(f"{service.address}/api/score", json=SMALL, timeout=60).status_code == 200


def test_a_killed_service_gives_clean_errors_and_starts_again(service: Running, tmp_path: Path) -> None:
    thread, outcome = service.post_in_thread(HUGE)
    wait_until_busy(service)
    service.process.kill()
    thread.join(30)
    assert not thread.is_alive()
    assert isinstance(outcome[0], httpx.TransportError)
    service.process.wait()
    again = Running(tmp_path / "again", service.port)
    try:
        assert httpx.post(f"{again.address}/api/score", json=SMALL, timeout=60).status_code == 200
    finally:
        again.process.kill()
        again.process.wait()


def test_a_taken_port_is_one_sentence(service: Running, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", str(service.port)]) == 2
    assert re.fullmatch(r"monge: cannot listen on .*\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "token"),
        (["--seconds", "0"], "positive"),
        (["--seconds", "inf"], "finite"),
        (["--per-client", "-1"], "per_client"),
        (["--waiting", "0"], "at least 1"),
        (["-m", "nosuch"], "no metric 'nosuch'"),
        (["-m", "chrf", "bertscore", "--encoders", "hashed"], "'minilm' is not offered here"),
        (["--encoders", "nosuch"], "no encoder 'nosuch'"),
        (["--encoders", "hashed", "no/such/file.vec"], "no encoder"),
        (["--allow-host", "a*b"], "'a*b'"),
        (["--token-file", "/no/such/file"], "cannot read"),
    ],
)
def test_mistakes_get_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MONGE_TOKEN", raising=False)
    monkeypatch.setenv("MONGE_OFFLINE", "1")
    assert main(["serve", "--port", "0", *arguments]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", "schlüssel".encode(), b"two\nlines", b"\n"])
def test_a_token_that_no_header_can_carry_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_bytes(content)
    assert main(["serve", "--port", "0", "--token-file", str(tmp_path / "token")]) == 2
    shown = capsys.readouterr().err
    assert "token" in shown
    assert shown.count("\n") == 1


def test_a_token_is_read_from_a_file_or_the_environment(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("sesame\n", encoding="utf-8")
    arguments = ["serve", "--host", "0.0.0.0"]
    settings = make_settings(build_parser("serve").parse_args(arguments), Environment(token="of the environment"))
    assert settings.token == "of the environment"
    arguments += ["--token-file", str(tmp_path / "token")]
    settings = make_settings(build_parser("serve").parse_args(arguments), Environment(token="of the environment"))
    assert settings.token == "sesame"
    assert settings.per_client == 16
