"""List and fetch bilingual dictionaries, which metrics without references read.

  monge dictionaries               which there are, their licences, and which are on this machine
  monge dictionaries fetch ru zh   get those of Russian and Chinese
  monge dictionaries look ru дом   show what a word may mean

All of them are into English. Your own files (TSV, MUSE, ding, CC-CEDICT, dictd) are given to a metric instead:
-m dictionary_cloud,language=de,dictionary=FILE.
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.errors import OptionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``monge dictionaries``."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "fetch", "look"), default="list", help="what to do; default: list"
    )
    parser.add_argument("names", nargs="*", metavar="LANGUAGE", help="codes of languages; after look, a code and words")
    add_environment_arguments(parser, cache=False)


def run(args: argparse.Namespace) -> int:
    """List dictionaries, fetch some, or look words up."""
    from monge.crosslingual.catalog import fetch_dictionary, list_dictionaries
    from monge.report.tables import text_table
    from monge.text import language_name

    environment = read_environment(args)
    if args.action == "fetch":
        if not args.names:
            raise OptionError("monge dictionaries fetch needs a language; `monge dictionaries` lists them")
        for language in args.names:
            for path in fetch_dictionary(language, environment):
                print(path)
        return 0
    if args.action == "look":
        return _look(args.names, environment)
    rows = [
        [e.language, language_name(e.language), e.name, e.licence, "not here" if e.path is None else str(e.path)]
        for e in list_dictionaries(environment)
    ]
    print(text_table(["code", "from", "dictionary", "licence", "where"], rows, left=5))
    if any(row[-1] == "not here" for row in rows):
        print("\n`monge dictionaries fetch CODE` gets those of a language.")
    return 0


def _look(names: list[str], environment: object) -> int:
    from monge.crosslingual.catalog import load_dictionary
    from monge.crosslingual.glosses import Glosser
    from monge.environment import Environment

    assert isinstance(environment, Environment)
    if len(names) < 2:
        raise OptionError("monge dictionaries look needs a language and words: monge dictionaries look de Haus")
    glosser = Glosser(names[0], load_dictionary(names[0], "", environment))
    for word in glosser.gloss(" ".join(names[1:])):
        print(f"{word.text}: {', '.join(word.glosses) or '(not found)'}" + (f"  [{word.how}]" if word.how else ""))
    return 0
