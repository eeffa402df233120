"""Bilingual dictionaries: a word of one language and what it may mean in another, read from the usual files."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from monge.errors import InputError

MOST_SENSES = 12  # of one word: later ones are rare or wrong
_MOST_WORDS = 4  # of a gloss: longer ones explain rather than translate
_REMARKS = re.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|<[^>]*>")
_BLANKS = re.compile(r"\s+")
_CEDICT = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.+)/")
_NUMBERED = re.compile(r"\d+\.\s+")
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Pair = tuple[str, str]  # word, gloss


@dataclass(frozen=True)
class BilingualDictionary:
    """Glosses by word (in lower case), the usual ones first; ``name`` is that of the file or files."""

    name: str
    glosses: Mapping[str, tuple[str, ...]]

    @classmethod
    def collect(cls, name: str, pairs: Iterable[Pair]) -> BilingualDictionary:
        """Make a dictionary of pairs of word and gloss; raises InputError if there is none.

        >>> BilingualDictionary.collect("mine", [("Haus", "house"), ("Haus", "home"), ("haus", "house")]).glosses
        {'haus': ('house', 'home')}
        """
        found: dict[str, dict[str, None]] = {}
        for word, gloss in pairs:
            own = found.setdefault(word.strip().lower(), {})
            if len(own) < MOST_SENSES:
                own[gloss.strip().lower()] = None
        found.pop("", None)
        glosses = {word: tuple(gloss for gloss in own if gloss) for word, own in found.items()}
        kept = {word: own for word, own in glosses.items() if own}
        if not kept:
            raise InputError(f"{name}: no word with a translation was found")
        return cls(name, kept)

    @classmethod
    def join(cls, dictionaries: Iterable[BilingualDictionary]) -> BilingualDictionary:
        """Return one dictionary; the glosses of those named first come first."""
        several = list(dictionaries)
        pairs = ((word, gloss) for one in several for word, own in one.glosses.items() for gloss in own)
        return several[0] if len(several) == 1 else cls.collect("+".join(one.name for one in several), pairs)

    def __len__(self) -> int:
        return len(self.glosses)

    def __contains__(self, word: str) -> bool:
        return word in self.glosses

    def look_up(self, word: str) -> tuple[str, ...]:
        """Return the glosses of *word* as it is spelt; none if it is not in the dictionary."""
        return self.glosses.get(word, ())

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all words and glosses."""
        state = hashlib.sha256()
        for word in sorted(self.glosses):
            state.update("\t".join([word, *self.glosses[word]]).encode("utf-8", errors="surrogatepass") + b"\n")
        return state.hexdigest()


def read_dictionary(path: str | Path) -> BilingualDictionary:
    """Read a dictionary file; the format is found from its name and first lines.

    ============================================  =============================================================
    lines ``word TAB gloss [TAB gloss …]``        your own TSV file (glosses may also be separated by ``;``)
    lines ``word gloss``                          MUSE
    lines ``gloss @ word``                        hunalign (also of MUSE)
    lines ``word; word | phrase :: gloss; …``     ding (Debian's trans-de-en)
    lines ``trad simp [pinyin] /gloss/gloss/``    CC-CEDICT
    files ``X.index`` and ``X.dict`` or ``.dz``   dictd (FreeDict)
    ============================================  =============================================================

    Text files may be compressed (``.gz``). Raises InputError for a file that cannot be read or has another form.
    """
    place = Path(path).expanduser()
    if place.name.endswith((".index", ".dict.dz")) or (
        place.suffix == ".dict" and place.with_suffix(".index").exists()
    ):
        return BilingualDictionary.collect(place.name.split(".")[0], _read_dictd(place))
    lines = _read_lines(place)
    read = _recognise(lines)
    if read is None:
        raise InputError(f"{place}: not a dictionary (lines of word, tab and translation are expected)")
    return BilingualDictionary.collect(place.name, (pair for line in lines for pair in read(line)))


