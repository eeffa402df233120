"""What monge reads from its environment: read once, then passed down as one value."""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from monge.errors import OptionError, suggest

CACHE_BYTES = 4 << 30
MOST_CACHE_BYTES = 32 << 30  # that is taken without being asked for
CACHE_DTYPES = ("float32", "float16")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _default_cache_directory() -> Path:
    return Path.home() / ".cache" / "monge"


@dataclass(frozen=True)
class Environment:
    """Where things are kept and what is allowed.

    Parameters
    ----------
    cache_directory
        Models, vectors and scores are kept here (``MONGE_CACHE``, else ``monge`` in the user's cache directory).
    cache
        Whether stored vectors and scores are used and new ones kept (off with ``MONGE_NO_CACHE=1``).
    cache_bytes
        The most that stored vectors may take (``MONGE_CACHE_SIZE``, such as 500M or 2GB; default: a twentieth of
        the disk, but at least 4 GB, at most 32 GB, and above 4 GB no more than half of what is free).
    cache_dtype
        How vectors are stored (``MONGE_CACHE_DTYPE``): float32, or float16 in half the space.
    offline
        Whether the network must not be used (``MONGE_OFFLINE=1``).
    data_folders
        Where data sets are looked for (``MONGE_DATA``, several folders separated as in ``PATH``).
    token
        The token that requests to the service must carry (``MONGE_TOKEN``; empty: none).

    >>> Environment.read({"MONGE_OFFLINE": "1", "HOME": "/home/me"}).offline
    True
    """

    cache_directory: Path = field(default_factory=_default_cache_directory)
    cache: bool = True
    cache_bytes: int = CACHE_BYTES
    cache_dtype: str = "float32"
    offline: bool = False
    data_folders: tuple[Path, ...] = ()
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.cache_dtype not in CACHE_DTYPES:
            near = suggest(self.cache_dtype, CACHE_DTYPES)
            raise OptionError(f"cache dtype {self.cache_dtype!r}{near}: must be float32 or float16")

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> Environment:
        """Return the environment that *variables* (default: those of this process) describe.

        Raises OptionError when a variable holds a value that makes no sense.
        """
        known = os.environ if variables is None else variables
        size, directory = known.get("MONGE_CACHE_SIZE", ""), _read_cache_directory(known)
        return cls(
            cache_directory=directory,
            cache=not _is_set(known, "MONGE_NO_CACHE"),
            cache_bytes=parse_bytes(size) if size else share_of_disk(directory),
            cache_dtype=known.get("MONGE_CACHE_DTYPE") or "float32",
            offline=_is_set(known, "MONGE_OFFLINE"),
            data_folders=tuple(
                Path(part).expanduser() for part in known.get("MONGE_DATA", "").split(os.pathsep) if part
            ),
            token=known.get("MONGE_TOKEN", "").strip(),
        )


@functools.cache
def share_of_disk(directory: Path) -> int:
    """Return how many bytes stored vectors may take in *directory* where nobody said how many.

    A twentieth of its disk, from 4 to 32 GB, and above 4 no more than half of what is free; looked up once per process.
    """
    known = (directory.absolute(), *directory.absolute().parents)
    place = next((path for path in known if os.path.exists(path)), directory)
    try:
        usage = shutil.disk_usage(place)
    except OSError:
        return CACHE_BYTES
    return max(min(usage.total // 20, usage.free // 2, MOST_CACHE_BYTES), CACHE_BYTES)


def _read_cache_directory(known: Mapping[str, str]) -> Path:
    chosen = known.get("MONGE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    base = known.get("XDG_CACHE_HOME")
    return Path(base) / "monge" if base else _default_cache_directory()


def _is_set(known: Mapping[str, str], name: str) -> bool:
    return known.get(name, "0") not in ("", "0")


def parse_bytes(text: str) -> int:
    """Return a size in bytes from a number with an optional unit: ``512M``, ``4 GB``, ``1.5g``.

    >>> parse_bytes("4 GB"), parse_bytes("1.5k")
    (4294967296, 1536)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if match is None:
        raise OptionError(f"{text!r} is not a size: write 500M, 4GB or a number of bytes")
    return int(float(match[1]) * _UNITS[match[2].upper()])
