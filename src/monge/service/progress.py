"""Answers that tell how far the work is: one JSON object per line, the last one the answer or the error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from monge.errors import MongeError
from monge.service.log import log
from monge.service.settings import RefusalError
from monge.service.worker import Planned, Task

LINES = "application/x-ndjson"
INTERVAL = 0.25  # seconds between lines


@dataclass
class Steps:
    """What is being done; tasks of the workers count their segments themselves."""

    step: str = "reading the request"
    tasks: Sequence[Planned] = ()

    def record(self) -> dict[str, object]:
        """Return the step, and the segments scored and in total."""
        tasks = [task for task in self.tasks if isinstance(task, Task)]
        done, total = sum(task.progress.done for task in tasks), sum(len(task.segments) for task in tasks)
        return {"step": "scoring" if done < total else self.step, "done": done, "total": total}


async def narrate(work: Callable[[Steps], Awaitable[BaseModel]]) -> AsyncIterator[str]:
    """Yield lines ``{"progress": …}`` while *work* is done, then ``{"answer": …}`` or ``{"error": …}``."""
    steps = Steps()
    doing = asyncio.ensure_future(work(steps))
    try:
        while True:
            await asyncio.wait({doing}, timeout=INTERVAL)
            if doing.done():
                break
            yield _line({"progress": steps.record()})
        yield f'{{"answer": {doing.result().model_dump_json()}}}\n'
    except RefusalError as refusal:
        yield _line(refusal.record() | {"status": refusal.status})
    except MongeError as error:
        yield _line({"error": str(error), "status": 422})
    except Exception as error:  # the headers are sent: only a line can say it
        log.error("failed", exc_info=error)
        yield _line({"error": "the service failed on this request; see its log", "status": 500})
    finally:
        doing.cancel()


def _line(record: dict[str, object]) -> str:
    return json.dumps(record) + "\n"
