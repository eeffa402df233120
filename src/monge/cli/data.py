"""List, show, locate and fetch sets of human judgments.

  monge data list
  monge data show wmt17
  monge data path wmt17
  monge data fetch stsb

Sets are searched for in $MONGE_DATA and in monge's cache; none is part of monge. Those with a fixed public address can
be fetched, and their SHA-256 is checked.
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.errors import InputError
from monge.wording import count_noun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="all sets, and which of them are on this machine")
    for name, summary in (
        ("show", "what a set is: parts, aspects, sizes, licence, citation, address"),
        ("path", "where a set is"),
        ("fetch", "fetch a set that has a public address"),
        ("get", "the same as fetch"),
    ):
        action = actions.add_parser(name, help=summary)
        action.add_argument("name", metavar="NAME")
        if name in ("fetch", "get"):
            add_environment_arguments(action, cache=False)


def run(args: argparse.Namespace) -> int:
    if args.action == "list":
        return _list()
    from monge.meta.data import find_data

    spec = find_data(args.name)
    if args.action == "path":
        path = spec.locate()
        if path is None:
            raise InputError(
                f"{spec.name} is not on this machine: set MONGE_DATA to the folder that holds {spec.folder}/"
            )
        print(path)
        return 0
    if args.action in ("fetch", "get"):
        from monge.meta.data.locate import download_data

        print(download_data(spec, read_environment(args)))
        return 0
    return _show(args.name)


def _list() -> int:
    from monge.meta.data import CATALOG
    from monge.report.tables import text_table

    rows = [
        [spec.name, "here" if spec.locate() else "can be fetched" if spec.files else "–", spec.title]
        for spec in CATALOG
    ]
    print(text_table(["name", "here?", "what"], rows, left=3))
    print("\n`monge data show NAME` shows licence, citation and origin.")
    return 0


def _show(name: str) -> int:
    import numpy as np

    from monge.meta.data import find_data
    from monge.report.tables import text_table

    spec = find_data(name)
    path = spec.locate()
    print(f"{spec.name}: {spec.title}")
    print(f"licence   {spec.licence}\ncitation  {spec.citation}\nfrom      {spec.home}")
    print(f"here      {path or 'no'}")
    print(
        f"usual     {spec.statistic} at level {spec.level}" + (f", parts {', '.join(spec.parts)}" if spec.parts else "")
    )
    if path is None:
        return 0
    rows = []
    for judged in spec.load(["all"]):
        for aspect in judged.aspects:
            table = judged.judgments.get(aspect)
            count = int(np.isfinite(table.values).sum()) if table is not None else 0
            systems = len(table.systems) if table is not None else len(judged.totals[aspect])
            inputs = len(table.segments) if table is not None else 0
            references = max((len(s.references) for s in judged.segments), default=0)
            judged_of = count_noun(count, "output") if count else f"{len(judged.totals.get(aspect, {}))} systems"
            rows.append([judged.name, aspect, judged_of, f"{systems}", f"{inputs:,}", str(references)])
    print("\n" + text_table(["part", "aspect", "judged", "systems", "inputs", "references"], rows, left=2))
    return 0
