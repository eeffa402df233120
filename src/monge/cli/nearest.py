"""Find the texts nearest to each query, exactly.

  monge nearest QUERY CORPUS -k 10
  monge nearest QUERY CORPUS -m emd --encoder minilm -f tsv

Both files hold one text per line. Distances are earth mover's distances (default: word mover's distance); lower bounds
leave most of the exact problems unsolved without changing the result. idf weights, if any, come from the corpus. A
search that was interrupted, started again, continues where it stopped (--no-cache starts from the beginning).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from monge.cli.arguments import (
    add_metric_arguments,
    print_warnings,
    read_environment,
    read_language,
    read_metrics,
)
from monge.wording import count_noun

if TYPE_CHECKING:
    from monge.search.nearest import Search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``monge nearest``."""
    parser.add_argument("query", metavar="QUERY", help="file of queries, one per line")
    parser.add_argument("corpus", metavar="CORPUS", help="file of texts to search, one per line")
    parser.add_argument("-k", type=int, default=10, metavar="K", help="neighbours of each query (default: 10)")
    parser.add_argument(
        "-f", "--format", choices=("text", "tsv", "json"), default="text", help="how to print (default: text)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="show neither progress nor how much work it took")
    add_metric_arguments(parser, default="wmd")


def run(args: argparse.Namespace) -> int:
    """Search, print the neighbours, and report on stderr how many exact problems were solved."""
    from monge.text import read_lines
    from monge.workflows.nearest import NearestRequest, run_nearest

    queries, corpus = read_lines(args.query), read_lines(args.corpus)
    progress = False if args.quiet else None
    request = NearestRequest(queries, corpus, args.k, read_metrics(args, default="wmd"), progress, read_language(args))
    search = run_nearest(request, environment=read_environment(args))
    printers = {"text": _text_lines, "tsv": _tsv_lines, "json": _json_lines}
    for line in printers[args.format](search, queries, corpus):
        print(line)
    if not args.quiet:
        print_warnings(search.warnings)
        _report(search, len(corpus))
    return 0


def _text_lines(search: Search, queries: Sequence[str], corpus: Sequence[str]) -> Iterator[str]:
    from monge.report.printable import make_printable

    width = len(str(len(corpus)))
    for number, (query, found) in enumerate(zip(queries, search.neighbours, strict=True), start=1):
        if number > 1:
            yield ""
        yield f"query {number}: {make_printable(query)}"
        if not found:
            yield "  most of its words are unknown, or it has none: no neighbours"
        for neighbour in found:
            text = make_printable(corpus[neighbour.place])
            yield f"  {neighbour.distance:.4f}  line {neighbour.place + 1:<{width}}  {text}"


def _tsv_lines(search: Search, queries: Sequence[str], corpus: Sequence[str]) -> Iterator[str]:
    yield "query\trank\tline\tdistance\ttext"
    for number, found in enumerate(search.neighbours, start=1):
        for rank, neighbour in enumerate(found, start=1):
            text = corpus[neighbour.place].replace("\t", " ")
            yield f"{number}\t{rank}\t{neighbour.place + 1}\t{neighbour.distance!r}\t{text}"


def _json_lines(search: Search, queries: Sequence[str], corpus: Sequence[str]) -> Iterator[str]:
    for number, (query, found) in enumerate(zip(queries, search.neighbours, strict=True), start=1):
        neighbours = [{"line": n.place + 1, "distance": n.distance, "text": corpus[n.place]} for n in found]
        yield json.dumps({"query": number, "text": query, "neighbours": neighbours}, ensure_ascii=False)


def _report(search: Search, texts: int) -> None:
    share = 100 * search.solved / search.pairs if search.pairs else 0.0
    said = f"monge: {search.solved} of {search.pairs} exact problems solved ({share:.2g} %)"
    if search.skipped:
        said += f"; {count_noun(search.skipped, 'text')} of the corpus without a known word left out"
    print(said, file=sys.stderr)
    if search.reused:
        which = "all" if search.reused == texts else f"{search.reused} of {texts}"
        print(f"monge: {which} texts were searched in an earlier run (--no-cache searches again)", file=sys.stderr)
