"""Around every request: security headers, an answer whatever happens, a count and a line in the log."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monge.service.counters import RequestCounters
from monge.service.log import log
from monge.service.settings import RefusalError, overloaded

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


@dataclass
class _Exchange:
    """What is recorded of a request and its answer; status 0 means that nothing was answered."""

    status: int = 0
    body_bytes: int = 0


class RequestRecorder:
    """ASGI middleware; *paths* are the paths of the app, the only ones that logs and counters name."""

    def __init__(self, app: ASGIApp, *, counters: RequestCounters, paths: frozenset[str]) -> None:
        self._app = app
        self._counters = counters
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request, and record it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        exchange = _Exchange()

        async def count_received() -> Message:
            message = await receive()
            exchange.body_bytes += len(message.get("body", b""))
            return message

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        try:
            await self._serve(scope, count_received, send_guarded, exchange)
        finally:
            self._record(scope, exchange, time.perf_counter() - started)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, exchange: _Exchange) -> None:
        """Turn what is raised into an answer."""
        try:
            await self._app(scope, receive, send)
        except RefusalError as refusal:
            await refuse(refusal, send)
        except asyncio.CancelledError:  # the server stops and has waited long enough
            if not exchange.status:
                await refuse(overloaded("the service is shutting down"), send)
            raise
        except Exception as error:
            log.error("failed", exc_info=error)
            if exchange.status:
                raise  # an answer has begun: only a broken connection can show that it is incomplete
            await refuse(RefusalError(500, "the service failed on this request; see its log"), send)

    def _record(self, scope: Scope, exchange: _Exchange, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else "other"
        self._counters.add(path, exchange.status, seconds)
        fields = {
            "method": scope["method"],
            "path": path,
            "status": exchange.status,
            "ms": round(seconds * 1000, 1),
            "bytes": exchange.body_bytes,
        }
        log.info("request", extra={"record": fields})


async def refuse(refusal: RefusalError, send: Send) -> None:
    """Send a refusal as an answer."""
    headers = [(b"content-type", b"application/json")]
    if refusal.retry_after is not None:
        headers.append((b"retry-after", str(refusal.retry_after).encode()))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.record()).encode()})
