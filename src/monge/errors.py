"""Errors that monge raises on purpose.

Every error a user can cause derives from :class:`MongeError`; the command line prints its one sentence and
exits with status 2. Anything else that escapes is a bug of monge.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MongeError(Exception):
    """Base of all errors caused by input, options or environment."""


class InputError(MongeError):
    """A file, line or text that cannot be used."""


class OptionError(MongeError):
    """An unknown name or a value outside its range."""


class ModelError(MongeError):
    """Weights or vectors that cannot be found, verified or loaded."""


class UnboundMetricError(MongeError):
    """A metric that needs corpus statistics was used before ``bind``."""


_SHORT = 4  # letters


def suggest(name: str, known: Iterable[str], *, cutoff: float | None = None) -> str:
    """Return `` (did you mean 'x'?)`` for the known name nearest to *name*, or an empty string.

    *cutoff* is the likeness that a name must have, from 0 to 1; by default more for short names.

    >>> suggest("moverscor", ["bleu", "moverscore"])
    " (did you mean 'moverscore'?)"
    """
    if cutoff is None:
        cutoff = 0.5 if len(name) > _SHORT else 0.6
    folded = {one.lower(): one for one in known}
    nearest = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=cutoff)
    return f" (did you mean '{folded[nearest[0]]}'?)" if nearest else ""
