"""WordNet for METEOR, read by nltk: from nltk's own data, or from the database files that Linux packages install."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError
from nltk.data import PathPointer, SeekableUnicodeStreamReader

from monge.errors import ModelError

# Where systems keep the database; WNSEARCHDIR is WordNet's own variable.
_SYSTEM_DIRECTORIES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/opt/homebrew/opt/wordnet/dict")
_PARTS = ("noun", "verb", "adj", "adv")
_NEEDED = tuple(name for part in _PARTS for name in (f"index.{part}", f"data.{part}", f"{part}.exc"))
_LEXICOGRAPHER_FILES = 45  # numbered 00 to 44 since WordNet 1.6 (man lexnames(5WN))
HOW_TO_GET = (
    "METEOR needs WordNet: install it with 'python -m nltk.downloader wordnet' or 'apt install wordnet-base', or name "
    "a folder that holds its files with wordnet=FOLDER; wordnet=none matches exact words and stems only"
)


@dataclass(frozen=True)
class Synonyms:
    """A WordNet as nltk's METEOR uses it (``synsets`` of a word).

    Signatures show its ``name``; stored scores are keyed by the ``digest`` of its files.
    """

    name: str
    synsets: Callable[[str], Sequence[Any]]
    digest: str = ""


def find_wordnet(place: str) -> Synonyms:
    """Return the WordNet that the option ``wordnet`` names.

    *place* is a folder of WordNet's database files, ``none``, or ``auto``: nltk's data where they are installed, else
    the system's WordNet. Raises ModelError, which says how to install it, when there is none.

    >>> find_wordnet("none").synsets("car")
    []
    """
    if place == "none":
        return Synonyms("none", lambda word: [])
    if place != "auto":
        return _open_folder(Path(place))
    for name in ("corpora/wordnet", "corpora/wordnet.zip"):
        try:
            nltk.data.find(name)
        except LookupError:
            continue
        return _make_synonyms(nltk.corpus.wordnet)
    for folder in (os.environ.get("WNSEARCHDIR"), *_SYSTEM_DIRECTORIES):
        if folder and (Path(folder) / "index.noun").exists():
            return _open_folder(Path(folder))
    raise ModelError(HOW_TO_GET)


def _open_folder(folder: Path) -> Synonyms:
    for name in _NEEDED:
        if not (folder / name).is_file():
            raise ModelError(f"{folder} holds no WordNet: {name} is missing ({HOW_TO_GET})")
    try:
        return _make_synonyms(FolderReader(folder))
    except (OSError, ValueError, LookupError, StopIteration, AssertionError, WordNetError) as error:
        raise ModelError(f"{folder} holds no WordNet that nltk can read: {error}") from error


def _make_synonyms(reader: Any) -> Synonyms:
    digest = hashlib.sha256()
    for name in _NEEDED:
        with reader.open(name) as stream:
            digest.update(stream.read().encode())
    return Synonyms(f"wordnet-{reader.get_version() or 'unknown'}", reader.synsets, digest.hexdigest())


class FolderReader(WordNetCorpusReader):  # type: ignore[misc]
    """nltk's reader on a folder that is not one of nltk's and that has only what packages of WordNet itself ship.

    It differs in what surrounds the reading: nltk opens no file outside its own data folders, and it wants
    ``lexnames`` and ``index.sense``, which Debian's package leaves out. Synonyms depend on neither (names of the
    lexicographers' files; numbers of senses in other releases).
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(_FilePath(folder), omw_reader=False)  # None would warn that other languages are missing

    def open(self, file: str) -> SeekableUnicodeStreamReader:
        """Return a stream of one of the database's files."""
        return self._root.join(file).open(self._ENCODING)

    def map_wn(self, version: str = "wordnet") -> None:
        """Return no map to another release: only wordnets of other languages need it."""


class _FilePath(PathPointer):  # type: ignore[misc]
    """A path whose file is held in memory: processes forked later must not move each other's place in an open file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def join(self, fileid: str) -> _FilePath:
        return _FilePath(self.path / fileid)

    def open(self, encoding: str | None = None) -> SeekableUnicodeStreamReader:
        return SeekableUnicodeStreamReader(BytesIO(self._read()), encoding)

    def file_size(self) -> int:
        return len(self._read())

    def _read(self) -> bytes:
        if self.path.name == "lexnames" and not self.path.exists():  # numbers stand for the names
            return "".join(f"{n:02d}\t{n:02d}\t0\n" for n in range(_LEXICOGRAPHER_FILES)).encode()
        return self.path.read_bytes()
