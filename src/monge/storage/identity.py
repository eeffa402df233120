"""Whose results may be stored: what states everything that can change them."""

from __future__ import annotations


def stated_identity(thing: object) -> str | None:
    """Return the ``identity`` that the class of *thing* states itself, or None.

    A class of another package that only inherits an identity from one of ours may compute something else, so its
    results are not stored.
    """
    kind = type(thing)
    if not kind.__module__.startswith("monge.") and "identity" not in vars(kind):
        return None
    found = getattr(thing, "identity", None)
    return found if isinstance(found, str) else None
