"""Reading the texts of a job, line by line, onto disk."""

from __future__ import annotations

import os
from collections.abc import Sequence

from monge.engine.spool import SegmentSpool
from monge.errors import InputError
from monge.storage.urls import list_files
from monge.text import display_name, iter_columnar, iter_parallel, iter_table

Path = str | os.PathLike[str]


def spool_parallel(
    hypothesis_paths: Sequence[Path],
    reference_paths: Sequence[Path],
    source_path: Path | None = None,
    document_path: Path | None = None,
) -> list[SegmentSpool]:
    """Read files with one text per line, as ``monge.text.read_parallel`` does, without keeping them in memory."""
    spools: list[SegmentSpool] = []
    for line in iter_parallel(hypothesis_paths, reference_paths, source_path, document_path):
        if not spools:
            spools = [SegmentSpool(segment.system) for segment in line]
        for segment, spool in zip(line, spools, strict=True):
            spool.append(segment)
    return spools


def spool_columnar(patterns: Sequence[str]) -> list[SegmentSpool]:
    """Read Parquet or Arrow files (paths or URLs, which may hold ``*``) as one table, without keeping it in memory.

    Unlike ``spool_table`` it does not look for ids that appear twice, which would take memory.
    """
    spools: dict[str, SegmentSpool] = {}
    counts: dict[str, int] = {}
    for place in (place for pattern in patterns for place in list_files(pattern)):
        for segment in iter_columnar(place, counts):
            spools.setdefault(segment.system, SegmentSpool(segment.system)).append(segment)
    if not spools:
        raise InputError(f"{', '.join(patterns)}: no segments")
    return list(spools.values())


def spool_table(path: Path) -> list[SegmentSpool]:
    """Read a table of texts, as ``monge.text.read_table`` does; only the ids are kept in memory."""
    spools: dict[str, SegmentSpool] = {}
    seen: dict[str, set[str]] = {}
    for segment in iter_table(path):
        spool = spools.setdefault(segment.system, SegmentSpool(segment.system))
        ids = seen.setdefault(segment.system, set())
        if segment.id in ids:
            where = display_name(path)
            raise InputError(f"{where}: segment id {segment.id!r} appears twice in system {segment.system!r}")
        ids.add(segment.id)
        spool.append(segment)
    if not spools:
        raise InputError(f"{display_name(path)} contains no segments")
    return list(spools.values())
