"""Word-by-word translation: what each word of a text may mean, from a dictionary."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from monge.crosslingual.dictionaries import BilingualDictionary
from monge.errors import ModelError
from monge.text import word_spans

ALGORITHM = 1  # raise it when a word is found otherwise
_SHORTEST_PART = 4  # letters of a part of a compound
_SHORTEST_STEM = 4
_LONGEST_ENDING = 6
_LINKS = ("", "s", "es", "n", "en")  # between the parts of a Germanic compound
_OTHER_SCRIPTS = frozenset({"ar", "bg", "el", "fa", "he", "hi", "hy", "ja", "ka", "ko", "mk", "ru", "th", "uk", "zh"})
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "nb", "nn", "is", "fi", "et", "hu"})

_CYRILLIC = dict(
    zip(
        "абвгдезийклмнопрстуфыэёіїєґў",
        "a b v g d e z i y k l m n o p r s t u f y e yo i yi ye g u".split(),  # noqa: SIM905
        strict=True,
    )
)
_CYRILLIC |= {
    "ж": "zh",
    "х": "kh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "shch",
    "ю": "yu",
    "я": "ya",
    "ъ": "",
    "ь": "",
}


@dataclass(frozen=True)
class GlossedWord:
    """A word at characters ``start:end`` and its possible translations; none: the word is not in the dictionary.

    ``how`` says how they were found: ``form`` (as it is spelt), ``lemma``, ``stem`` (without an ending), ``parts`` (of
    a compound), ``same`` (numbers, marks, and names that are kept).
    """

    text: str
    start: int
    end: int
    glosses: tuple[str, ...]
    how: str

    @property
    def known(self) -> bool:
        """Whether the dictionary has it, or it needs no translation."""
        return bool(self.glosses)


class Glosser:
    """Looks up the words of texts in *language*.

    A word is tried as it is spelt, then as its lemma (simplemma), then as the parts of a compound, then without an
    ending of at most six letters. Numbers, marks and symbols stand for themselves. A capitalised word that is not
    found is taken for a name: it stands for itself, in Latin letters. Chinese is cut into words by jieba.
    """

    def __init__(self, language: str, dictionary: BilingualDictionary) -> None:
        self.language = language
        self.dictionary = dictionary
        self._lemmatise = _lemmatiser(language)
        self._split = _segment_chinese if language == "zh" else word_spans
        self._find = lru_cache(maxsize=100_000)(self._look_up)

    def __reduce__(self) -> tuple[Any, ...]:
        return Glosser, (self.language, self.dictionary)

    @property
    def identity(self) -> str:
        """Everything that can change a gloss."""
        tools = ",".join(_versions(("simplemma", *(("jieba",) if self.language == "zh" else ()))))
        return f"glosses={ALGORITHM} {tools} language={self.language} dictionary={self.dictionary.digest}"

    def gloss(self, text: str) -> list[GlossedWord]:
        """Return the words of *text* with their glosses, in order."""
        words = []
        for start, end in self._split(text):
            form = text[start:end]
            glosses, how = self._find(form)
            words.append(GlossedWord(form, start, end, glosses, how))
        return words

    def _look_up(self, form: str) -> tuple[tuple[str, ...], str]:
        if not any(char.isalpha() for char in form):
            return (form,), "same"
        tries: tuple[tuple[str, Callable[[str], tuple[str, ...]]], ...] = (
            ("form", lambda word: self.dictionary.look_up(word.lower())),
            ("lemma", lambda word: self.dictionary.look_up(self._lemmatise(word).lower())),
            ("parts", self._look_up_parts),
            ("stem", self._look_up_stem),
        )
        for how, find in tries:
            glosses = find(form)
            if glosses:
                return glosses, how
        if form[0].isupper() or (form.isascii() and self.language in _OTHER_SCRIPTS):
            return (romanise(form),), "same"
        return (), ""

    def _look_up_parts(self, word: str) -> tuple[str, ...]:
        """Return first glosses of the two parts of a compound (the last part as long as possible), as alternatives."""
        if self.language == "zh":
            return tuple(dict.fromkeys(g for char in word for g in self.dictionary.look_up(char)[:2]))
        if self.language not in COMPOUNDING:
            return ()
        small = word.lower()
        for cut in range(_SHORTEST_PART, len(small) - _SHORTEST_PART + 1):
            last = self.dictionary.look_up(small[cut:]) or self.dictionary.look_up(self._lemmatise(small[cut:]).lower())
            first = next(filter(None, (self.dictionary.look_up(part) for part in _unlinked(small[:cut]))), ())
            if first and last:
                return tuple(dict.fromkeys((*first[:3], *last[:3])))
        return ()

    def _look_up_stem(self, word: str) -> tuple[str, ...]:
        small = word.lower()
        for length in range(len(small) - 1, max(_SHORTEST_STEM, len(small) - _LONGEST_ENDING) - 1, -1):
            glosses = self.dictionary.look_up(small[:length])
            if glosses:
                return glosses
        return ()


def _unlinked(part: str) -> Iterator[str]:
    for link in _LINKS:
        if part.endswith(link):
            yield part.removesuffix(link)


def romanise(word: str) -> str:
    """Return a Cyrillic word in Latin letters, roughly as names are written in English; others unchanged.

    >>> romanise("Путин"), romanise("Jürgen")
    ('Putin', 'Jürgen')
    """
    if not any("\u0400" <= char <= "\u04ff" for char in word):
        return word
    spelt = "".join(_CYRILLIC.get(char.lower(), char) for char in word)
    return spelt.capitalize() if word[0].isupper() else spelt


def strip_accents(word: str) -> str:
    """Return *word* in lower case without accents.

    >>> strip_accents("Škoda")
    'skoda'
    """
    plain = unicodedata.normalize("NFKD", word.lower())
    return "".join(char for char in plain if not unicodedata.combining(char))


def _lemmatiser(language: str) -> Callable[[str], str]:
    """Return what turns a word into its lemma; for languages that simplemma does not know, nothing changes."""
    simplemma: Any = _require("simplemma")
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if language not in SUPPORTED_LANGUAGES:
        return str
    return partial(simplemma.lemmatize, lang=language)


def _segment_chinese(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words that jieba finds, without blanks."""
    jieba: Any = _require("jieba")
    import logging

    jieba.setLogLevel(logging.WARNING)
    spans, place = [], 0
    for word in jieba.cut(text):
        if word.strip():
            spans.append((place, place + len(word)))
        place += len(word)
    return spans


def _require(package: str) -> Any:
    import importlib
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # jieba's source has invalid escapes
            return importlib.import_module(package)
    except ImportError:
        raise ModelError(
            f"dictionaries need {package}, which is not installed: pip install 'monge[dictionary]'"
        ) from None


def _versions(packages: tuple[str, ...]) -> list[str]:
    from importlib.metadata import version

    return [f"{package}={version(package)}" for package in packages]
