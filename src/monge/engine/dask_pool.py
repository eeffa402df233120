"""A pool of Dask workers: a cluster of one's own on this machine, or that of a scheduler."""

from __future__ import annotations

import hashlib
import importlib
import logging
import queue
import sys
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

from monge.encoders.batching import available_cores
from monge.engine.journal import Journal
from monge.engine.pooled import Call, Task, WorkerDied
from monge.engine.recipes import check_versions, describe_versions
from monge.engine.tasks import Portion
from monge.errors import MongeError, OptionError

PATIENCE = 300.0  # seconds to wait for a scheduler that is gone
FIRST_PATIENCE = 30.0  # for the first connection
_LOOK = 2.0  # seconds between looks at the number of workers
_AHEAD = 2  # calls per thread, so that no worker waits for its next one


def keep_bytes(content: bytes) -> bytes:
    """Return *content*: a recipe as a task of its own is sent to each worker once, and made again if it is lost."""
    return content


def run_call(function: Task, portion: Portion, journal: Journal, *recipes: bytes) -> Any:
    """Run a call in a worker; an error of monge is returned, because Dask would print it as a fault of the worker."""
    try:
        return function(recipes, portion, journal)
    except MongeError as error:
        return error


class DaskPool:
    """Workers of the Dask cluster at the address *scheduler*, or *workers* processes on this machine.

    Keys of tasks are digests of what they compute: two clients with the same job share its tasks. Tasks of a worker
    that dies run elsewhere. When the scheduler is gone, the pool waits for it to come back and submits again what was
    under way. All workers must have the versions of this process.
    """

    def __init__(self, scheduler: str | None, workers: int | None) -> None:
        try:
            self._distributed = importlib.import_module("distributed")
        except ImportError as error:
            raise OptionError("--executor dask needs Dask: pip install 'monge[dask]'") from error
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what users must know, monge says itself
        self.local = scheduler is None
        self._cluster: Any = None
        if scheduler is None:
            self._cluster = self._distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None, silence_logs=50
            )
        self._address = scheduler or self._cluster.scheduler_address
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._running: dict[str, tuple[Call, Any]] = {}
        self._recipes: dict[bytes, Any] = {}
        self._checked: set[str] = set()
        self._looked = (0.0, 0)
        self._client = self._connect(PATIENCE if self.local else FIRST_PATIENCE)

    def capacity(self) -> int:
        when, threads = self._looked
        if time.monotonic() - when > _LOOK:
            threads = self._look_at_workers()
        return max(2, _AHEAD * threads)

    def submit(self, call: Call) -> None:
        try:
            future = self._client.submit(
                run_call,
                call.function,
                call.portion,
                call.journal,
                *(self._send(recipe) for recipe in call.recipes),
                key=call.key,
                retries=0,
            )
        except (OSError, RuntimeError, TimeoutError):  # the connection is gone: take() makes a new one
            self._running[call.key] = (call, None)
            self._ended.put((call.key, None))
            return
        self._running[call.key] = (call, future)
        future.add_done_callback(lambda done: self._ended.put((done.key, done)))

    def take(self) -> tuple[Call, Any]:
        while True:
            key, future = self._ended.get()
            call, expected = self._running.get(key, (None, None))
            if call is None or expected is not future:
                continue  # of an earlier connection
            status = "lost" if future is None else future.status
            if status in ("cancelled", "lost"):
                self._recover()
                continue
            del self._running[key]
            return call, self._outcome(future)

    def drop(self) -> None:
        for _, future in self._running.values():
            if future is not None:
                future.release()
        self._running.clear()

    def close(self) -> None:
        self.drop()
        self._recipes.clear()
        self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=10)

    # -- inside --------------------------------------------------------------------------------------------------

    def _outcome(self, future: Any) -> Any:
        if future.status == "error":
            error = future.exception()
            if isinstance(error, self._distributed.KilledWorker):
                return WorkerDied()
            raise error
        outcome = future.result()
        if isinstance(outcome, MongeError):
            raise outcome
        return outcome

    def _send(self, recipe: bytes) -> Any:
        if recipe not in self._recipes:
            key = f"monge-recipe-{hashlib.sha256(recipe).hexdigest()}"
            self._recipes[recipe] = self._client.submit(keep_bytes, recipe, key=key)
        return self._recipes[recipe]

    def _connect(self, seconds: float) -> Any:
        """Connect to the scheduler, wait for a worker, and compare versions."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                client = self._distributed.Client(self._address, timeout=5, set_as_default=False)
                client.wait_for_workers(1, timeout=max(1.0, deadline - time.monotonic()))
                break
            except (OSError, TimeoutError, ValueError, RuntimeError) as error:
                if isinstance(error, ValueError) or time.monotonic() > deadline:
                    raise OptionError(f"no Dask workers at {self._address}: {error}") from error
                time.sleep(0.5)
        self._client = client
        self._look_at_workers()
        return client

    def _look_at_workers(self) -> int:
        """Return the number of threads of all workers; versions of new workers are compared with ours."""
        try:
            threads = self._client.nthreads()
            fresh = [worker for worker in threads if worker not in self._checked]
            if fresh:
                self._check(fresh)
        except (OSError, RuntimeError, TimeoutError, CancelledError):  # the scheduler is gone: take() notices
            threads = {}
        self._looked = (time.monotonic(), sum(threads.values()))
        return self._looked[1]

    def _check(self, workers: Sequence[str]) -> None:
        answers = self._client.run(describe_versions, workers=list(workers), on_error="return")
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # it is gone already
            if isinstance(answer, Exception):
                raise OptionError(f"the Dask worker {worker} cannot run monge: {type(answer).__name__}: {answer}")
            check_versions(describe_versions(), answer, f"the Dask worker {worker}")
            self._checked.add(worker)

    def _recover(self) -> None:
        """Connect again and submit again what was under way."""
        print(f"monge: the Dask scheduler at {self._address} is gone; waiting for it", file=sys.stderr)
        calls = [call for call, _ in self._running.values()]
        self._running.clear()
        self._recipes.clear()
        self._checked.clear()
        self._client.close(timeout=1)
        self._connect(PATIENCE)
        for call in calls:
            self.submit(call)
