"""Vocabularies stored as a column of a Parquet file, read by pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from pathlib import Path

from monge.errors import ModelError
from monge.storage.atomic import write_pieces


def read_strings(file: Path) -> list[str]:
    """Return the first column of text in *file*.

    Raises ModelError without pyarrow, for a file that is not Parquet, and for a column with missing values.
    """
    try:
        from pyarrow import ArrowException, parquet, types
    except ImportError:
        raise ModelError(f"reading {file} needs pyarrow: pip install 'monge[parquet]'") from None
    try:
        table = parquet.read_table(file)
        for column in table.columns:
            if types.is_string(column.type) or types.is_large_string(column.type):
                words = column.to_pylist()
                break
        else:
            raise ModelError(f"{file} has no column of text")
    except (ArrowException, OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read as Parquet: {str(error).partition(chr(10))[0]}") from error
    if any(word is None for word in words):
        raise ModelError(f"{file}: word {words.index(None) + 1} is missing")
    return list(words)


def write_words(source: Path, target: Path) -> None:
    """Write the words of a Parquet file as lines, which need no pyarrow to be read."""
    write_pieces(target, (f"{word}\n" for word in read_strings(source)))
