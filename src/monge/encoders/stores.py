"""Where encoders keep what they computed: one store per directory and process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from monge.environment import Environment
from monge.storage.converted import ConvertedFiles
from monge.storage.digests import digest_files
from monge.storage.store import Store


def vector_store(environment: Environment) -> Store:
    """Return the store of hidden states and of notes on files, bounded to ``environment.cache_bytes``."""
    return _open_store(environment.cache_directory / "embeddings", environment.cache_bytes)


def converted_vectors(environment: Environment) -> ConvertedFiles:
    """Return where word vectors are kept in a form that opens at once, bounded to ``environment.cache_bytes``."""
    return ConvertedFiles(environment.cache_directory / "vectors", most=environment.cache_bytes)


def digest(files: Sequence[Path], environment: Environment) -> str:
    """Return the SHA-256 of the contents of *files*; where the cache is on, it is computed once per change."""
    return digest_files(files, vector_store(environment) if environment.cache else None)


@cache
def _open_store(directory: Path, most: int) -> Store:
    return Store(directory, most=most)
