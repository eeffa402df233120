"""What ``monge score`` prints and writes."""

from __future__ import annotations

import functools
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from monge.clouds import MARKED_SHARE
from monge.engine.system_scores import SystemScores
from monge.report.printable import make_printable
from monge.report.tables import folded_table, latex_table
from monge.scores.direction import direction_mark
from monge.text import write_jsonl, write_tsv
from monge.wording import count_noun

if TYPE_CHECKING:  # it needs scipy, which takes longer to load than ten lines take to score
    from monge.workflows.worst import WorstSegment


def write_segments(path: str, results: Sequence[SystemScores]) -> None:
    """Write every segment's score and its parts as JSONL or TSV, after the name of *path*."""
    rows = (
        {"system": r.system, "metric": r.metric, "higher_is_better": r.higher_is_better} | record
        for r in results
        for record in r.records()
    )
    if path.removesuffix(".gz").endswith(".jsonl"):
        write_jsonl(path, rows)
        return
    header = ["system", "metric", "id", "score", "higher_is_better"]
    parts = list(dict.fromkeys(name for result in results for name in result.parts))
    noted = ["notes"] if any(result.notes for result in results) else []
    cells = (
        [*(_plain(row[name]) for name in header), *_part_cells(row, parts), *(_join_notes(row) for _ in noted)]
        for row in rows
    )
    write_tsv(path, [*header, *(f"parts.{name}" for name in parts), *noted], cells)


def _join_notes(row: Mapping[str, Any]) -> str:
    """Return the notes of one score as one cell."""
    return " ".join("; ".join(row.get("notes", ())).split())


def _part_cells(row: Mapping[str, Any], parts: Sequence[str]) -> list[object]:
    """Return the parts of one score as cells; empty where this metric has no such part."""
    own = row.get("parts", {})
    return ["" if own.get(name) is None else own[name] for name in parts]