def _read_lines(path: Path) -> list[str]:
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: the dictionary cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: the dictionary is not UTF-8") from None
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _recognise(lines: list[str]) -> Callable[[str], Iterator[Pair]] | None:
    """Return the reader that understands most of the first lines."""
    sample = lines[:200]
    tests: tuple[tuple[Callable[[str], object], Callable[[str], Iterator[Pair]]], ...] = (
        (_CEDICT.match, _read_cedict),
        (lambda line: " :: " in line, _read_ding),
        (lambda line: " @ " in line, _read_hunalign),
        (lambda line: "\t" in line, _read_tsv),
        (lambda line: len(line.split()) == 2, _read_muse),
    )
    return next((read for test, read in tests if sum(bool(test(line)) for line in sample) > len(sample) / 2), None)


def _read_tsv(line: str) -> Iterator[Pair]:
    word, *glosses = line.split("\t")
    for cell in glosses:
        for gloss in cell.split(";"):
            yield from _pair(word, gloss)


def _read_muse(line: str) -> Iterator[Pair]:
    word, *rest = line.split()
    yield from _pair(word, " ".join(rest))


def _read_hunalign(line: str) -> Iterator[Pair]:
    gloss, _, word = line.partition(" @ ")
    yield from _pair(word, gloss)


def _read_cedict(line: str) -> Iterator[Pair]:
    match = _CEDICT.match(line)
    if match is None:
        return
    for gloss in re.split("[/;]", match[3]):
        if not gloss.startswith(("CL:", "variant of", "old variant", "surname ", "see ", "abbr. for")):
            for word in dict.fromkeys(match.group(1, 2)):
                yield from _pair(word, gloss)


def _read_ding(line: str) -> Iterator[Pair]:
    """Pair the alternatives of each field: ``Haus {n}; Heim {n} | Häuser {pl} :: house; home | houses``."""
    left, _, right = line.partition(" :: ")
    for words, glosses in zip(left.split(" | "), right.split(" | "), strict=False):
        for word in words.split(";"):
            plain = _clean(word)
            if plain and " " not in plain:
                for gloss in glosses.split(";"):
                    yield from _pair(plain, gloss)


def _pair(word: str, gloss: str) -> Iterator[Pair]:
    plain = _clean(gloss).removeprefix("to ").removeprefix("a ").removeprefix("the ")
    if word and plain and plain.count(" ") < _MOST_WORDS:
        yield word, plain


def _clean(text: str) -> str:
    return _BLANKS.sub(" ", _REMARKS.sub(" ", text)).strip()


def _read_dictd(path: Path) -> Iterator[Pair]:
    base = path.with_name(path.name.removesuffix(".dz").rsplit(".", 1)[0])
    content = next((base.with_name(base.name + end) for end in (".dict.dz", ".dict") if _exists(base, end)), None)
    if content is None or not _exists(base, ".index"):
        raise InputError(f"{path}: a dictionary of dictd needs {base.name}.index and {base.name}.dict or .dict.dz")
    try:
        data = content.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        index = base.with_name(base.name + ".index").read_text(encoding="utf-8")
        for line in index.splitlines():
            word, start, length = line.split("\t")[:3]
            if not word.startswith("00database"):
                place = _decode(start)
                entry = data[place : place + _decode(length)].decode("utf-8")
                yield from _read_entry(word, entry)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"{path}: the dictionary cannot be read ({error})") from None


def _exists(base: Path, end: str) -> bool:
    return base.with_name(base.name + end).is_file()


def _decode(number: str) -> int:
    value = 0
    for digit in number:
        value = value * 64 + _BASE64.index(digit)
    return value


def _read_entry(word: str, entry: str) -> Iterator[Pair]:
    """Read a FreeDict entry: a head, then glosses with commas between, numbered if there are several senses."""
    lines = [line.strip() for line in entry.splitlines()[1:]]
    numbered = [_NUMBERED.sub("", line, count=1) for line in lines if _NUMBERED.match(line)]
    for line in numbered or lines[:1]:
        for gloss in _REMARKS.sub(" ", line).split(","):
            yield from _pair(word, gloss)
