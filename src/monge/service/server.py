"""Connections: a cap on their number, and a time within which the headers of a request must arrive.

Without these, clients that open connections and send half a request use up the descriptors of the process, and nobody
else is answered.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

HEADER_SECONDS = 10.0  # from the first moment of a connection, or the first byte of a later request
MOST_CONNECTIONS = 4_000  # each may hold a body in memory
LONGEST_QUEUE = 2_048
_FULL = b'{"error": "too many connections; try again in a moment"}'
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_FULL), _FULL)
)


def connection_limit() -> int:
    """Return how many connections may be open: half of the descriptors of this process, at most 4,000.

    The other half is for files, for the store, and for connections that are accepted before one can be closed.
    """
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MOST_CONNECTIONS if descriptors == resource.RLIM_INFINITY else max(1, min(MOST_CONNECTIONS, descriptors // 2))
    )


def make_config(app: Any, *, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Config:
    """Return how uvicorn serves the app; nothing in it depends on which optional packages are installed."""
    most = connection_limit()
    return uvicorn.Config(
        app, host=host, port=port, http=BoundedProtocol, ws="none", loop="asyncio", lifespan="on",
        log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=15, timeout_keep_alive=30,
        # asyncio accepts as many as the backlog before it looks at any of them
        limit_concurrency=most, backlog=max(1, most // 8),
    )  # fmt: skip


class Server(uvicorn.Server):
    """Uvicorn, with a long queue in the kernel: connections that wait there take no descriptor of this process."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets=sockets)
        for listener in sockets or ():
            listener.listen(LONGEST_QUEUE)


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection of at most ``limit_concurrency``.

    When one more arrives, the connection that has waited longest for its client is closed; when all are being served,
    the new one is refused. Uvicorn itself would refuse every request until the idle connections leave.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._most = config.limit_concurrency
        self.limit_concurrency = None
        self._header_timer: asyncio.TimerHandle | None = None
        self._waiting_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if there is or can be made room for it."""
        super().connection_made(transport)
        self._waiting_since = self.loop.time()
        if self._most is not None and len(self.connections) > self._most and not self._make_room():
            transport.write(_REFUSAL)
            transport.close()
            self.connections.discard(self)
            return
        self._watch_headers()

    def data_received(self, data: bytes) -> None:
        """Read on; the time for headers is not extended by every byte."""
        super().data_received(data)
        self._watch_headers()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _serving(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _waits_for_client(self) -> bool:
        """Whether it is the client's turn: no request is being served, or its body is incomplete."""
        return not self._serving or self.cycle.more_body

    def _make_room(self) -> bool:
        """Close the connection that has waited longest for its client; return whether there was one."""
        others = (one for one in self.connections if isinstance(one, BoundedProtocol) and one is not self)
        waiting = [one for one in others if one._waits_for_client]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda one: one._waiting_since)
        self.connections.discard(oldest)  # the transport reports the loss only later, and others may arrive until then
        oldest.transport.abort()
        return True

    def _watch_headers(self) -> None:
        if self._serving or self.transport.is_closing():
            self._stop_timer()
        elif self._header_timer is None:
            self._header_timer = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _give_up(self) -> None:
        if not self._serving:
            self.transport.abort()
