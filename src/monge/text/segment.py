"""The unit that is scored: a hypothesis with its references and source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from monge.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Segment:
    """A hypothesis, its references and source, and the system and document it belongs to.

    Raises InputError if a text is not a string.

    >>> Segment("The boy in a coat.", ("The young man in a slicker.",)).id
    ''
    """

    hypothesis: str
    references: tuple[str, ...] = ()
    source: str | None = None
    id: str = ""
    system: str = ""
    document: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.hypothesis, str):
            raise InputError(f"a hypothesis must be text, not {type(self.hypothesis).__name__}")
        if isinstance(self.references, str) or not isinstance(self.references, Iterable):
            kind = "one text" if isinstance(self.references, str) else type(self.references).__name__
            raise InputError(f"references must be a sequence of texts, not {kind}")
        object.__setattr__(self, "references", tuple(self.references))
        if not all(isinstance(reference, str) for reference in self.references):
            raise InputError("references must be texts")
        if not isinstance(self.source, str | None):
            raise InputError(f"a source must be text, not {type(self.source).__name__}")


def list_references(segment: Segment) -> tuple[str, ...]:
    """Return the references that have text: a blank one beside others stands for none; all if every one is blank.

    >>> list_references(Segment("a", ("x", "")))
    ('x',)
    """
    return tuple(filter(str.strip, segment.references)) or segment.references


def make_segments(
    hypotheses: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    sources: Sequence[str] | None = None,
    *,
    system: str = "",
) -> list[Segment]:
    """Return one segment per hypothesis, with its references (one text or several) and source.

    Ids are numbers from 1. Raises InputError if the lengths differ or something is not a sequence of texts.

    >>> [s.references for s in make_segments(["a", "b"], ["x", ["y", "z"]])]
    [('x',), ('y', 'z')]
    """
    hypotheses = _as_list(hypotheses, "hypotheses")
    references = None if references is None else _as_list(references, "references")
    sources = None if sources is None else _as_list(sources, "sources")
    for name, other in (("references", references), ("sources", sources)):
        if other is not None and len(other) != len(hypotheses):
            raise InputError(f"{len(hypotheses)} hypotheses but {len(other)} {name}")
    return [
        Segment(
            hypothesis,
            () if references is None else _as_tuple(references[i], i),
            None if sources is None else sources[i],
            id=str(i + 1),
            system=system,
        )
        for i, hypothesis in enumerate(hypotheses)
    ]


def _as_tuple(reference: str | Sequence[str], place: int) -> tuple[str, ...]:
    return (reference,) if isinstance(reference, str) else tuple(_as_list(reference, f"references of text {place + 1}"))


def _as_list(texts: Iterable[T], name: str) -> list[T]:
    """Return any ordered iterable as a list; raises InputError for one text, a mapping or a set."""
    if isinstance(texts, str | bytes | Mapping | Set) or not isinstance(texts, Iterable):
        raise InputError(f"{name} must be a sequence of texts, not {type(texts).__name__}")
    return list(texts)
