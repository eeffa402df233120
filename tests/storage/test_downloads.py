"""Downloads from a real local server: resumed, checked, whole."""

import hashlib
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from monge.errors import InputError
from monge.storage.downloads import download, one_at_a_time

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT; ``ranges`` whether it knows ranges, ``give`` after how many bytes it hangs up."""

    ranges = True
    give: int | None = None
    asked: list[str]

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.ranges else 0
        if self.path != "/file":
            self.send_error(404)
        elif start >= len(CONTENT):
            self.send_error(416)
        else:
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(CONTENT) - start))
            self.end_headers()
            self.wfile.write(CONTENT[start:][: self.give])

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@contextmanager
def serve(**settings: object) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (Server,), {**settings, "asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/file", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_file_is_fetched_once(tmp_path: Path) -> None:
    target, parts = tmp_path / "data" / "file", tmp_path / "parts"
    with serve() as (address, asked):
        for _ in range(2):
            download(address, target, sha256=SHA256, parts=parts)
    assert target.read_bytes() == CONTENT
    assert asked == [""]
    assert list(parts.iterdir()) == []


@pytest.mark.parametrize("ranges", [True, False])
def test_an_interrupted_download_goes_on(tmp_path: Path, ranges: bool) -> None:
    target = tmp_path / "file"
    with (
        serve(give=100_000) as (address, _),
        pytest.raises(InputError, match="the connection ended after 100000 of 256000 bytes"),
    ):
        download(address, target, sha256=SHA256, parts=tmp_path / "parts")
    assert not target.exists()
    with serve(ranges=ranges) as (address, asked):
        download(address, target, sha256=SHA256, parts=tmp_path / "parts")
    assert asked == ["bytes=100000-"]
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("left", [b"something else", CONTENT + b"more", CONTENT])
def test_what_is_left_of_something_else_is_not_used(tmp_path: Path, left: bytes) -> None:
    (tmp_path / f"{SHA256}.part").write_bytes(left)
    with serve() as (address, asked):
        download(address, tmp_path / "file", sha256=SHA256, parts=tmp_path)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert len(asked) == 2


def test_a_wrong_file_is_refused_and_not_kept(tmp_path: Path) -> None:
    with serve() as (address, _), pytest.raises(InputError, match=f"SHA-256 is {SHA256}, not 000.*nothing was kept"):
        download(address, tmp_path / "file", sha256="0" * 64, parts=tmp_path / "parts")
    assert list((tmp_path / "parts").iterdir()) == []
    assert not (tmp_path / "file").exists()


def test_a_right_file_that_was_damaged_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"damaged")
    with serve() as (address, _):
        download(address, tmp_path / "file", sha256=SHA256, parts=tmp_path / "parts")
    assert (tmp_path / "file").read_bytes() == CONTENT


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/file", "no address at all", "file:///no/such/file"])
def test_an_address_that_cannot_be_read(tmp_path: Path, address: str) -> None:
    with pytest.raises(InputError, match="cannot be fetched"):
        download(address, tmp_path / "file", sha256=SHA256, parts=tmp_path / "parts")


def test_an_address_that_is_not_there(tmp_path: Path) -> None:
    with serve() as (address, _), pytest.raises(InputError, match="cannot be fetched: Not Found"):
        download(f"{address}-not", tmp_path / "file", sha256=SHA256, parts=tmp_path / "parts")


def test_processes_take_turns(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from monge.storage.downloads import one_at_a_time\n"
        "with one_at_a_time(Path(sys.argv[1])): print('mine')"
    )
    with one_at_a_time(tmp_path / "thing.lock"):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "thing.lock")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert other.stderr is not None
        assert other.stderr.readline() == "monge: another process is fetching thing; waiting for it\n"
        assert other.poll() is None
    assert other.communicate(timeout=30)[0] == "mine\n"
