"""The app: its paths, and the start and end of its workers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

from fastapi import Body, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from monge.environment import Environment
from monge.errors import MongeError
from monge.metrics.protocols import Encoding
from monge.service import handlers, messages
from monge.service.admission import Admission, HostCheck
from monge.service.catalogue import answer_metrics
from monge.service.complaints import describe_complaint, name_field
from monge.service.counters import RequestCounters
from monge.service.middleware import RequestRecorder
from monge.service.pool import MetricPool
from monge.service.progress import LINES, Steps, narrate
from monge.service.settings import RefusalError, ServiceSettings, overloaded
from monge.service.static import PAGE_FILES, read_page_file
from monge.service.worker import Outcome, Planned, Task, TaskResult, Worker
from monge.version import __version__

COMPARISONS = 4  # reports made at the same time
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": messages.Refused, "description": text}
    for status, text in (
        (401, "no token, or a wrong one"), (413, "larger than this service allows"), (415, "not JSON"),
        (421, "unknown host name"), (422, "cannot be used; the field is named"), (429, "too many requests at once"),
        (503, "busy or too slow; try again"),
    )
}  # fmt: skip

Made = TypeVar("Made")


class Service:
    """A pool of metrics, workers and counters, shared by all paths.

    Lexical metrics have a worker of their own: they are pure Python, and one long text can take them seconds.
    """

    def __init__(self, settings: ServiceSettings, environment: Environment) -> None:
        self.settings = settings
        self.pool = MetricPool(settings, environment)
        self.workers = {"words": Worker(settings.waiting), "vectors": Worker(settings.waiting)}
        self.counters = RequestCounters(self._read_gauges)
        self._reports: ThreadPoolExecutor | None = None
        self._under_way = 0

    def open(self) -> None:
        """Start the workers."""
        for worker in self.workers.values():
            worker.start()
        self._reports = ThreadPoolExecutor(1, thread_name_prefix="monge-report")

    async def run(self, plan: Callable[[], Sequence[Planned]], steps: Steps | None = None) -> list[Outcome]:
        """Plan tasks off the event loop, have the workers do them, and wait no longer than allowed.

        A task that fails, or is not done in time, has its error as outcome: the others keep their results. *steps* is
        given the tasks, so that it can report how far they are.
        """
        planned = await asyncio.to_thread(plan)
        if steps is not None:
            steps.tasks = planned
        waiting: dict[int, asyncio.Future[TaskResult]] = {}
        try:
            for place, task in enumerate(planned):
                if isinstance(task, Task):
                    future = self._worker_of(task).submit(task, self.settings.seconds)
                    waiting[place] = asyncio.wrap_future(future)
            if waiting:
                await asyncio.wait(waiting.values(), timeout=self.settings.seconds)
            return [
                self._outcome(waiting[place]) if isinstance(task, Task) else task for place, task in enumerate(planned)
            ]
        finally:
            for waiter in waiting.values():
                waiter.cancel()

    def _outcome(self, waiter: asyncio.Future[TaskResult]) -> Outcome:
        if not waiter.done():
            return overloaded(f"not done within {self.settings.seconds:g} seconds; send less at once")
        error = waiter.exception()
        return error if isinstance(error, Exception) else waiter.result()

    def _read_gauges(self) -> dict[str, float]:
        workers = self.workers.values()
        return {
            "monge_waiting": sum(worker.depth for worker in workers),
            "monge_segments_total": sum(worker.segments for worker in workers),
            "monge_rounds_total": sum(worker.rounds for worker in workers),
        }

    def _worker_of(self, task: Task) -> Worker:
        return self.workers["vectors" if isinstance(task.metric, Encoding) else "words"]

    async def report(self, make: Callable[[Callable[[str], None]], Made], steps: Steps | None = None) -> Made:
        """Make a report in a thread of its own, a few at a time; *make* calls its argument before each step."""
        if self._under_way >= COMPARISONS:
            raise overloaded(f"{COMPARISONS} comparisons are running already; try again in a moment")
        seconds = self.settings.seconds
        end = time.monotonic() + seconds

        def report_step(what: str) -> None:
            if steps is not None:
                steps.step = what
            if time.monotonic() > end:
                raise overloaded(f"the report was not done within {seconds:g} seconds; send less at once")

        self._under_way += 1
        report = asyncio.get_running_loop().run_in_executor(self._reports, make, report_step)
        report.add_done_callback(self._end_report)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(report)
        except TimeoutError:
            raise overloaded(f"the report was not done within {seconds:g} seconds; send less at once") from None

    def _end_report(self, report: asyncio.Future[Any]) -> None:
        self._under_way -= 1
        if not report.cancelled():
            report.exception()  # if the client has left, nobody else reads it, and asyncio would complain

    def close(self) -> None:
        """Finish the tasks that are running, and stop."""
        for worker in self.workers.values():
            worker.stop()
        if self._reports is not None:
            self._reports.shutdown(wait=False, cancel_futures=True)


def create_app(settings: ServiceSettings | None = None, *, environment: Environment | None = None) -> FastAPI:
    """Return the ASGI app; its pool, workers and counters are ``app.state.service``."""
    around = environment or Environment.read()
    service = Service(settings or ServiceSettings(token=around.token), around)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.open()
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="monge",
        version=__version__,
        summary="Scores of generated text by optimal transport, with explanations.",
        docs_url=None,  # FastAPI's page loads scripts from elsewhere; ours is among PAGE_FILES
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    _add_api(app, service)
    _add_pages(app, service)
    _add_failures(app)
    paths = frozenset(getattr(route, "path", "") for route in app.routes)
    app.add_middleware(Admission, settings=service.settings)  # the last one added is the first to see a request
    app.add_middleware(HostCheck, hosts=service.settings.hosts)
    app.add_middleware(RequestRecorder, counters=service.counters, paths=paths)
    return app


def _add_api(app: FastAPI, service: Service) -> None:
    pool, settings = service.pool, service.settings

    @app.post("/api/score", responses=REFUSALS, summary="Score segments with one or several metrics")
    async def score(request: Annotated[messages.ScoreBody, Body()]) -> messages.ScoreAnswer:
        outcomes = await service.run(lambda: handlers.plan_score(request, pool, settings))
        return await asyncio.to_thread(handlers.answer_score, request, outcomes)  # NIST counts the whole set again

    @app.post("/api/explain", responses=REFUSALS, summary="Explain the score of one segment")
    async def explain(request: Annotated[messages.ExplainBody, Body()]) -> messages.ExplainAnswer:
        outcomes = await service.run(lambda: handlers.plan_explain(request, pool, settings))
        return await asyncio.to_thread(handlers.answer_explain, request, outcomes)

    @app.post(
        "/api/compare",
        responses=REFUSALS,
        response_model=messages.CompareAnswer,
        summary="Compare systems, and test which is better",
        description=f"With `Accept: {LINES}` the answer comes as lines of JSON: progress, then answer or error.",
    )
    async def compare(request: Annotated[messages.CompareBody, Body()], raw: Request) -> Any:
        async def work(steps: Steps) -> messages.CompareAnswer:
            outcomes = await service.run(lambda: handlers.plan_compare(request, pool, settings), steps)
            return await service.report(
                lambda report_step: handlers.answer_compare(request, outcomes, report_step=report_step), steps
            )

        if LINES in raw.headers.get("accept", ""):
            return StreamingResponse(narrate(work), media_type=LINES)
        return await work(Steps())

    listed: dict[int | str, dict[str, Any]] = {status: REFUSALS[status] for status in (401, 421, 429)}

    @app.get("/api/metrics", responses=listed, summary="The metrics, encoders and limits of this service")
    def metrics() -> messages.MetricsAnswer:
        return answer_metrics(pool, settings)


def _add_pages(app: FastAPI, service: Service) -> None:
    @app.get(
        "/healthz", responses={421: REFUSALS[421], 503: {"model": messages.Health}}, summary="Whether the service works"
    )
    def health(response: Response) -> messages.Health:
        alive = all(worker.alive for worker in service.workers.values())
        waiting = sum(worker.depth for worker in service.workers.values())
        response.status_code = 200 if alive else 503
        return messages.Health(status="ok" if alive else "stopping", version=__version__, waiting=waiting)

    @app.get(
        "/metrics", response_class=PlainTextResponse, responses={421: REFUSALS[421]}, summary="Counters, for Prometheus"
    )
    def counters() -> Response:
        return Response(service.counters.render(), media_type=CONTENT_TYPE_LATEST)

    def serve(path: str) -> Callable[[], Awaitable[Response]]:
        async def page() -> Response:
            content, kind = read_page_file(path)
            return Response(content, media_type=kind)

        return page

    for path in PAGE_FILES:
        app.add_api_route(path, serve(path), methods=["GET"], include_in_schema=False)


def _add_failures(app: FastAPI) -> None:
    @app.exception_handler(RefusalError)
    async def refused(_: Request, error: RefusalError) -> JSONResponse:
        headers = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
        return JSONResponse(error.record(), error.status, headers)

    @app.exception_handler(MongeError)
    async def misused(_: Request, error: MongeError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 422)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        field = "" if first["type"] == "json_invalid" else name_field(first["loc"])
        return JSONResponse({"error": describe_complaint(first)} | ({"field": field} if field else {}), 422)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> JSONResponse:
        status = 422 if error.status_code == 400 else error.status_code  # 400: a body that could not be parsed
        return JSONResponse({"error": str(error.detail)}, status, error.headers)
