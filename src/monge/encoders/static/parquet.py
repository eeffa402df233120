"""One column of text out of a Parquet file, without pyarrow: enough for a vocabulary stored beside vectors.

Reads what common writers make of a flat table: data pages of version 1, plain or dictionary encoded, uncompressed,
snappy or gzip. Anything else is told, with pyarrow as the way out. Format: the Apache Parquet specification.
"""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from monge.errors import ModelError

_BYTE_ARRAY = 6
_PLAIN, _PLAIN_DICTIONARY, _RLE_DICTIONARY = 0, 2, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
Fields = dict[int, Any]


def read_strings(file: Path) -> list[str]:
    """Return the first text column of *file*; what this module cannot read is left to pyarrow, if installed."""
    data = file.read_bytes()
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ModelError(f"{file} is not a Parquet file")
    try:
        footer, _ = _read_struct(data, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
        return [value.decode("utf-8") for group in footer[4] for value in _read_chunk(data, _text_column(group))]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        return _read_with_pyarrow(file, error)


def _read_with_pyarrow(file: Path, reason: Exception) -> list[str]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise ModelError(f"{file} cannot be read without pyarrow ({reason}): pip install pyarrow") from reason
    table = parquet.read_table(file)
    for column in table.columns:
        if str(column.type) in ("string", "large_string"):
            return [str(value) for value in column.to_pylist()]
    raise ModelError(f"{file} has no column of text")


def _text_column(group: Fields) -> Fields:
    """Return the metadata of the first byte-array column of a row group."""
    for chunk in group[1]:
        if chunk[3][1] == _BYTE_ARRAY:
            column: Fields = chunk[3]
            return column
    raise ValueError("no column of text")


def _read_chunk(data: bytes, column: Fields) -> Iterator[bytes]:
    unpack = _codec(column[4])
    position = min(offset for offset in (column.get(9), column.get(11)) if offset)  # data pages, dictionary page
    dictionary: list[bytes] = []
    left = column[5]
    while left > 0:
        header, position = _read_struct(data, position)
        page = unpack(data[position : position + header[3]])
        position += header[3]
        if header[1] == _DICTIONARY_PAGE:
            dictionary = list(_plain(page, header[7][1]))
        elif header[1] == _DATA_PAGE:
            count = header[5][1]
            yield from _read_page(page, count, header[5][2], dictionary)
            left -= count
        else:
            raise ValueError(f"page type {header[1]}")


def _read_page(page: bytes, count: int, encoding: int, dictionary: list[bytes]) -> Iterator[bytes]:
    """Decode a data page of a nullable flat column: definition levels (all 1: no nulls), then values."""
    size = int.from_bytes(page[:4], "little")
    levels = _hybrid(page[4 : 4 + size], 1, count)
    if not all(levels):
        raise ValueError("missing values in the column")
    body = page[4 + size :]
    if encoding == _PLAIN:
        return _plain(body, count)
    if encoding in (_PLAIN_DICTIONARY, _RLE_DICTIONARY):
        return (dictionary[index] for index in _hybrid(body[1:], body[0], count))
    raise ValueError(f"encoding {encoding}")


def _plain(data: bytes, count: int) -> Iterator[bytes]:
    position = 0
    for _ in range(count):
        start = position + 4
        position = start + int.from_bytes(data[position:start], "little")
        if position > len(data):
            raise ValueError("a page ends too early")
        yield data[start:position]


def _hybrid(data: bytes, width: int, count: int) -> list[int]:
    """Decode runs (value repeated) and bit-packed groups of eight."""
    values: list[int] = []
    position = 0
    while len(values) < count:
        header, position = _varint(data, position)
        if header & 1:
            end = position + (header >> 1) * width
            values += _unpack_bits(data[position:end], width)
            position = end
        else:
            end = position + (width + 7) // 8
            values += [int.from_bytes(data[position:end], "little")] * (header >> 1)
            position = end
    return values[:count]


def _unpack_bits(data: bytes, width: int) -> list[int]:
    """Unpack groups of eight values, *width* bytes each."""
    mask = (1 << width) - 1
    values: list[int] = []
    for start in range(0, len(data), width):
        group = int.from_bytes(data[start : start + width], "little")
        values += [group >> shift & mask for shift in range(0, 8 * width, width)]
    return values


def _codec(number: int) -> Callable[[bytes], bytes]:
    codecs: dict[int, Callable[[bytes], bytes]] = {0: bytes, 1: _unpack_snappy, 2: gzip.decompress}
    if number not in codecs:
        raise ValueError(f"compression {number}")
    return codecs[number]


def _unpack_snappy(data: bytes) -> bytes:
    """Decompress raw snappy: literals, and copies of what was already written."""
    size, position = _varint(data, 0)
    out = bytearray()
    while position < len(data):
        tag = data[position]
        position += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[position : position + width], "little")
                position += width
            out += data[position : position + length + 1]
            position += length + 1
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[position]
            position += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[position : position + width], "little")
            position += width
        start = len(out) - offset
        if offset >= length:
            out += out[start : start + length]
        else:  # an overlapping copy repeats its beginning
            out += (bytes(out[start:]) * (length // offset + 1))[:length]
    if len(out) != size:
        raise ValueError("damaged snappy data")
    return bytes(out)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _read_struct(data: bytes, position: int) -> tuple[Fields, int]:
    """Read a struct of Thrift's compact protocol as {field number: value}."""
    fields: Fields = {}
    number = 0
    while True:
        byte = data[position]
        position += 1
        if byte == 0:
            return fields, position
        if byte >> 4:
            number += byte >> 4
        else:
            zigzag, position = _varint(data, position)
            number = zigzag >> 1 ^ -(zigzag & 1)
        fields[number], position = _read_value(data, position, byte & 15)


def _read_value(data: bytes, position: int, kind: int) -> tuple[Any, int]:
    if kind in (1, 2):  # true and false are in the type
        return kind == 1, position
    if kind == 3:
        return data[position], position + 1
    if kind in (4, 5, 6):
        zigzag, position = _varint(data, position)
        return zigzag >> 1 ^ -(zigzag & 1), position
    if kind == 7:
        return data[position : position + 8], position + 8
    if kind == 8:
        size, position = _varint(data, position)
        return data[position : position + size], position + size
    if kind == 9:
        return _read_list(data, position)
    if kind == 12:
        return _read_struct(data, position)
    raise ValueError(f"Thrift type {kind}")


def _read_list(data: bytes, position: int) -> tuple[list[Any], int]:
    head = data[position]
    size, position = (head >> 4, position + 1) if head >> 4 < 15 else _varint(data, position + 1)
    items = []
    for _ in range(size):
        item, position = _read_value(data, position, head & 15)
        items.append(item)
    return items, position
