"""The subwords of USE-multilingual, read from its SentencePiece file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from monge.errors import ModelError

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types of protocol buffers


def load_pieces(path: Path) -> Any:
    """Return a fast tokenizer (``tokenizers.Tokenizer``) for a SentencePiece unigram model.

    The text is normalised by the model's own table of characters (NFKC and more), white space is collapsed, and every
    word begins with ``▁``; the most probable sequence of pieces is taken (Kudo 2018). Raises ModelError for a file that
    is not such a model.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces, characters = _read_model(path)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(characters),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    ends = [(name, tokenizer.token_to_id(name)) for name in (BEGIN, END)]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=ends)
    return tokenizer


def _read_model(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """Return the pieces with their log-probabilities, and the precompiled table of the normaliser."""
    data = path.read_bytes()
    pieces: list[tuple[str, float]] = []
    characters = b""
    try:
        for number, value in _fields(data):
            if number == 1:
                fields = dict(_fields(value))
                pieces.append((fields[1].decode("utf-8"), struct.unpack("<f", fields.get(2, b"\0\0\0\0"))[0]))
            elif number == 3:
                characters = dict(_fields(value)).get(2, b"")
    except (IndexError, KeyError, UnicodeDecodeError, struct.error, ValueError) as error:
        raise ModelError(f"{path} is not a SentencePiece model: {error}") from None
    if not pieces or not characters:
        raise ModelError(f"{path} is not a SentencePiece model with a normaliser")
    return pieces, characters


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of the fields of a protocol-buffer message; a varint's content is left out."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            _, place = _varint(data, place)
            continue
        if kind == _BYTES:
            size, place = _varint(data, place)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind}")
        if place + size > len(data):
            raise ValueError("it ends early")
        yield number, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
