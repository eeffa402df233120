"""The gate in front of the app: it checks host, token, size and time, sets headers, counts and logs.

Logs hold method, path, status, sizes and times, never a text.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import re
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from monge.service.counters import RequestCounters
from monge.service.settings import RefusalError, ServiceSettings, overloaded, too_large

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

log = logging.getLogger("monge.service")


class Gate:
    """ASGI middleware; ``paths`` are the paths of the app, which name requests in logs and counters."""

    def __init__(
        self, app: App, *, settings: ServiceSettings, counters: RequestCounters, paths: frozenset[str]
    ) -> None:
        self._app = app
        self._settings = settings
        self._counters = counters
        self._paths = paths
        self._clients: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        told = {"status": 0, "bytes": 0}  # status 0: nothing was answered

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        client = str((scope.get("client") or ("unknown",))[0])
        self._clients[client] += 1
        try:
            self._admit(scope, client)
            body = await self._read(scope, receive)
            told["bytes"] = len(body)
            if body and _headers(scope).get("content-type", "").split(";")[0].strip().lower() != "application/json":
                raise RefusalError(415, "the body must be application/json")
            await _unless_left(self._app(scope, _replay(body, receive), answer), receive)
        except RefusalError as refusal:
            await refuse(refusal, answer)
        except asyncio.CancelledError:  # the server stops and has waited long enough
            if not told["status"]:
                await refuse(overloaded("the service is shutting down"), answer)
            raise
        except Exception as error:
            log.error("failed", exc_info=error)
            if told["status"]:
                raise  # the answer was under way already: only a broken connection can tell
            await refuse(RefusalError(500, "the service failed on this request; its log says more"), answer)
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]
            self._tell(scope, told, time.perf_counter() - started)

    def _admit(self, scope: Scope, client: str) -> None:
        headers = _headers(scope)
        host = re.sub(r":\d+$", "", headers.get("host", "")).lower()
        if "*" not in self._settings.hosts and host not in self._settings.hosts:
            raise RefusalError(421, "this service does not answer to that host name")  # DNS rebinding ends here
        if not scope["path"].startswith("/api/"):
            return
        if self._settings.token and not _authorised(headers.get("authorization", ""), self._settings.token):
            raise RefusalError(401, "this service wants a token: Authorization: Bearer TOKEN")
        if 0 < self._settings.per_client < self._clients[client]:
            raise RefusalError(
                429, f"more than {self._settings.per_client} requests of one client at once", retry_after=1
            )
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._settings.body_bytes:
            raise too_large(f"the body is larger than {self._settings.body_bytes:,} bytes")

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """Read the whole body, within the limits of size and time; pages take none, and ask for no token."""
        if scope["method"] != "POST" or not scope["path"].startswith("/api/"):
            return b""
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._settings.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise RefusalError(400, "the client went away")
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > self._settings.body_bytes:
                        raise too_large(f"the body is larger than {self._settings.body_bytes:,} bytes")
                    if not message.get("more_body", False):
                        return b"".join(chunks)
        except TimeoutError:
            raise RefusalError(408, f"the body did not arrive within {self._settings.seconds:g} seconds") from None

    def _tell(self, scope: Scope, told: dict[str, int], seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else "other"
        self._counters.add(path, told["status"], seconds)
        log.info(
            "request",
            extra={
                "record": {
                    "method": scope["method"],
                    "path": path,
                    "status": told["status"],
                    "ms": round(seconds * 1000, 1),
                    "bytes": told["bytes"],
                }
            },
        )


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _authorised(header: str, token: str) -> bool:
    kind, _, given = header.partition(" ")
    return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that hands over the body that was read, then waits for what the server says."""
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed


async def _unless_left(work: Awaitable[None], receive: Receive) -> None:
    """Do the work, and drop it when the client goes away."""
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


async def refuse(refusal: RefusalError, send: Send) -> None:
    """Send a refusal as an answer."""
    headers = [(b"content-type", b"application/json")]
    if refusal.retry_after is not None:
        headers.append((b"retry-after", str(refusal.retry_after).encode()))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.record()).encode()})


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, message, and what the message carries."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; of an error it tells the kind and the place, not the message, which may quote a text."""
        entry: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        entry |= getattr(record, "record", {})
        if record.exc_info and record.exc_info[0]:
            entry["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            entry["trace"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]]
        return json.dumps(entry, ensure_ascii=True, default=str)
