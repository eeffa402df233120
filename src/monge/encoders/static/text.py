"""GloVe and word2vec files: text with or without a header, and word2vec's binary form; plain or gzip."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from monge.encoders.static.cache import Block
from monge.errors import ModelError

_HEADER = re.compile(rb"\s*(\d+)[ \t]+(\d+)\s*")
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # float32 bytes are full of these, text has none
_BLOCK = 4096
_READ = 1 << 24
_MOST_NUMBERS = 100_000  # in a vector: a larger dimension is damage, and would take all memory


def open_vectors(file: Path) -> IO[bytes]:
    """Open *file*, unpacking gzip."""
    with file.open("rb") as stream:
        magic = stream.read(4)
    if magic == b"PK\x03\x04":
        raise ModelError(f"{file} is a zip archive: unpack it and name the file of vectors inside")
    return gzip.open(file, "rb") if magic[:2] == b"\x1f\x8b" else file.open("rb")  # type: ignore[return-value]


def is_binary(file: Path) -> bool:
    """Whether *file* is word2vec's binary form: a header line of two numbers, then words with raw float32."""
    with open_vectors(file) as stream:
        header = stream.readline(200)
        return _HEADER.fullmatch(header) is not None and _CONTROL.search(stream.read(4096)) is not None


def read_text(file: Path, limit: int | None) -> Iterator[Block]:
    """Yield blocks of words and vectors; a header line (word2vec, fastText ``.vec``) is optional.

    The header, or else the first line, gives the dimension d. The vector is the last d fields of a line, so a word may
    hold spaces, as some of GloVe's 840B do; but a number before the vector is one number too many, not a word.
    Raises ModelError naming file and line for a line that is not a vector, and the word for NaN or infinity.
    """
    with open_vectors(file) as stream:
        lines = _numbered_lines(stream)
        first = next(lines, (1, b""))
        header = _HEADER.fullmatch(first[1])
        if header is None and re.fullmatch(rb"\s*\d+[ \t]+-\d+\s*", first[1]):
            raise ModelError(f"{file}, line 1: a header with a negative number")
        dimension = _read_header(file, header)[1] if header else _count_numbers(first[1], file)
        layout = _Layout(file, dimension, header is not None)
        vectors = islice(lines if header else chain([first], lines), limit)
        count = 0
        while block := list(islice(vectors, _BLOCK)):
            yield _parse_block(block, layout)
            count += len(block)
        promised = _read_header(file, header)[0] if header else count
        if count < (promised if limit is None else min(promised, limit)):
            raise ModelError(f"{file} is cut off: its header promises {promised} words, it has {count}")
        if limit is None and count > promised:
            raise ModelError(f"{file}: its header promises {promised} words, it has {count}")


@dataclass(frozen=True)
class _Layout:
    """How many numbers a line of a file has, and whether its header says so (else its first line)."""

    file: Path
    dimension: int
    by_header: bool

    def miscount(self, number: int, found: int) -> ModelError:
        """Return the error of a line that has another number of numbers."""
        source = "header" if self.by_header else "first line"
        return ModelError(f"{self.file}, line {number}: {found} numbers where the {source} says {self.dimension}")


