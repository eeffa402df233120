"""Finding out what kind of word-vector file one has, and opening it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.encoders.static import fasttext, spacy, text
from monge.encoders.static.cache import cached_table
from monge.encoders.static.npy import map_matrix
from monge.encoders.static.parquet import read_strings
from monge.encoders.stores import digest
from monge.environment import Environment
from monge.errors import ModelError, OptionError
from monge.text import read_lines

Compose = Callable[[str], NDArray[np.float32] | None]


@dataclass(frozen=True, eq=False)
class VectorTable:
    """Words and their rows in a matrix (v, d), as a rule memory-mapped.

    ``compose``, when the file has character n-grams (fastText), returns the vector of any word, known ones too.
    """

    rows: Mapping[str, int]
    matrix: NDArray[np.float32]
    name: str
    digest: str
    compose: Compose | None = None

    @property
    def dimension(self) -> int:
        """The length d of a vector."""
        return int(self.matrix.shape[1])


def load_vectors(
    path: str | os.PathLike[str], *, limit: int | None = None, environment: Environment | None = None
) -> VectorTable:
    """Load word vectors; the format is recognised by the content.

    *path* is a file (GloVe text, word2vec text or binary, fastText ``.vec`` or ``.bin``, ``.npy`` with its vocabulary
    beside it), a directory with an ``.npy`` or a spaCy pipeline in it, or the name of an installed package that is
    such a directory. *limit* keeps the first so many words. Raises ModelError, naming file and place, for a file that
    is damaged or of no known format.
    """
    environment = Environment.read() if environment is None else environment
    if limit is not None and limit < 1:
        raise OptionError(f"limit must be at least 1, not {limit}")
    place = _locate(path)
    if place.is_dir():
        vocab = spacy.find_spacy_vocab(place)
        if vocab is None:
            return _load_npy(_only_npy(place), limit, environment)
        return _load_spacy(vocab, limit, environment)
    with place.open("rb") as stream:
        magic = stream.read(6)
    if not magic:
        raise ModelError(f"{place} is empty")
    if magic == b"\x93NUMPY":
        return _load_npy(place, limit, environment)
    content = digest([place], environment)
    if magic.startswith(fasttext.MAGIC):
        model = fasttext.read_fasttext(place, limit)
        return VectorTable(model.rows, model.matrix, place.name, content, model.compose)
    try:
        read_blocks = text.read_binary if text.is_binary(place) else text.read_text
        words, matrix = cached_table(place, content, limit, read_blocks, environment)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ModelError(f"{place}: damaged gzip data ({error})") from error
    return VectorTable(_number(words), matrix, place.name, content)


def _locate(path: str | os.PathLike[str]) -> Path:
    place = Path(path)
    if place.exists():
        return place
    name = os.fspath(path)
    if name.isidentifier():
        spec = importlib.util.find_spec(name)  # finds without importing
        if spec is not None and spec.submodule_search_locations:
            return Path(spec.submodule_search_locations[0])
    raise ModelError(f"no word vectors at {name}: neither a file, nor a directory, nor an installed package")


def _load_spacy(vocab: Path, limit: int | None, environment: Environment) -> VectorTable:
    rows, matrix = spacy.read_spacy(vocab, limit, environment)
    content = digest([vocab / "vectors", vocab / "key2row"], environment)
    return VectorTable(rows, matrix, _pipeline_name(vocab), content)


def _pipeline_name(vocab: Path) -> str:
    """Return the pipeline's name and version from its meta.json, else the name of its folder."""
    facts = spacy.read_object(vocab.parent / "meta.json")
    return "-".join(str(facts[key]) for key in ("lang", "name", "version") if key in facts) or vocab.parent.name


def _only_npy(directory: Path) -> Path:
    for folder in (directory, directory / "data"):
        found = sorted(folder.glob("*.npy"))
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise ModelError(f"{directory} holds {len(found)} .npy files: name the one to be read")
    raise ModelError(f"{directory} holds neither spaCy vectors nor an .npy file")


def _load_npy(file: Path, limit: int | None, environment: Environment) -> VectorTable:
    matrix = map_matrix(file)
    if not matrix.shape[1]:
        raise ModelError(f"{file}: its vectors have no numbers")
    vocabulary = _find_vocabulary(file)
    rows = _read_vocabulary(vocabulary)
    if max(rows.values(), default=-1) >= len(matrix) or min(rows.values(), default=0) < 0:
        raise ModelError(f"{vocabulary} numbers {max(rows.values()) + 1} words but {file.name} has {len(matrix)} rows")
    if vocabulary.suffix != ".json" and len(rows) < len(matrix):
        count = max(rows.values(), default=-1) + 1
        if count != len(matrix):
            raise ModelError(f"{vocabulary} has {count} words but {file.name} has {len(matrix)} rows")
    if limit is not None:
        rows = {word: row for word, row in rows.items() if row < limit}
    return VectorTable(rows, matrix, file.name, digest([file, vocabulary], environment))


def _find_vocabulary(file: Path) -> Path:
    stems = (file.stem, f"{file.stem}.vocab", f"{file.stem}_vocab", "vocab", "vocabulary", "words")
    for candidate in (file.with_name(stem + suffix) for stem in stems for suffix in (".txt", ".json", ".vocab")):
        if candidate.exists():
            return candidate
    indexes = sorted(file.parent.glob("*.parquet"))
    if len(indexes) == 1:
        return indexes[0]
    raise ModelError(
        f"no vocabulary beside {file}: {file.stem}.txt (one word per line) or {file.stem}.json is expected"
    )


def _read_vocabulary(file: Path) -> dict[str, int]:
    if file.suffix == ".parquet":
        return _number(read_strings(file))
    if file.suffix != ".json":
        return _number(read_lines(file))
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file}: not JSON ({error})") from error
    if isinstance(content, list) and all(isinstance(word, str) for word in content):
        return _number(content)
    if isinstance(content, dict) and all(type(row) is int for row in content.values()):
        return content
    raise ModelError(f"{file} must be a list of words or an object from word to row")


def _number(words: list[str]) -> dict[str, int]:
    """Return the row of each word; of a word listed twice the first counts."""
    last = len(words) - 1
    return dict(zip(reversed(words), range(last, -1, -1), strict=True))
