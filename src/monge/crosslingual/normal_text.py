"""Making texts of two languages more alike before they are encoded: contractions and word order (TEXT).

Zhao et al. (2021) replace contracted words by the words of their syntax (``zum`` → ``zu dem``), put adjectives before
nouns, and verbs before their objects. Contractions need a table alone; word order needs a parse in CoNLL-U.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from monge.errors import InputError, OptionError
from monge.wording import count_noun

NOUN_FIRST = frozenset({"fr", "it", "es", "pt"})  # noun before adjective: WALS 87A
OBJECT_FIRST = frozenset({"de", "nl", "hi", "ja", "ko", "tr"})  # object before verb, or no dominant order: WALS 83A
_WORD = re.compile(r"[^\W\d_]+['’]?")


def contraction_languages() -> tuple[str, ...]:
    """Return the languages that have a table of contractions."""
    return tuple(_tables())


def expand_contractions(text: str, language: str) -> str:
    """Return *text* with contracted words written in full; the case of a first letter is kept.

    Raises OptionError for a language without a table.

    >>> expand_contractions("Zum Haus gehen wir am Abend.", "de")
    'Zu dem Haus gehen wir an dem Abend.'
    >>> expand_contractions("Il parle du livre aux enfants.", "fr")
    'Il parle de le livre à les enfants.'
    """
    table = _tables().get(language)
    if table is None:
        known = ", ".join(_tables())
        raise OptionError(f"no table of contractions for {language!r}; there are {known}")
    return _WORD.sub(lambda match: _expand(match[0], table), text)


def _expand(word: str, table: Mapping[str, str]) -> str:
    plain = word.replace("’", "'")
    full = table.get(plain.lower())
    if full is None or (len(word) > 1 and word.isupper()):
        return word
    return full[0].upper() + full[1:] if word[0].isupper() else full


@dataclass(frozen=True)
class ParsedWord:
    """A word of a dependency parse: number, form, part of speech, number of its head (0: none) and its relation."""

    number: int
    form: str
    pos: str
    head: int
    relation: str
    spaced: bool = True  # whether a space follows


def read_conllu(lines: Iterable[str], *, name: str) -> Iterator[list[ParsedWord]]:
    """Yield the sentences of a CoNLL-U file; multi-word tokens (``1-2``) and empty nodes (``1.1``) are left out.

    The words of a multi-word token are its syntactic words, so contractions are expanded already. Raises InputError
    that names the line for anything else.
    """
    sentence: list[ParsedWord] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            if sentence:
                yield sentence
            sentence = []
        elif not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != 10:
                raise InputError(
                    f"{name}, line {number}: {count_noun(len(cells), 'column')} instead of the 10 of CoNLL-U"
                )
            if not cells[0].isdigit():
                continue
            if not cells[6].isdigit():
                raise InputError(f"{name}, line {number}: the head {cells[6]!r} is not a number")
            spaced = "SpaceAfter=No" not in cells[9]
            sentence.append(ParsedWord(int(cells[0]), cells[1], cells[3], int(cells[6]), cells[7], spaced))
    if sentence:
        yield sentence


def reorder_words(sentence: list[ParsedWord], language: str) -> list[ParsedWord]:
    """Return the words with adjectives before their nouns and verbs before their objects, as *language* needs it.

    An adjective (``amod``) moves only from directly behind its noun; a verb moves before the first word of an object
    (``obj``) that stands before it.
    """
    words = list(sentence)
    if language in NOUN_FIRST:
        words = _adjectives_first(words)
    return _verbs_first(words) if language in OBJECT_FIRST else words


def _adjectives_first(words: list[ParsedWord]) -> list[ParsedWord]:
    moved = list(words)
    for place in range(len(moved) - 1):
        noun, adjective = moved[place], moved[place + 1]
        described = adjective.relation.partition(":")[0] == "amod" and adjective.head == noun.number
        if noun.pos == "NOUN" and adjective.pos == "ADJ" and described:
            first = replace(adjective, spaced=True)  # spaces stay at their places
            moved[place : place + 2] = [first, replace(noun, spaced=adjective.spaced)]
    return moved


def _verbs_first(words: list[ParsedWord]) -> list[ParsedWord]:
    moved = list(words)
    heads = {word.number: word.head for word in words}
    for thing in words:
        verb = next((w for w in words if w.number == thing.head and w.pos in ("VERB", "AUX")), None)
        if thing.relation.partition(":")[0] != "obj" or verb is None or verb.number < thing.number:
            continue
        family = [place for place, word in enumerate(moved) if _descends(word.number, thing.number, heads)]
        moved.remove(verb)
        moved.insert(min(family), verb)
    return moved


def _descends(number: int, ancestor: int, heads: Mapping[int, int]) -> bool:
    """Whether a word is *ancestor* or depends on it; a circle of heads ends the search."""
    for _ in range(len(heads) + 1):
        if number == ancestor:
            return True
        number = heads.get(number, 0)
    return False


def join_words(words: Iterable[ParsedWord]) -> str:
    """Return the words as a text: a space after each, except where the parse says that there is none.

    >>> join_words([ParsedWord(1, "Ja", "INTJ", 0, "root", False), ParsedWord(2, "!", "PUNCT", 1, "punct")])
    'Ja!'
    """
    return "".join(word.form + (" " if word.spaced else "") for word in words).rstrip()


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    tables: Mapping[str, Mapping[str, str]] = json.loads(
        files("monge.crosslingual").joinpath("contractions.json").read_text(encoding="utf-8")
    )
    return tables
