"""The log of the service: one JSON object per line, with method, path, status, sizes and times, and never a text."""

from __future__ import annotations

import json
import logging
import time
import traceback
from typing import Any

log = logging.getLogger("monge.service")


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, message, and the fields that the message carries as ``record``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; of an error it holds the type and the place, not the message, which may quote a text."""
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
