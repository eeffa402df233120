"""Segments seen through something: what a read-only sequence needs, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from monge.text import Segment


class SegmentView(Sequence[Segment]):
    """The segments of another sequence; a subclass looks on as they are read.

    >>> view = SegmentView([Segment("a", ("b",)), Segment("c", ("d",))])
    >>> len(view), [segment.hypothesis for segment in view[1:]]
    (2, ['c'])
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments

    def __len__(self) -> int:
        return len(self._segments)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | Sequence[Segment]:
        self._look()
        return self._segments[index]

    def _look(self) -> None:
        """Called before every read."""