def _plain(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def print_json(results: Sequence[SystemScores]) -> None:
    """Print what ``json.dumps(…, indent=1)`` would, one segment at a time."""
    for number, result in enumerate(results):
        head = json.dumps(result.summary(), ensure_ascii=False, indent=1).removesuffix("\n}")
        print(" }," if number else "[", textwrap.indent(head, " "), sep="\n", end=',\n  "segments": [')
        comma = ""
        for record in result.records():
            print(comma, textwrap.indent(json.dumps(record, ensure_ascii=False, indent=1), "   "), sep="\n", end="")
            comma = ","
        print("\n  ]")
    print(" }\n]")


def report_reuse(results: Sequence[SystemScores]) -> None:
    """Say on stderr how many scores were not computed now."""
    reused, total = sum(result.reused for result in results), sum(map(len, results))
    if reused:
        which = "all" if reused == total else f"{reused} of {total}"
        print(f"monge: {which} scores come from an earlier run (--no-cache computes them again)", file=sys.stderr)


def print_table(results: Sequence[SystemScores], *, width: int | None, latex: bool, quiet: bool) -> None:
    """Print systems × metrics as text or LaTeX with what the mark ``!`` means, then signatures and notes."""
    metrics = list(dict.fromkeys(result.metric for result in results))
    systems = list(dict.fromkeys(result.system for result in results))
    cells = {(result.system, result.metric): result for result in results}
    arrows = {result.metric: direction_mark(result.higher_is_better) for result in results}
    header = ["system", *(f"{metric} {arrows[metric]}".rstrip() for metric in metrics)]
    rows = [
        [make_printable(system), *(_cell(cells[system, metric], width) for metric in metrics)] for system in systems
    ]
    alike = have_same_segments(results)
    best = [
        (systems.index(system), column)
        for column, metric in enumerate(metrics, start=1)
        for system in (_best(results, metric) if alike else ())
    ]
    if latex:
        print(latex_table(header, rows, bold=best if len(systems) > 1 else ()))
    else:
        if len(systems) > 1:
            marked = set(best)
            rows = [
                [cell + ("*" if (r, c) in marked else " " if c else "") for c, cell in enumerate(row)]
                for r, row in enumerate(rows)
            ]
            header = [name + (" " if c else "") for c, name in enumerate(header)]
        rows += [] if quiet else _scale_rows(results, metrics, width, len(systems) > 1)
        # a terminal would break the lines anywhere; a file or another program gets one row per system
        print(folded_table(header, rows, width=shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    stream = sys.stderr if latex else sys.stdout
    for line in _explain_marks(results):
        print(line, file=stream)
    if not quiet:
        _print_remarks(results, len(systems) if alike else 1, stream)
    if not alike:
        print("monge: the systems were scored on different segments, so that none is marked as best", file=sys.stderr)


def _scale_rows(
    results: Sequence[SystemScores], metrics: Sequence[str], width: int | None, starred: bool
) -> list[list[str]]:
    """Return what unrelated texts and copies score by every metric for which that is known."""
    known = {result.metric: result for result in results if result.scale is not None}
    if not known:
        return []
    rows = []
    for end in ("unrelated", "copy"):
        cells = []
        for metric in metrics:
            digits = known[metric].digits if metric in known and width is None else width
            cells.append(f"{getattr(known[metric].scale, end):.{digits}f}" if metric in known else "–")
        rows.append([f"({end})", *(cell + " " if starred else cell for cell in cells)])
    return rows


def print_numbers(results: Sequence[SystemScores], width: int | None) -> None:
    """Print one line per system, with the scores separated by tabs, and nothing else; warnings go to stderr."""
    for system in dict.fromkeys(result.system for result in results):
        print("\t".join(_number(result, width) for result in results if result.system == system))
    for warning in _warn_of_unknown(results):
        print(f"monge: {warning}", file=sys.stderr)


def _print_remarks(results: Sequence[SystemScores], systems: int, stream: Any) -> None:
    if systems > 1 and stream is sys.stdout:
        print("* best by this score alone; `monge compare` tests the differences", file=stream)
    if stream is sys.stdout and any(result.scale is not None for result in results):
        print("(unrelated) what unrelated English texts score on average, (copy) what a copy scores", file=stream)
    print(file=stream)
    for signature in dict.fromkeys(result.signature + _sign_bootstrap(result) for result in results):
        print(signature, file=stream)
    for line in _list_notes(results):
        print(f"note: {make_printable(line)}", file=stream)


def _sign_bootstrap(result: SystemScores) -> str:
    """Return what the interval depends on as sacrebleu writes it in its signatures; nothing if there is none."""
    return "|bs:{draws}|seed:{seed}".format_map(result.bootstrap) if result.bootstrap else ""


def _list_notes(results: Sequence[SystemScores]) -> list[str]:
    """Return the notes of every system, those that several metrics share once; with names unless all share them."""
    metrics = list(dict.fromkeys(result.metric for result in results))
    found: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if result.half_width is not None and math.isnan(result.half_width):
            line = f"no interval: at least two {result.unit}s with a score are needed"
            found.setdefault((result.system, line), []).append(result.metric)
        for note, count in result.notes.items():
            line = f"{note} ({count} of {count_noun(len(result), result.unit)})"
            found.setdefault((result.system, line), []).append(result.metric)
    return [
        f"{system}: {line}" if len(own) == len(metrics) > 1 else f"{system}, {', '.join(own)}: {line}"
        for (system, line), own in found.items()
    ]


def _explain_marks(results: Sequence[SystemScores]) -> list[str]:
    """Return what ``!`` means, one line for every score that has it."""
    foreign = [
        f"{r.system}, {r.metric}: the encoder was not made for the language of these texts"
        for r in results
        if r.marked and r.unknown <= MARKED_SHARE
    ]
    return [f"! {line}" for line in (*_warn_of_unknown(results), *map(make_printable, foreign))]


def _warn_of_unknown(results: Sequence[SystemScores]) -> list[str]:
    """Return one sentence for every score that rests on many words that the encoder does not know."""
    return [
        make_printable(f"{r.system}, {r.metric}: {round(100 * r.unknown)} % of the words are unknown to the encoder")
        for r in results
        if r.unknown > MARKED_SHARE
    ]


def have_same_segments(results: Sequence[SystemScores]) -> bool:
    """Whether all systems were scored on segments with the same ids, references and sources."""
    first = {result.metric: result for result in reversed(results)}
    return all(
        result is first[result.metric] or _segment_digest(result) == _segment_digest(first[result.metric])
        for result in results
    )


@functools.cache
def _segment_digest(result: SystemScores) -> int:
    """Return a number that depends on what was to be written, not on the order of the segments."""
    return sum(hash((segment.id, segment.references, segment.source)) for segment in result.segments)


def _best(results: Sequence[SystemScores], metric: str) -> list[str]:
    """Return the systems that no other beats by this metric."""
    own = [result for result in results if result.metric == metric and not math.isnan(result.score)]
    if not own or own[0].higher_is_better is None:
        return []
    choose = max if own[0].higher_is_better else min
    return [result.system for result in own if result.score == choose(other.score for other in own)]


def _cell(result: SystemScores, width: int | None) -> str:
    return _number(result, width) + ("!" if result.marked else "")


def _number(result: SystemScores, width: int | None) -> str:
    digits = result.digits if width is None else width
    known = result.half_width is not None and not math.isnan(result.half_width)
    interval = f" ± {result.half_width:.{digits}f}" if known else ""
    return f"{result.score:.{digits}f}{interval}"


def print_worst(worst: Mapping[str, Sequence[WorstSegment]], like: SystemScores) -> None:
    """Print the worst segments of each system with texts and where the score was lost; *like* has the digits."""
    from monge.explanation import describe_loss

    for system, segments in worst.items():
        of = f" of {make_printable(system)}" if system else ""
        print(f"\nworst {len(segments)}{of} by {like.metric}")
        for one in segments:
            rows = [("id", one.segment.id), ("score", f"{one.value:.{like.digits}f}")]
            if one.segment.source is not None:
                rows.append(("source", one.segment.source))
            rows += [("reference", text) for text in one.segment.references]
            rows.append(("output", one.segment.hypothesis))
            if one.explanation is not None:
                rows.append(("why", describe_loss(one.explanation)))
            print("\n" + "\n".join(f"  {name:<9}  {make_printable(text)}".rstrip() for name, text in rows))
