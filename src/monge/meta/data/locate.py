"""Where sets of judgments are kept, and how the public ones get there."""

from __future__ import annotations

import hashlib
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from monge.environment import Environment
from monge.errors import InputError, OptionError

if TYPE_CHECKING:
    from monge.meta.data.catalog import DataSpec, RemoteFile

_BLOCK = 1 << 16


def data_folders(environment: Environment | None = None) -> list[Path]:
    """Return the folders that are searched: MONGE_DATA (several may be given, as in PATH), then the cache."""
    around = Environment.read() if environment is None else environment
    return [*around.data_folders, around.cache_directory / "data"]


def download_data(spec: DataSpec) -> Path:
    """Fetch the files of a set into the cache, checking every hash; what is there and right is kept."""
    if not spec.files:
        raise OptionError(f"{spec.name} has no fixed public address: get it from {spec.home} and set MONGE_DATA")
    environment = Environment.read()
    if environment.offline:
        raise InputError(f"{spec.name} cannot be fetched: MONGE_OFFLINE is set")
    folder = environment.cache_directory / "data" / spec.folder
    folder.mkdir(parents=True, exist_ok=True)
    for file in spec.files:
        target = folder / file.name
        if not (target.exists() and hash_file(target) == file.sha256):
            _download(file, target)
    return folder


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download(file: RemoteFile, target: Path) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(file.address, timeout=30) as answer, temporary.open("wb") as stream:
            total = int(answer.headers.get("Content-Length") or 0) or None
            with tqdm(total=total, unit="B", unit_scale=True, desc=file.name, file=sys.stderr, leave=False) as bar:
                while block := answer.read(_BLOCK):
                    digest.update(block)
                    stream.write(block)
                    bar.update(len(block))
        if digest.hexdigest() != file.sha256:
            raise InputError(f"{file.address}: SHA-256 is {digest.hexdigest()}, not {file.sha256}; nothing was kept")
        temporary.replace(target)
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{file.address} cannot be fetched: {reason}") from error
    finally:
        temporary.unlink(missing_ok=True)
