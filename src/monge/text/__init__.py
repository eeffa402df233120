"""Texts as they come: segments, test sets, readers and writers."""

from monge.text.segment import Segment, make_segments

__all__ = ["Segment", "make_segments"]
