"""Make source texts more like the target language before they are compared: contractions and word order.

  monge normalise test.de -l de --output test.normal.de
  monge normalise test.fr -l fr --parses test.fr.conllu --output test.normal.fr
  monge normalise test.fr -l fr --parser fr_core_news_sm --output test.normal.fr

Contracted words are written in full (German zum → zu dem; tables for de, es, fr, it, pt). With --parses, one CoNLL-U
sentence per line of text, or with --parser, an installed package of spaCy that parses the texts, adjectives are put
before nouns (es, fr, it, pt), verbs before their objects (de, nl, tr …).
"""

from __future__ import annotations

import argparse

from monge.cli.values import check_target
from monge.errors import InputError
from monge.wording import count_noun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("texts", metavar="FILE", help="texts, one per line")
    parser.add_argument("-l", "--language", required=True, metavar="LANG", help="language of the texts")
    parses = parser.add_mutually_exclusive_group()
    parses.add_argument("--parses", metavar="FILE", help="dependency parses in CoNLL-U, one sentence per line of FILE")
    parses.add_argument("--parser", metavar="NAME", help="an installed package of spaCy that parses the texts")
    parser.add_argument("--output", default="-", metavar="FILE", help="where to write the texts (default: print them)")


def run(args: argparse.Namespace) -> int:
    from monge.crosslingual.normal_text import (
        contraction_languages,
        expand_contractions,
        join_words,
        read_conllu,
        reorder_words,
    )
    from monge.crosslingual.parsing import parse_texts
    from monge.storage.atomic import write_pieces
    from monge.text import iter_lines, parse_language, read_lines

    check_target(args.output)
    language = parse_language(args.language)
    texts = read_lines(args.texts)
    if args.parses:
        parses = list(read_conllu(iter_lines(args.parses), name=args.parses))
        if len(parses) != len(texts):
            raise InputError(
                f"{args.parses} has {count_noun(len(parses), 'sentence')} "
                f"and {args.texts} {count_noun(len(texts), 'line')}"
            )
    elif args.parser:
        parses = parse_texts(texts, args.parser)
    if args.parses or args.parser:
        texts = [join_words(reorder_words(parse, language)) for parse in parses]
    if not (args.parses or args.parser) or language in contraction_languages():
        texts = [expand_contractions(text, language) for text in texts]
    write_pieces(args.output, (f"{text}\n" for text in texts))
    return 0
