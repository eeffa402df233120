"""The language of the sources, and the dictionary that reads them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

from monge.crosslingual.catalog import known_languages, load_dictionary
from monge.crosslingual.glosses import Glosser
from monge.environment import Environment
from monge.errors import InputError, UnboundMetricError
from monge.metrics.base import MetricBase
from monge.text import Segment, guess_language, language_name, parse_language

_SAMPLE = 200  # sources that are looked at


@dataclass(frozen=True, eq=False)
class SourceReader:
    """How sources become glosses: the language they are in (empty: guessed from them) and the user's dictionaries."""

    language: str
    files: str
    environment: Environment
    glosser: Glosser | None = None
    guessed: bool = False

    @classmethod
    def make(cls, language: str, files: str, environment: Environment | None) -> SourceReader:
        """Check the language and, where it is given, load its dictionary."""
        code = parse_language(language) if language else ""
        reader = cls(code, files, Environment.read() if environment is None else environment)
        return reader.load(code) if code else reader

    def load(self, language: str) -> SourceReader:
        """Return the reader with the dictionary of *language*."""
        dictionary = load_dictionary(language, self.files, self.environment)
        return dataclasses.replace(self, language=language, glosser=Glosser(language, dictionary))

    def bind(self, sources: Iterable[str]) -> SourceReader:
        """Return the reader for the language that *sources* are in; raises InputError if it is not recognised."""
        if self.glosser:
            return self
        loaded = self.load(guess_source_language(sources, self.environment))
        return dataclasses.replace(loaded, guessed=True)

    def require(self, name: str) -> Glosser:
        """Return the glosser; raises UnboundMetricError where the language is not known yet."""
        if self.glosser is None:
            raise UnboundMetricError(
                f"{name} must know the language of the sources: give source_language=CODE, or call bind(segments)"
            )
        return self.glosser

    @property
    def fields(self) -> dict[str, str]:
        """What a signature says of it."""
        if self.glosser is None:
            return {"source_language": "guessed", "dictionary": self.files or "known"}
        dictionary = self.glosser.dictionary
        return {"source_language": self.language, "dictionary": f"{dictionary.name}@{dictionary.digest[:8]}"}


def guess_source_language(sources: Iterable[str], environment: Environment) -> str:
    """Return the code of the language that *sources* are in, one with a dictionary where several are possible.

    Raises InputError when they are too short or look English.
    """
    guess = guess_language(islice(sources, _SAMPLE))
    if guess is None:
        known = ", ".join(known_languages(environment))
        raise InputError(
            f"the language of the sources is not recognised: give source_language=CODE (with a dictionary: {known})"
        )
    first = guess.languages[0]
    if first == "en":
        raise InputError(
            "the sources look English: were source and translation exchanged? (source_language=CODE overrides)"
        )
    if not guess.script:
        return first
    known_codes = known_languages(environment)
    return next((code for code in guess.languages if code in known_codes), first)


class GlossingMetric(MetricBase):
    """A metric that reads the source through a dictionary; ``bind`` finds out which language it is in."""

    source: SourceReader

    @property
    def bound(self) -> bool:
        return self.source.glosser is not None

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with the dictionary of the language of the sources."""
        bound = self.source.bind(segment.source for segment in corpus if segment.source)
        return dataclasses.replace(self, source=bound)  # type: ignore[type-var]

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with one dictionary for all systems."""
        return self.bind(corpus)

    @property
    def binding_notes(self) -> tuple[str, ...]:
        glosser = self.source.glosser
        if glosser is None or not self.source.guessed:
            return ()
        return (f"sources read as {language_name(glosser.language)}",)
