"""Segments joined to documents."""

import pytest

from monge.errors import InputError
from monge.text import Segment, iter_documents


def test_segments_of_a_document_are_joined_in_order_wherever_they_stand() -> None:
    segments = [
        Segment("a", ("r", "s"), "x", id="1", system="A", document="d1"),
        Segment("b", ("t", "u"), "y", id="2", system="A", document="d2"),
        Segment("c", ("v", "w"), "z", id="3", system="A", document="d1"),
    ]
    first, second = iter_documents(segments)
    assert first == Segment("a\nc", ("r\nv", "s\nw"), "x\nz", id="d1", system="A", document="d1")
    assert second == Segment("b", ("t", "u"), "y", id="d2", system="A", document="d2")


def test_a_segment_without_a_document_is_one_by_itself() -> None:
    segments = [Segment("a", id="1"), Segment("b", id="2")]
    assert [document.id for document in iter_documents(segments)] == ["1", "2"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (Segment("b", ("r", "s"), id="2", document="d"), "segment '2' has 2 references, segment '1' has 1"),
        (Segment("b", ("r",), "x", id="2", document="d"), "some of its segments have a source"),
    ],
)
def test_segments_that_do_not_fit_are_refused(second: Segment, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(iter_documents([Segment("a", ("r",), id="1", document="d"), second]))
