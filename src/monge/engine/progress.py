"""Bars of progress on stderr, for work that takes its time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from monge.engine.spool import SegmentSpool
from monge.text import Segment


class WatchedSpool(SegmentSpool):
    """Segments that show progress while they are read one by one, if that takes more than two seconds."""

    def __init__(self, segments: SegmentSpool, name: str, show: bool | None) -> None:
        self.system = segments.system
        self.records = segments.records
        self._name = name
        self._show = show

    def __iter__(self) -> Iterator[Segment]:
        with show_progress(self._name, len(self), self._show, delay=2.0, leave=False) as bar:
            for segment in super().__iter__():
                yield segment
                bar.update()


def show_progress(
    name: str, total: int, show: bool | None, *, unit: str = " segments", delay: float = 0.0, leave: bool = True
) -> Any:
    """Return a progress bar on stderr with rate and time left; *show* None means: if stderr is a terminal."""
    from tqdm import tqdm

    hidden = not ((sys.stderr is not None and sys.stderr.isatty()) if show is None else show)
    return tqdm(total=total, desc=name, unit=unit, disable=hidden, file=sys.stderr, delay=delay, leave=leave)
