"""What the columns of tables and the fields of JSON objects are usually called, whatever their case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ID_NAMES = (
    "id", "segment", "segment_id", "seg_id", "sid", "item", "instance", "instance_id", "question_id", "example_id",
)  # fmt: skip
SYSTEM_NAMES = ("system", "model", "system_id", "model_id", "model_name", "system_name")
DOCUMENT_NAMES = ("document", "doc", "doc_id", "document_id")
PART_NAMES = ("part", "lp")
HYPOTHESIS_NAMES = (
    "hypothesis", "hyp", "output", "system_output", "summary", "translation", "candidate", "prediction", "mt",
    "decoded", "generated", "generation", "response", "answer",
)  # fmt: skip
REFERENCE_NAMES = ("reference", "references", "ref", "refs", "target", "targets", "gold")
SOURCE_NAMES = ("source", "src", "input", "article", "original", "prompt", "question", "text")

# role of a text or name in a segment → its usual names, the most specific first
TEXT_ROLES: Mapping[str, tuple[str, ...]] = {
    "hypothesis": HYPOTHESIS_NAMES,
    "reference": REFERENCE_NAMES,
    "source": SOURCE_NAMES,
    "id": ID_NAMES,
    "system": SYSTEM_NAMES,
    "document": DOCUMENT_NAMES,
}


def find_columns(names: Iterable[str], roles: Mapping[str, tuple[str, ...]] = TEXT_ROLES) -> dict[str, str]:
    """Return the column that plays each role; a role that no column plays is left out.

    >>> find_columns(["Seg_ID", "prediction", "target"])
    {'hypothesis': 'prediction', 'reference': 'target', 'id': 'Seg_ID'}
    """
    lowered: dict[str, str] = {}
    for name in names:
        lowered.setdefault(name.strip().lower(), name)
    found = {role: next((lowered[name] for name in usual if name in lowered), None) for role, usual in roles.items()}
    return {role: name for role, name in found.items() if name is not None}
