"""Show, prune, verify or clear what was computed before.

  monge cache                        what is kept, by model and metric
  monge cache prune --max-size 2GB   remove what was not used for longest
  monge cache verify                 read everything, remove what is damaged
  monge cache clear                  remove everything

Vectors and annotations of texts, converted word vectors and scores of finished chunks are kept in $MONGE_CACHE, or
else in the folder monge of your cache, so that no text is encoded twice and an interrupted job can go on. Vectors are
used only by the code and library versions that computed them. Vectors of texts may take a twentieth of the disk, from
4 to 32 GB and no more than half of what is free, and so may word vectors; MONGE_CACHE_SIZE=2GB changes that.
MONGE_CACHE_DTYPE=float16 halves the vectors of texts, with rounded scores and a signature that says so. A cache that
cannot be written is read; nothing is read or kept with --no-cache or MONGE_NO_CACHE=1. Models are not part of this:
see `monge models`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from monge.environment import Environment, parse_bytes
from monge.errors import OptionError
from monge.storage.store import LabelSummary, format_bytes, split_label

ACTIONS = ("show", "prune", "verify", "clear")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``monge cache``."""
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="show", help="what to do; default: show")
    parser.add_argument("--max-size", metavar="SIZE", help="with prune: how much vectors may keep, such as 500M or 2GB")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


class Shelf(Protocol):
    """What a store of blobs and a directory of converted files have in common."""

    directory: Path
    most: int

    def summary(self) -> Sequence[LabelSummary]: ...
    def size(self) -> int: ...
    def prune(self, most: int) -> int: ...
    def verify(self) -> tuple[int, int]: ...


def run(args: argparse.Namespace) -> int:
    """Do what is asked with all that is kept; 1 when ``verify`` found damage."""
    if (args.action == "prune") != (args.max_size is not None):
        raise OptionError("prune needs --max-size SIZE, such as 2GB, and nothing else takes it")
    shelves = _open_shelves(Environment.read())
    if args.action == "prune":
        return _prune(shelves["vectors"], shelves["word vectors"], parse_bytes(args.max_size))
    if args.action == "clear":
        before = sum(shelf.size() for shelf in shelves.values())
        for shelf in shelves.values():
            shelf.prune(0)
        left = sum(shelf.size() for shelf in shelves.values())
        print(f"{format_bytes(before - left)} freed" + (f"; {format_bytes(left)} could not be removed" if left else ""))
        return 1 if left else 0
    if args.action == "verify":
        return _verify(list(shelves.values()))
    _show(shelves, args.format)
    return 0


def _open_shelves(environment: Environment) -> dict[str, Shelf]:
    from monge.encoders.stores import converted_vectors, vector_store
    from monge.engine.journal import open_score_store

    return {
        "vectors": vector_store(environment),
        "word vectors": converted_vectors(environment),
        "scores": open_score_store(environment.cache_directory / "scores"),
    }


def _prune(texts: Shelf, words: Shelf, most: int) -> int:
    """Leave *most* bytes of vectors in all; those of texts took longer to compute and come first."""
    before = texts.size() + words.size()
    texts.prune(most)
    words.prune(max(0, most - texts.size()))
    left = texts.size() + words.size()
    print(f"{format_bytes(before - left)} freed, {format_bytes(left)} of vectors kept")
    return 1 if left > most else 0


def _verify(shelves: Sequence[Shelf]) -> int:
    entries, damaged = (sum(numbers) for numbers in zip(*(shelf.verify() for shelf in shelves), strict=True))
    print(
        f"{entries} {'entry' if entries == 1 else 'entries'} read, {damaged} damaged"
        + (": removed, they will be made again" if damaged else "")
    )
    return 1 if damaged else 0


def _show(shelves: Mapping[str, Shelf], form: str) -> None:
    from monge.report.tables import text_table

    rows = [(row, *_origin(row.label)) for shelf in shelves.values() for row in shelf.summary()]
    if form == "json":
        bounds = {str(shelf.directory): {"bytes": shelf.size(), "most": shelf.most} for shelf in shelves.values()}
        entries = [
            {"what": what, "current": current, "entries": row.entries, "bytes": row.bytes}
            for row, what, current in rows
        ]
        print(json.dumps({"stores": bounds, "kept": entries}, ensure_ascii=False, indent=1))
        return
    for name, shelf in shelves.items():
        print(f"{name}: {format_bytes(shelf.size())} of at most {format_bytes(shelf.most)} in {shelf.directory}")
    if rows:
        table = [
            [what, "this version" if current else "another version", f"{row.entries}", format_bytes(row.bytes)]
            for row, what, current in rows
        ]
        print("", text_table(["what is kept", "made by", "entries", "size"], table, left=2), sep="\n")


def _origin(label: str) -> tuple[str, bool]:
    """Return what a label names, and whether the code that made it is the code that is running."""
    from monge.annotate.cached import MAKER as ANNOTATIONS
    from monge.encoders.identity import is_current
    from monge.engine.journal import MAKER

    what, maker = split_label(label)
    return what, maker in (MAKER, ANNOTATIONS) or is_current(maker)
