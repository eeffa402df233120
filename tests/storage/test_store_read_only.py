"""A store that cannot be written: what is there is used, what is damaged is not, and neither is an error."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from monge.storage.store import Store

BLOBS = {bytes([n]) * 16: bytes([n]) * (1000 + n) for n in range(50)}
pytestmark = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="this machine has no users to change to")


@contextmanager
def without_privileges() -> Iterator[None]:
    """The superuser may write anywhere: be somebody else meanwhile."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


@pytest.fixture
def shared() -> Iterator[Store]:
    """A store that others may read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    shared = Store(folder / "blobs")
    shared.put("a", BLOBS)
    yield shared
    shared.close()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("writer_is_open", [False, True])
def test_a_read_only_store_is_read(shared: Store, writer_is_open: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if not writer_is_open:
        shared.close()
    for path in (*shared.directory.iterdir(), shared.directory, shared.directory.parent):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(path.name for path in shared.directory.iterdir())
    with without_privileges():
        reader = Store(shared.directory)
        assert reader.get([*BLOBS, b"unknown"]) == BLOBS
        reader.put("a", {b"new": b"x"})
        assert reader.get([b"new", *BLOBS]) == BLOBS
        assert reader.summary()[0].entries == 50
        assert reader.verify() == (50, 0)
        reader.close()
    assert sorted(path.name for path in shared.directory.iterdir()) == before
    assert capsys.readouterr().err.count("cannot be written: what is there is used") == 1


def test_a_read_only_store_that_is_damaged_is_not_trusted(shared: Store, capsys: pytest.CaptureFixture[str]) -> None:
    shared.close()
    (pack,) = shared.directory.glob("*.pack")
    pack.write_bytes(b"?" * pack.stat().st_size)
    shared.directory.chmod(0o555)
    with without_privileges():
        reader = Store(shared.directory)
        assert reader.get(list(BLOBS)) == {}
        reader.close()
    shared.directory.chmod(0o755)
    (shared.directory / "index.sqlite").write_bytes(b"no index" * 1000)
    shared.directory.chmod(0o555)
    shared.directory.parent.chmod(0o555)
    with without_privileges():
        reader = Store(shared.directory)
        assert reader.get(list(BLOBS)) == {}
    assert "cannot be removed" in capsys.readouterr().err
