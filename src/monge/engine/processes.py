"""A pool of processes on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Client, Connection, Listener, wait
from typing import Any

from monge.encoders.batching import available_cores
from monge.engine.pooled import Call, WorkerDied
from monge.errors import MongeError

ATTEMPTS = 3  # before a call counts as one that ends its worker
_SECONDS = 60.0  # for a worker to start


@dataclass(eq=False)
class _Worker:
    """A process, the connection to it, and the call it is at."""

    process: subprocess.Popen[bytes]
    connection: Connection[Any, Any]
    call: Call | None = None
    attempts: int = 0

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


class ProcessPool:
    """*workers* processes (default: one per core) that share the cores; one that dies is replaced.

    A call is tried three times before it is said to have ended its worker.
    """

    local = True

    def __init__(self, workers: int | None = None) -> None:
        cores = available_cores()
        self._count = workers or cores
        self._threads = max(1, cores // self._count)
        self._workers: list[_Worker] = []
        self._queue: deque[tuple[Call, int]] = deque()
        self._key = os.urandom(32)
        self._listener = Listener(None, authkey=self._key)

    def capacity(self) -> int:
        return self._count

    def submit(self, call: Call) -> None:
        self._queue.append((call, 1))

    def take(self) -> tuple[Call, Any]:
        while True:
            self._hand_out()
            busy = {worker.connection: worker for worker in self._workers if worker.call is not None}
            for ready in wait(list(busy)):
                worker = busy[ready]  # type: ignore[index]
                call = worker.call
                assert call is not None
                try:
                    outcome = worker.connection.recv()
                except (EOFError, OSError):
                    self._workers.remove(worker)
                    worker.end()
                    if worker.attempts < ATTEMPTS:
                        self._queue.appendleft((call, worker.attempts + 1))
                        continue
                    return call, WorkerDied()
                worker.call = None
                if isinstance(outcome, BaseException):
                    raise outcome
                return call, outcome

    def drop(self) -> None:
        self._queue.clear()
        for worker in [worker for worker in self._workers if worker.call is not None]:
            self._workers.remove(worker)
            worker.end()

    def close(self) -> None:
        self.drop()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._listener.close()

    def _hand_out(self) -> None:
        while self._queue:
            idle = next((worker for worker in self._workers if worker.call is None), None)
            if idle is None:
                if len(self._workers) >= self._count:
                    return
                idle = self._start()
            idle.call, idle.attempts = self._queue.popleft()
            try:
                idle.connection.send((idle.call.function, idle.call.recipes, idle.call.portion, idle.call.journal))
            except OSError:  # it died while it was idle
                self._queue.appendleft((idle.call, idle.attempts))
                self._workers.remove(idle)
                idle.end()

    def _start(self) -> _Worker:
        code = f"from monge.engine.processes import serve; serve({self._listener.address!r})"
        environment = {**os.environ, "OMP_NUM_THREADS": str(self._threads), "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
        )
        assert process.stdin is not None
        process.stdin.write(self._key)
        process.stdin.close()
        worker = _Worker(process, self._listener.accept())
        self._workers.append(worker)
        return worker


def serve(address: Any) -> None:
    """Answer calls until the other side is gone: what a worker process runs."""
    connection = Client(address, authkey=sys.stdin.buffer.read())
    while True:
        try:
            function, recipes, portion, journal = connection.recv()
        except (EOFError, OSError):
            return
        try:
            outcome = function(recipes, portion, journal)
        except MongeError as error:
            outcome = error
        except Exception as error:  # not every exception can be pickled
            outcome = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            connection.send(outcome)
        except OSError:
            return
