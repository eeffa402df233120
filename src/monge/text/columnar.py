"""Segments from columns: Parquet and Arrow files, on this machine or behind a URL."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

from monge.errors import InputError, OptionError
from monge.storage.urls import open_to_read
from monge.text.readers import system_names
from monge.text.segment import Segment
from monge.text.tables import canonical_record, gather_references
from monge.text.testset import make_segment

_ROWS = 10_000  # in memory at once


def iter_columnar(place: str, counts: dict[str, int] | None = None) -> Iterator[Segment]:
    """Yield the segments of a Parquet file, or of an Arrow file or stream, a few thousand rows in memory at a time.

    Columns are those of ``read_table``: hypothesis (required), references (lists of texts, or texts), reference,
    reference1 …, source, id, system, document; others are ignored. A missing id becomes the number of the row within
    its system, counted on in *counts* over several files. Raises InputError with file and row.
    """
    (unnamed,) = system_names((place,))
    counts = {} if counts is None else counts
    number = 0
    with open_to_read(place) as stream:
        for batch in _iter_batches(stream, place):
            names = _check_names(batch.schema.names, place)
            columns = [column.to_pylist() for column in batch.columns]
            for row in zip(*columns, strict=True):
                number += 1
                spot = f"{place}, row {number}"
                record = gather_references(dict(zip(names, row, strict=True)))
                yield make_segment(canonical_record(record, spot), counts, unnamed, spot)


def _check_names(names: list[str], place: str) -> list[str]:
    plain = [name.strip().lower() for name in names]
    repeated = next((name for name in plain if plain.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"{place}: column {repeated!r} appears twice")
    return plain


def _iter_batches(stream: IO[bytes], place: str) -> Iterator[Any]:
    pyarrow = import_pyarrow(place)
    try:
        if stream.read(4) == b"PAR1":
            stream.seek(0)
            yield from importlib.import_module("pyarrow.parquet").ParquetFile(stream).iter_batches(_ROWS)
            return
        stream.seek(0)
        if stream.read(6) == b"ARROW1":
            stream.seek(0)
            reader = pyarrow.ipc.open_file(stream)
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
            return
        stream.seek(0)
        yield from pyarrow.ipc.open_stream(stream)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{place}: neither Parquet nor Arrow ({str(error).splitlines()[0]})") from error


def import_pyarrow(place: str) -> Any:
    """Return pyarrow; raise OptionError that says how to install it for *place*."""
    try:
        importlib.import_module("pyarrow.ipc")
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise OptionError(f"{place}: Parquet and Arrow need pyarrow; pip install 'monge[parquet]'") from error


def write_columns(place: str, schema: Mapping[str, str], batches: Iterator[Mapping[str, list[Any]]]) -> None:
    """Write columns as Parquet, or as Arrow if the name ends in .arrow or .feather; whole or not at all.

    *schema* gives the type of every column: text, number or texts (a list).
    """
    from monge.storage.urls import open_to_write

    pyarrow = import_pyarrow(place)
    types = {"text": pyarrow.string(), "number": pyarrow.float64(), "texts": pyarrow.list_(pyarrow.string())}
    columns = pyarrow.schema([(name, types[kind]) for name, kind in schema.items()])
    with open_to_write(place) as stream:
        if place.endswith((".arrow", ".feather")):
            writer = pyarrow.ipc.new_file(stream, columns)
        else:
            writer = importlib.import_module("pyarrow.parquet").ParquetWriter(stream, columns, compression="zstd")
        with writer:
            for batch in batches:
                writer.write_batch(pyarrow.RecordBatch.from_pydict(dict(batch), schema=columns))
