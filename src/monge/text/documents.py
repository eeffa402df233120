"""Segments joined to documents, for metrics whose unit is a whole document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from monge.errors import InputError
from monge.text.segment import Segment
from monge.wording import count_noun


def group_documents(segments: Iterable[Segment]) -> list[list[int]]:
    """Return the numbers of the segments of each document, in order of first appearance.

    A segment without a document id forms a document by itself.

    >>> group_documents([Segment("a", document="x"), Segment("b"), Segment("c", document="x")])
    [[0, 2], [1]]
    """
    groups: dict[str | int, list[int]] = {}
    for number, segment in enumerate(segments):
        groups.setdefault(segment.document or number, []).append(number)
    return list(groups.values())


def iter_documents(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Yield every document as one segment, whose texts are those of its segments joined by line breaks.

    Its id is that of the document. Raises InputError if the segments of a document differ in their number of
    references, or if only some have a source.

    >>> [d.hypothesis for d in iter_documents([Segment("a", document="x"), Segment("b", document="x")])]
    ['a\\nb']
    """
    for numbers in group_documents(segments):
        yield _join([segments[number] for number in numbers])


def _join(parts: Sequence[Segment]) -> Segment:
    first = parts[0]
    if len(parts) == 1:
        return Segment(*_texts(first), id=first.document or first.id, system=first.system, document=first.document)
    for part in parts:
        if len(part.references) != len(first.references):
            raise InputError(
                f"document {first.document!r}: segment {part.id!r} has "
                f"{count_noun(len(part.references), 'reference')}, "
                f"segment {first.id!r} has {len(first.references)}"
            )
        if (part.source is None) != (first.source is None):
            raise InputError(f"document {first.document!r}: some of its segments have a source and some have none")
    return Segment(
        "\n".join(part.hypothesis for part in parts),
        tuple("\n".join(lines) for lines in zip(*(part.references for part in parts), strict=True)),
        None if first.source is None else "\n".join(part.source or "" for part in parts),
        id=first.document,
        system=first.system,
        document=first.document,
    )


def _texts(segment: Segment) -> tuple[str, tuple[str, ...], str | None]:
    return segment.hypothesis, segment.references, segment.source
