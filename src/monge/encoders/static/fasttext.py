"""fastText's binary models with their character n-grams (the format of fasttext.cc, versions 11 and 12)."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

MAGIC = struct.pack("<i", 793712314)
_ARGUMENTS = struct.Struct("<ii12id")  # magic, version; dim … lrUpdateRate; t
_DICTIONARY = struct.Struct("<iiiqq")  # size, words, labels, tokens, pruned n-grams or -1
_MATRIX = struct.Struct("<?qq")  # quantised, rows, columns
_SUPERVISED = 3
_END_OF_SENTENCE = "</s>"


class Settings(NamedTuple):
    """The n-gram lengths and the number of hash buckets."""

    minn: int
    maxn: int
    bucket: int


@dataclass(frozen=True, eq=False)
class FastTextModel:
    """Words and the input matrix: one row per word, then one per bucket of n-grams."""

    rows: dict[str, int]
    matrix: NDArray[np.float32]
    settings: Settings
    words_in_file: int

    def compose(self, word: str) -> NDArray[np.float32] | None:
        """Return the mean of the rows of *word* (if known) and of its n-grams, as fastText does; None without any."""
        ids = [self.rows[word]] if word in self.rows else []
        if word != _END_OF_SENTENCE and self.settings.maxn > 0:
            ids += [self.words_in_file + bucket for bucket in ngram_buckets(word, self.settings)]
        if not ids:
            return None
        with np.errstate(invalid="ignore"):  # whoever looks the word up refuses a vector that is not finite
            mean: NDArray[np.float64] = self.matrix[ids].mean(axis=0, dtype=np.float64)
        return mean.astype(np.float32)


def read_fasttext(file: Path, limit: int | None) -> FastTextModel:
    """Read a ``.bin`` model; the matrix stays on disk, memory-mapped. *limit* keeps the first words, all n-grams."""
    try:
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _read(file, data, limit)
    except (struct.error, ValueError, OverflowError) as error:
        raise ModelError(f"{file}: cut off or not a fastText model ({error})") from error


def ngram_buckets(word: str, settings: Settings) -> list[int]:
    """Return the bucket of every n-gram of ``<word>``, in fastText's order.

    >>> ngram_buckets("a", Settings(minn=3, maxn=3, bucket=1000)) == [fnv1a(b"<a>") % 1000]
    True
    """
    data = f"<{word}>".encode("utf-8", errors="surrogatepass")
    starts = [i for i, byte in enumerate(data) if byte & 0xC0 != 0x80]
    ends = [*starts[1:], len(data)]
    buckets = []
    for first in range(len(starts)):
        hashed = _FNV_OFFSET
        for n, last in enumerate(range(first, min(first + settings.maxn, len(starts))), start=1):
            hashed = _fnv1a_step(hashed, data[starts[last] : ends[last]])
            at_border = n == 1 and (first == 0 or last == len(starts) - 1)  # a lone < or > is not an n-gram
            if n >= settings.minn and not at_border:
                buckets.append(hashed % settings.bucket)
    return buckets


def fnv1a(data: bytes) -> int:
    """Return fastText's 32-bit FNV-1a, which reads bytes as *signed* characters.

    >>> fnv1a(b"a"), fnv1a("é".encode())
    (3826002220, 1023043777)
    """
    return _fnv1a_step(_FNV_OFFSET, data)


_FNV_OFFSET = 2166136261


def _fnv1a_step(hashed: int, data: bytes) -> int:
    for byte in data:
        signed = byte if byte < 128 else byte | 0xFFFFFF00  # sign extension, for compatibility with fastText
        hashed = ((hashed ^ signed) * 16777619) & 0xFFFFFFFF
    return hashed


def _read(file: Path, data: mmap.mmap, limit: int | None) -> FastTextModel:
    _, version, dimension, *rest = _ARGUMENTS.unpack_from(data)
    if version not in (11, 12):
        raise ModelError(f"{file}: fastText format version {version} is unknown (11 and 12 are known)")
    model, bucket, minn, maxn = rest[6:10]
    if version == 11 and model == _SUPERVISED:
        maxn = 0  # as fastText itself reads such old files
    position = _ARGUMENTS.size
    size, word_count, _, _, pruned = _DICTIONARY.unpack_from(data, position)
    if not 0 <= word_count <= size or size > len(data) or not -1 <= pruned <= len(data):
        raise ModelError(f"{file}: damaged ({word_count} words in a dictionary of {size}, {pruned} pruned n-grams)")
    words, position = _read_words(data, position + _DICTIONARY.size, size)
    position += 8 * max(pruned, 0)
    quantised, row_count, columns = _MATRIX.unpack_from(data, position)
    if quantised:
        raise ModelError(f"{file} is a quantised fastText model without exact vectors: use the full .bin or .vec")
    position += _MATRIX.size
    if columns != dimension or columns < 1 or row_count < word_count:
        raise ModelError(f"{file}: damaged (a matrix of {row_count} × {columns} for {word_count} words)")
    if position + 4 * row_count * columns > len(data):
        raise ModelError(f"{file}: cut off or damaged (a matrix of {row_count} × {columns} does not fit)")
    settings = Settings(minn, maxn if row_count > word_count else 0, bucket)
    _check_settings(file, settings, row_count - word_count)
    kept = words[: word_count if limit is None else min(limit, word_count)]
    return FastTextModel(
        {word: row for row, word in reversed(list(enumerate(kept)))},
        np.memmap(file, dtype="<f4", mode="r", offset=position, shape=(row_count, columns)),
        settings,
        word_count,
    )


def _check_settings(file: Path, settings: Settings, rows: int) -> None:
    """Refuse settings under which an n-gram has no row: its vector would be another's, or nothing."""
    minn, maxn, bucket = settings
    if minn < 0 or maxn < 0:
        raise ModelError(f"{file}: damaged (n-grams of {minn} to {maxn} characters)")
    if maxn and not 1 <= bucket <= rows:
        raise ModelError(f"{file}: damaged ({bucket} buckets of n-grams in {rows} rows)")


def _read_words(data: mmap.mmap, position: int, size: int) -> tuple[list[str], int]:
    """Read entries of a zero-terminated word, an 8-byte count and a 1-byte kind (words come before labels)."""
    words = []
    for _ in range(size):
        end = data.find(b"\0", position)
        if end < 0:
            raise ValueError("the dictionary has no end")
        words.append(data[position:end].decode("utf-8", errors="backslashreplace"))
        position = end + 10
    return words, position
