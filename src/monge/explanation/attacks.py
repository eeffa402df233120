"""Ways to damage a text: most of them keep its words and change its meaning."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

AUXILIARY = r"is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|does|do|did"
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NAMES = ("Miller", "Zurich", "Hannah", "Kenya", "Robert", "Sydney")  # replacements where a text has a single name


@dataclass(frozen=True)
class Victim:
    """A text to damage, its source if there is one, the other texts of the set, and a random generator."""

    text: str
    source: str | None
    others: Sequence[str]
    rng: np.random.Generator


@dataclass(frozen=True)
class Attack:
    """A way to damage a text. ``damage`` returns None where it does not apply (no number to change).

    ``of_text`` is False where the result does not depend on the text (empty, the source); there is then no damaged copy
    of the reference to compare with.
    """

    name: str
    summary: str
    damage: Callable[[Victim], str | None]
    of_text: bool = True


def make_victim(text: str, source: str | None, others: Sequence[str], *, attack: str, seed: int) -> Victim:
    """Return a victim whose random generator depends only on attack, text and seed."""
    key = zlib.crc32(f"{attack}\x1f{text}".encode())
    return Victim(text, source, others, np.random.default_rng([seed, key]))


def negate(victim: Victim) -> str | None:
    """Remove a negation, or insert one after the first auxiliary verb; without either, negate the whole text."""
    text = victim.text
    without = re.sub(r"(?i)\b(not |never )|n't\b|\bno (?=\w)", "", text, count=1)
    if without != text:
        return _capitalise(without)
    denied = re.sub(rf"(?i)\b({AUXILIARY})\b", r"\1 not", text, count=1)
    if denied != text:
        return denied
    first, space, rest = text.partition(" ")
    return f"It is not true that {first.lower() if first.lower() in _OPENERS else first}{space}{rest}" if text else None


def change_numbers(victim: Victim) -> str | None:
    """Replace every number, in digits or in words, by another one of about the same size."""

    def figures(match: re.Match[str]) -> str:
        value = int(match[0])
        span = max(9, 10 ** len(match[0]) - 1)
        return str(1 + (value + int(victim.rng.integers(1, span))) % span)

    def words(match: re.Match[str]) -> str:
        own = NUMBER_WORDS.index(match[0].lower())
        other = NUMBER_WORDS[(own + int(victim.rng.integers(1, len(NUMBER_WORDS)))) % len(NUMBER_WORDS)]
        return other.capitalize() if match[0][0].isupper() else other

    pattern = rf"(?i)\b({'|'.join(NUMBER_WORDS[1:])})\b"  # "one" is usually a pronoun
    changed = re.sub(pattern, words, re.sub(r"\d{1,9}", figures, victim.text))
    return changed if changed != victim.text else None


def swap_names(victim: Victim) -> str | None:
    """Exchange the names of a text; a single name is replaced by another one."""
    names = list(dict.fromkeys(find_names(victim.text)))
    if not names:
        return None
    if len(names) == 1:
        strangers = [name for name in NAMES if name not in victim.text]
        return _replace(victim.text, {names[0]: str(victim.rng.choice(strangers))})
    return _replace(victim.text, dict(zip(names, [*names[1:], names[0]], strict=True)))


def find_names(text: str) -> list[str]:
    """Return the capitalised words, consecutive ones joined; common words that begin a sentence are left out.

    >>> find_names("Maria met Jean Paul in New York. It rained.")
    ['Maria', 'Jean Paul', 'New York']
    """
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\w[\w'’-]*", text):
        begins = re.search(r"(^|[.!?]\s+)$", text[: match.start()]) is not None
        known = match[0].lower() not in _OPENERS if begins else len(match[0]) > 1
        if not match[0][0].isupper() or not known:
            continue
        if found and text[found[-1][1] : match.start()].isspace():
            found[-1] = (found[-1][0], match.end())
        else:
            found.append(match.span())
    return [text[start:end] for start, end in found]


def permute_nouns(victim: Victim) -> str | None:
    """Permute the nouns at random (Kaster et al. 2021); raises ModelError if there is no tagger."""
    from monge.explanation.factors import load_parser

    doc = load_parser()(victim.text)
    nouns = [(token.idx, token.idx + len(token.text)) for token in doc if token.pos_ in ("NOUN", "PROPN")]
    words = [victim.text[start:end] for start, end in nouns]
    if len(set(words)) < 2:
        return None
    order = _derange(words, victim.rng)
    pieces, reached = [], 0
    for (start, end), word in zip(nouns, order, strict=True):
        pieces += [victim.text[reached:start], word]
        reached = end
    return "".join([*pieces, victim.text[reached:]])


def shuffle_words(victim: Victim) -> str | None:
    """Put all words into a random order; the final punctuation stays in place."""
    words, mark = _split(victim.text)
    if len(set(words)) < 3:
        return None
    return " ".join(_derange(words, victim.rng)) + mark


def repeat_words(victim: Victim) -> str | None:
    """Repeat two to four consecutive words, so that they occur three times."""
    words, mark = _split(victim.text)
    if len(words) < 3:
        return None
    length = min(int(victim.rng.integers(2, 5)), len(words))
    start = int(victim.rng.integers(0, len(words) - length + 1))
    run = words[start : start + length]
    return " ".join([*words[:start], *run, *run, *run, *words[start + length :]]) + mark


def truncate(victim: Victim) -> str | None:
    """Keep the first half."""
    words, mark = _split(victim.text)
    return " ".join(words[: len(words) // 2]) + mark if len(words) > 2 else None


def take_other(victim: Victim) -> str | None:
    """Return another text of the set."""
    others = [other for other in victim.others if other != victim.text]
    return str(victim.rng.choice(others)) if others else None


ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        Attack("negation", "a negation inserted or removed", negate),
        Attack("numbers", "every number changed", change_numbers),
        Attack("names", "names exchanged", swap_names),
        Attack("nouns", "nouns exchanged (needs a tagger)", permute_nouns),
        Attack("word order", "words shuffled", shuffle_words),
        Attack("repetition", "a few words repeated three times", repeat_words),
        Attack("truncation", "the second half missing", truncate),
        Attack("copied source", "the source instead of a translation", lambda v: v.source, of_text=False),
        Attack("unrelated", "another text", take_other, of_text=False),
        Attack("empty", "no text at all", lambda _: "", of_text=False),
    )
}


def _split(text: str) -> tuple[list[str], str]:
    mark = re.search(r"[.!?…。]*\s*$", text)
    end = mark.start() if mark else len(text)
    return text[:end].split(), text[end:].strip()


def _derange(words: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return the words in a random order that differs from the given one."""
    while True:
        order = [words[i] for i in rng.permutation(len(words))]
        if order != list(words):
            return order


def _replace(text: str, changes: dict[str, str]) -> str:
    pattern = "|".join(re.escape(name) for name in sorted(changes, key=len, reverse=True))
    return re.sub(rf"\b({pattern})\b", lambda match: changes[match[0]], text)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


# words that begin sentences and are not names; a short list, because a wrong guess only makes an attack weaker
_OPENERS = frozenset(
    {
        "the", "a", "an", "this", "that", "these", "those", "it", "he", "she", "they", "we", "you", "i", "in", "on",
        "at", "for", "from", "to", "of", "by", "with", "when", "while", "after", "before", "because", "owing",
        "under", "over", "about", "nobody", "no", "there", "each", "every", "next", "following", "going", "doctors",
        "farmers", "scientists", "water", "snow", "families", "components", "fewer", "high",
    }
)  # fmt: skip
