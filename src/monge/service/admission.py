"""Which requests are served: host name, token, number per client, size, type and time of the body."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence

from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monge.service.settings import RefusalError, ServiceSettings, too_large

_KNOWN_HOST = "monge.known_host"


class HostCheck:
    """ASGI middleware that serves requests to known host names only.

    A web page elsewhere can point its own host name at this machine (DNS rebinding), and the browser then lets it read
    the answers; but the requests carry that name. Starlette's middleware reads and compares the names. It would answer
    400 in plain text, so it is asked about a copy of the request, and the refusal is ours: 421 in JSON.
    """

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str]) -> None:
        self._app = app
        self._check = TrustedHostMiddleware(_mark_known, allowed_hosts=list(hosts), www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] in ("http", "websocket"):
            asked = dict(scope)
            await self._check(asked, receive, _send_nothing)
            if _KNOWN_HOST not in asked:
                raise RefusalError(421, "this service does not answer to that host name")
        await self._app(scope, receive, send)


async def _mark_known(scope: Scope, receive: Receive, send: Send) -> None:
    scope[_KNOWN_HOST] = True


async def _send_nothing(message: Message) -> None:
    pass


class Admission:
    """ASGI middleware that checks token, number and body of a request, and drops its work when the client leaves."""

    def __init__(self, app: ASGIApp, *, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._clients: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = str((scope.get("client") or ("unknown",))[0])
        headers = Headers(scope=scope)
        with self._counted(client):
            if scope["path"].startswith("/api/"):
                self._admit(headers, client)
            body = await self._read(scope, receive)
            if body and headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                raise RefusalError(415, "the body must be application/json")
            await _unless_left(self._app(scope, _replay(body, receive), send), receive)

    @contextlib.contextmanager
    def _counted(self, client: str) -> Iterator[None]:
        self._clients[client] += 1
        try:
            yield
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    def _admit(self, headers: Headers, client: str) -> None:
        limits = self._settings
        if limits.token and not _authorised(headers.get("authorization", ""), limits.token):
            raise RefusalError(401, "this service requires a token: Authorization: Bearer TOKEN")
        if 0 < limits.per_client < self._clients[client]:
            raise RefusalError(429, f"more than {limits.per_client} requests of one client at once", retry_after=1)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > limits.body_bytes:
            raise too_large(f"the body is larger than {limits.body_bytes:,} bytes")

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """Read the whole body, within the limits of size and time; only the API takes one."""
        if scope["method"] != "POST" or not scope["path"].startswith("/api/"):
            return b""
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._settings.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise RefusalError(400, "the client closed the connection")
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > self._settings.body_bytes:
                        raise too_large(f"the body is larger than {self._settings.body_bytes:,} bytes")
                    if not message.get("more_body", False):
                        return b"".join(chunks)
        except TimeoutError:
            raise RefusalError(408, f"the body did not arrive within {self._settings.seconds:g} seconds") from None


def _authorised(header: str, token: str) -> bool:
    kind, _, given = header.partition(" ")
    return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that hands over the body that was read, then waits for what the server reports."""
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed


async def _unless_left(work: Awaitable[None], receive: Receive) -> None:
    """Do the work, and drop it when the client closes the connection."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_wait_for_leave(receive))
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            doing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await doing
            return
        await doing
    finally:
        doing.cancel()
        leaving.cancel()


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