def read_binary(file: Path, limit: int | None) -> Iterator[Block]:
    """Yield blocks of words and vectors of word2vec's binary form.

    The file: ``count dimension\\n``, then a word, a space and d little-endian float32 each, maybe with a newline.
    """
    with open_vectors(file) as stream:
        header = _HEADER.fullmatch(stream.readline(200))
        if header is None:
            raise ModelError(f"{file}: no word2vec header")
        count, dimension = _read_header(file, header)
        wanted = count if limit is None else min(count, limit)
        block = max(1, min(_BLOCK, _READ // (4 * dimension)))
        buffer, position = b"", 0
        for start in range(0, wanted, block):
            words: list[str] = []
            rows = np.empty((min(block, wanted - start), dimension), dtype=np.float32)
            for i in range(len(rows)):
                space = buffer.find(b" ", position)
                if space < 0 or len(buffer) < space + 1 + 4 * dimension:
                    buffer, position = buffer[position:] + stream.read(_READ + 4 * dimension), 0
                    space = buffer.find(b" ")
                    if space < 0 or len(buffer) < space + 1 + 4 * dimension:
                        raise ModelError(f"{file} ends in word {start + i + 1} of {count}: it is cut off")
                words.append(_decode(buffer[position:space].lstrip(b"\n")))
                rows[i] = np.frombuffer(buffer, "<f4", dimension, space + 1)
                position = space + 1 + 4 * dimension
            _check_finite(words, rows, file)
            yield words, rows


def _read_header(file: Path, header: re.Match[bytes]) -> tuple[int, int]:
    """Return the number of words and of numbers per word; refuse what no file can hold."""
    if max(map(len, header.groups())) > 18 or not 1 <= int(header[2]) <= _MOST_NUMBERS or not int(header[1]):
        shown = header[0].strip()[:60].decode("ascii")
        raise ModelError(f"{file}, line 1: a header of {shown!r} (words, numbers per word) is damaged")
    return int(header[1]), int(header[2])


def _numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(stream, start=1):
        line = line.rstrip(b"\r\n \t")
        if line:
            yield number, line.replace(b"\t", b" ") if b"\t" in line else line


def _count_numbers(line: bytes, file: Path) -> int:
    """Return how many fields at the end of the first line are numbers; they are the dimension."""
    fields = line.split(b" ")
    if len(fields) < 2 or _to_floats(fields[1:]) is None:
        raise ModelError(f"{file}, line 1: neither a header nor a word with its vector")
    return len(fields) - 1


def _parse_block(lines: list[tuple[int, bytes]], layout: _Layout) -> Block:
    split = [line.split(b" ", 1) for _, line in lines]
    if all(len(fields) == 2 and fields[1].count(b" ") == layout.dimension - 1 for fields in split):
        try:
            rows = np.loadtxt([fields[1] for fields in split], dtype=np.float32, comments=None, delimiter=" ", ndmin=2)
        except ValueError:
            return _parse_slowly(lines, layout)
        words = [_decode(fields[0]) for fields in split]
        _check_finite(words, rows, layout.file)
        return words, rows
    return _parse_slowly(lines, layout)


def _parse_slowly(lines: list[tuple[int, bytes]], layout: _Layout) -> Block:
    """Parse line by line: finds the faulty one, and allows for words with spaces and repeated separators."""
    parsed = [_parse_line(number, line, layout) for number, line in lines]
    words = [_decode(word) for word, _ in parsed]
    rows = np.array([row for _, row in parsed], dtype=np.float32)
    _check_finite(words, rows, layout.file)
    return words, rows


def _parse_line(number: int, line: bytes, layout: _Layout) -> tuple[bytes, NDArray[np.float32]]:
    dimension = layout.dimension
    fields = re.sub(rb" +", b" ", line).rsplit(b" ", dimension)
    if len(fields) != dimension + 1:
        raise layout.miscount(number, len(fields) - 1)
    row = _to_floats(fields[1:])
    if row is None:
        wrong = next(field for field in fields[1:] if _to_floats([field]) is None)
        raise ModelError(
            f"{layout.file}, line {number}: {_decode(wrong)!r} is not a number ({dimension} must follow the word)"
        )
    extra = fields[0].split(b" ")[1:]
    if extra and _NUMBER.fullmatch(extra[-1]):
        raise layout.miscount(number, dimension + sum(_NUMBER.fullmatch(field) is not None for field in extra))
    return fields[0], row


def _to_floats(fields: list[bytes]) -> NDArray[np.float32] | None:
    try:
        return np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        return None


def _check_finite(words: list[str], rows: NDArray[np.float32], file: Path) -> None:
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise ModelError(f"{file}: NaN or infinity in the vector of {words[int(np.argmin(finite))]!r}")


def _decode(word: bytes) -> str:
    """Decode a word; one that is not UTF-8 can match no text, so it may as well keep its place escaped."""
    return word.decode("utf-8", errors="backslashreplace")
