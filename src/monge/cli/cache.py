"""Show, prune, verify or clear what was computed before.

  monge cache                        what is kept, by model and metric
  monge cache prune --max-size 2GB   drop what was not used for longest
  monge cache verify                 read everything, drop what is damaged
  monge cache clear                  drop everything

Vectors of texts and scores of finished chunks are kept in $MONGE_CACHE, or else in the folder monge of your cache, so
that no text is encoded twice and an interrupted job can go on. What another version of monge computed is not used.
Vectors take at most 4 GB (MONGE_CACHE_SIZE changes that). MONGE_CACHE_DTYPE=float16 halves them, with rounded scores
and a signature that says so. A cache that cannot be written is read; nothing is read or kept with --no-cache or
MONGE_NO_CACHE=1. Models are no part of this: see `monge models`.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.storage.store import Store

ACTIONS = ("show", "prune", "verify", "clear")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``monge cache``."""
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="show", help="what to do; default: show")
    parser.add_argument("--max-size", metavar="SIZE", help="with prune: how much vectors may keep, such as 500M or 2GB")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    """Do what is asked with both stores; 1 when ``verify`` found damage."""
    from monge.encoders.cached import embedding_store
    from monge.encoders.static.cache import cache_directory
    from monge.engine.journal import open_score_store
    from monge.environment import parse_bytes
    from monge.storage.store import format_bytes

    if (args.action == "prune") != (args.max_size is not None):
        raise OptionError("prune needs --max-size SIZE, such as 2GB, and nothing else takes it")
    vectors, scores = embedding_store(), open_score_store(cache_directory() / "scores")
    if args.action == "prune":
        freed = vectors.prune(parse_bytes(args.max_size))
        print(f"{format_bytes(freed)} freed, {format_bytes(vectors.size())} of vectors kept")
        return 0
    if args.action == "clear":
        print(f"{format_bytes(vectors.prune(0) + scores.prune(0))} freed")
        return 0
    if args.action == "verify":
        return _verify(vectors, scores)
    _show(vectors, scores, args.format)
    return 0


def _verify(*stores: Store) -> int:
    reports = [store.verify() for store in stores]
    entries, damaged = (sum(numbers) for numbers in zip(*reports, strict=True))
    print(f"{entries} entries read, {damaged} damaged" + (": dropped, they will be made again" if damaged else ""))
    return 1 if damaged else 0


def _show(vectors: Store, scores: Store, form: str) -> None:
    from monge.report.tables import text_table
    from monge.storage.store import format_bytes

    rows = [(row, *_origin(row.label)) for store in (vectors, scores) for row in store.summary()]
    if form == "json":
        bounds = {str(store.directory): {"bytes": store.size(), "most": store.most} for store in (vectors, scores)}
        entries = [
            {"what": what, "current": current, "entries": row.entries, "bytes": row.bytes}
            for row, what, current in rows
        ]
        print(json.dumps({"stores": bounds, "kept": entries}, ensure_ascii=False, indent=1))
        return
    for name, store in (("vectors", vectors), ("scores", scores)):
        print(f"{name}: {format_bytes(store.size())} of at most {format_bytes(store.most)} in {store.directory}")
    if rows:
        table = [
            [what, "this version" if current else "another version", f"{row.entries}", format_bytes(row.bytes)]
            for row, what, current in rows
        ]
        print("", text_table(["what is kept", "made by", "entries", "size"], table, left=2), sep="\n")


def _origin(label: str) -> tuple[str, bool]:
    """Return what a label names, and whether the code that made it is the code that is running."""
    from monge.encoders.cached import split_label
    from monge.engine.journal import SCORING_ROOMS

    return split_label(label, ("encoders",), SCORING_ROOMS)
