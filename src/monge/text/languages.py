"""Codes of languages: what they mean, and which texts look like which language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from monge.errors import OptionError, suggest

# Written in small letters these are regions, although the second part is a language, too (Twi, Breton, Catalan …).
_REGIONAL = frozenset({"zh-tw", "pt-br", "fr-ca", "de-ch", "fr-ch", "it-ch", "fr-be", "nl-be"})


@dataclass(frozen=True)
class LanguageCodes:
    """Names of languages by code (ISO 639), other codes of the same languages, and codes of regions (ISO 3166)."""

    names: Mapping[str, str]
    aliases: Mapping[str, str]
    regions: frozenset[str]

    def find(self, code: str) -> str | None:
        """Return the usual code of a language (``deu`` → ``de``), or None if there is no such language."""
        known = self.aliases.get(code, code)
        return known if known in self.names else None


def parse_language(code: str) -> str:
    """Return the language that a code names: the target of a pair, without region and script.

    In small letters a second language makes a pair (``en-zh``); capitals make a region (``zh-TW``). Raises OptionError
    for anything that is not known.

    >>> [parse_language(code) for code in ("en", "zh-TW", "de_AT", "zh-Hant", "en-zh", "eng-deu", "pt-br")]
    ['en', 'zh', 'de', 'zh', 'zh', 'de', 'pt']
    """
    codes = language_codes()
    first, *rest = re.split("[-_]", code.strip())
    language = codes.find(first.lower())
    if language is None:
        raise OptionError(f"language={code!r}: must be a code such as en, zh or de-AT{_nearest(first.lower())}")
    for part in rest:
        target = codes.find(part.lower()) if _may_be_language(first, part) else None
        if target is not None and len(rest) == 1:
            return target
        if not _is_subtag(part):
            raise OptionError(f"language={code!r}: {part!r} is neither a language nor a region{_nearest(part.lower())}")
    return language


def language_name(code: str) -> str:
    """Return the English name of a language by its usual code.

    >>> language_name("de")
    'German'
    """
    return language_codes().names[code]


@cache
def language_codes() -> LanguageCodes:
    """Return the codes that come with monge."""
    content = json.loads(files("monge.text").joinpath("language_codes.json").read_text(encoding="utf-8"))
    names = {code: name for code, (name, *_) in content["languages"].items()}
    aliases = {other: code for code, (_, *others) in content["languages"].items() for other in others}
    return LanguageCodes(names, aliases, frozenset(content["regions"].split()))


def _may_be_language(first: str, part: str) -> bool:
    """Whether the second part of a code may be a language: it is written as the first, and no usual region."""
    return part.islower() == first.islower() and f"{first}-{part}".lower() not in _REGIONAL


def _is_subtag(part: str) -> bool:
    script = re.fullmatch("[A-Za-z]{4}", part)
    return bool(script) or part.upper() in language_codes().regions or bool(re.fullmatch(r"\d{3}", part))


def _nearest(text: str) -> str:
    codes = language_codes()
    by_name = {name.lower(): code for code, name in codes.names.items()}
    return f" (did you mean '{by_name[text]}'?)" if text in by_name else suggest(text, codes.names)
