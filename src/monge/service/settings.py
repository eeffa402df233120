"""Limits and access of a service, and the error that refuses a request."""

from __future__ import annotations

import math
from dataclasses import dataclass

from monge.encoders.registry import DTYPES
from monge.errors import MongeError, OptionError

# settings that bound the size of a request; `GET /api/metrics` shows them
SIZE_LIMITS = (
    "body_bytes", "text_characters", "total_characters", "segments", "references", "metrics", "systems",
)  # fmt: skip


@dataclass(frozen=True)
class ServiceSettings:
    """Limits and access. Sizes are characters unless named bytes, times are seconds; ``per_client`` 0 means no limit.

    ``encoders`` are the encoders that requests may name (None: the known models that are on this machine). An empty
    ``token`` means that none is required. ``hosts`` are the host names that requests may use; ``*.name`` stands for all
    names below it and ``*`` for any. ``dtype`` is the number format of transformers; ``memory_bytes`` is how much each
    encoder may keep of the vectors it computed last (0: none). Raises OptionError for a value that makes no sense.
    """

    body_bytes: int = 8_000_000
    text_characters: int = 10_000
    total_characters: int = 2_000_000
    segments: int = 5_000
    references: int = 16
    metrics: int = 8
    systems: int = 24
    seconds: float = 60.0
    waiting: int = 256
    per_client: int = 0
    token: str = ""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    encoders: tuple[str, ...] | None = None
    dtype: str = "float32"
    memory_bytes: int = 256 << 20

    def __post_init__(self) -> None:
        for name in (*SIZE_LIMITS, "waiting"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: must be at least 1")
        if self.dtype not in DTYPES:
            raise OptionError(f"dtype={self.dtype!r}: must be one of {', '.join(DTYPES)}")
        if self.memory_bytes < 0:
            raise OptionError(f"memory_bytes={self.memory_bytes}: must be at least 0")
        if not 0 < self.seconds < math.inf:
            raise OptionError(f"seconds={self.seconds}: must be positive and finite")
        if self.per_client < 0:
            raise OptionError(f"per_client={self.per_client}: must be at least 1, or 0 for no limit")
        for host in self.hosts:
            if host != "*" and "*" in host.removeprefix("*."):
                raise OptionError(f"host {host!r}: write a name, *.name for all below it, or * for any")


class RefusalError(MongeError):
    """A request that is not served: an HTTP status, and one sentence that says why."""

    def __init__(self, status: int, reason: str, *, field: str = "", retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.field = field
        self.retry_after = retry_after

    def record(self) -> dict[str, str]:
        """Return the body of the answer."""
        return {"error": self.reason} | ({"field": self.field} if self.field else {})


def too_large(reason: str, field: str = "") -> RefusalError:
    """Return a refusal with status 413: more than the service allows."""
    return RefusalError(413, reason, field=field)


def unusable(reason: str, field: str = "") -> RefusalError:
    """Return a refusal with status 422: understood, but cannot be done."""
    return RefusalError(422, reason, field=field)


def overloaded(reason: str) -> RefusalError:
    """Return a refusal with status 503: try again later."""
    return RefusalError(503, reason, retry_after=1)
