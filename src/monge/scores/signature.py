"""Everything that can change a score, in one line: ``key:value|key:value``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_COST = (r"\*.*", "*typical")
# what a metric takes from the texts, and what replaces it in a recipe
_BOUND = {"weighting": (r"=[^)]*", ""), "lambda_c": _COST, "lambda_r": _COST}
_ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A", "\n": "%0A"}


@dataclass(frozen=True)
class Signature:
    """An ordered mapping of settings with sacrebleu's notation.

    >>> str(Signature({"metric": "bleu", "version": "0.1.0"}))
    'metric:bleu|version:0.1.0'
    """

    fields: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return "|".join(f"{key}:{_escape(str(value))}" for key, value in self.fields.items())

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __getitem__(self, key: str) -> str:
        return self.fields[key]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature from its line; values stay escaped.

        >>> Signature.parse("metric:bleu|version:0.1.0")["version"]
        '0.1.0'
        """
        pairs = (field.partition(":") for field in text.split("|"))
        return cls({key: value for key, _, value in pairs})

    def recipe(self) -> Signature:
        """Return the signature without what comes from the texts at hand: idf, the typical cost, number of references.

        Members of an ensemble (keys such as ``1.weighting``) are treated in the same way.

        >>> str(Signature({"metric": "yisi1", "weighting": "idf(references=a2f4)"}).recipe())
        'metric:yisi1|weighting:idf(references)'
        """
        fields = {key: value for key, value in self.fields.items() if key != "nrefs"}
        return Signature({key: _unbind(key.rpartition(".")[2], value) for key, value in fields.items()})

    def differences(self, other: Signature) -> dict[str, tuple[str | None, str | None]]:
        """Return the keys on which two signatures differ, with both values.

        >>> Signature({"cost": "cosine"}).differences(Signature({"cost": "euclidean"}))
        {'cost': ('cosine', 'euclidean')}
        """
        keys = dict.fromkeys([*self.fields, *other.fields])
        pairs = {key: (self.fields.get(key), other.fields.get(key)) for key in keys}
        return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def _unbind(key: str, value: str) -> str:
    return re.sub(*_BOUND[key], value) if key in _BOUND else value


def _escape(value: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in value)
