"""Where sets of judgments are kept, and how the public ones get there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.storage.downloads import download, one_at_a_time

if TYPE_CHECKING:
    from monge.meta.data.catalog import DataSpec


def data_folders(environment: Environment | None = None) -> list[Path]:
    """Return the folders that are searched: MONGE_DATA (several may be given, as in PATH), then the cache."""
    around = Environment.read() if environment is None else environment
    return [*around.data_folders, around.cache_directory / "data"]


def download_data(spec: DataSpec, environment: Environment | None = None) -> Path:
    """Fetch the files of a set into the cache, checking every hash; what is there and right is kept.

    Raises OptionError for a set without a public address, and InputError when a file cannot be fetched.
    """
    if not spec.files:
        raise OptionError(f"{spec.name} has no fixed public address: get it from {spec.home} and set MONGE_DATA")
    environment = environment or Environment.read()
    if environment.offline:
        raise InputError(f"{spec.name} cannot be fetched: the network must not be used (MONGE_OFFLINE or --offline)")
    folder = environment.cache_directory / "data" / spec.folder
    parts = environment.cache_directory / "downloads"
    with one_at_a_time(parts / f"data-{spec.name}.lock"):
        for file in spec.files:
            download(file.address, folder / file.name, sha256=file.sha256, parts=parts)
    return folder
