"""A comparison for terminals, programs and browsers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from monge.comparison import Comparison, Findings, MetricAgreement, PairResult, describe_verdict, explain_comparison
from monge.comparison.buckets import Buckets
from monge.comparison.diagnosis import key_pairs
from monge.comparison.significance import find_test
from monge.report.compare.bucket_tables import bucket_tables
from monge.report.compare.instances import instances_html
from monge.report.compare.plots import (
    draw_differences,
    draw_pairwise_matrix,
    draw_rank_intervals,
    draw_score_density,
)
from monge.report.compare.tables import (
    Table,
    agreement_tables,
    corpus_table,
    interval_table,
    p_value_table,
    pair_table,
    ranking_table,
    winner_first,
)
from monge.report.html import html_details, html_drawing, html_list, html_page, html_table
from monge.report.tables import display_width, text_table
from monge.wording import count_noun
from monge.workflows.instances import ShownPair


def comparison_tables(comparison: Comparison, *, all_pairs: bool = False, width: int | None = None) -> list[Table]:
    """Return the tables of a report, names cut so that each fits in *width* columns.

    Of many pairs only neighbours in rank are shown unless *all_pairs* is true.
    """
    pairs = comparison.pairs if all_pairs else key_pairs(comparison)
    makers: list[Callable[[int], Table | None]] = [
        lambda w: ranking_table(comparison, width=w),
        lambda w: interval_table(comparison, width=w),
        lambda w: corpus_table(comparison, width=w),
        lambda w: pair_table(comparison, pairs, width=w),
        lambda w: p_value_table(comparison, pairs, width=w),
    ]
    return [table for make in makers if (table := _fit(make, width)) is not None]


def _fit(make: Callable[[int], Table | None], width: int | None) -> Table | None:
    """Return the table with the longest names that fit; names shorter than six characters are not cut further."""
    if width is None:
        return make(1000)
    for length in range(40, 5, -1):
        table = make(length)
        if table is None or max(map(display_width, text_table(table.header, table.rows).split("\n"))) <= width:
            return table
    return make(6)


def comparison_heading(comparison: Comparison, name: str = "") -> str:
    """Return one line on what was compared."""
    table = comparison.table
    direction = "higher" if table.higher_is_better else "lower"
    label = f"{name}: " if name else ""
    ends = comparison.scale
    scale = "" if ends is None else f"; unrelated texts score {ends.unrelated:.3g}, a copy {ends.copy:.3g}"
    instances = count_noun(len(table.segments), "instance")
    return f"{label}{len(table.systems)} systems, {instances}, {direction} is better{scale}"


def comparison_text(
    comparison: Comparison, findings: Findings, *, name: str = "", all_pairs: bool = False, width: int = 80
) -> str:
    """Return the report for a terminal: conclusions, warnings, tables, notes."""
    parts = [comparison_heading(comparison, name), _bullets(findings.conclusions, "", width)]
    if findings.warnings:
        parts.append(_bullets(findings.warnings, "! ", width))
    for table in comparison_tables(comparison, all_pairs=all_pairs, width=width):
        parts.append(f"{_wrap(table.title, '', width)}\n{text_table(table.header, table.rows, left=table.left)}")
    hidden = len(comparison.pairs) - len(key_pairs(comparison))
    notes = [_legend(comparison)]
    if hidden and not all_pairs:
        notes.append(f"{hidden} more pairs are not shown (--pairs all)")
    parts.append(_bullets([*notes, *findings.notes], "note: ", width))
    return "\n\n".join(parts)


def quiet_text(
    comparison: Comparison, findings: Findings, *, name: str = "", all_pairs: bool = False, width: int = 80
) -> str:
    """Return the conclusions and warnings only."""
    parts = [comparison_heading(comparison, name), _bullets(findings.conclusions, "", width)]
    parts += [_bullets(findings.warnings, "! ", width)] if findings.warnings else []
    return "\n".join(parts)


def agreement_text(agreement: MetricAgreement, *, width: int = 80, quiet: bool = False) -> str:
    """Return what several metrics say together, for a terminal; *quiet* leaves sentences only."""
    parts = [f"{len(agreement.comparisons)} metrics together", _bullets(agreement_sentences(agreement), "", width)]
    for table in [] if quiet else agreement_tables(agreement):
        parts.append(f"{_wrap(table.title, '', width)}\n{text_table(table.header, table.rows, left=table.left)}")
    return "\n\n".join(parts)


def agreement_sentences(agreement: MetricAgreement, *, limit: int = 12) -> list[str]:
    """Return one sentence per pair: conflicts first, then settled pairs, then open ones."""
    order = ("conflict", "unanimous", "leaning", "undecided")
    verdicts = sorted(agreement.verdicts, key=lambda verdict: order.index(verdict.kind))
    sentences = [describe_verdict(verdict) for verdict in verdicts[:limit]]
    if len(verdicts) > limit:
        counts = {kind: sum(v.kind == kind for v in verdicts) for kind in order}
        listing = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        sentences.append(f"of {len(verdicts)} pairs: {listing}")
    return sentences


def comparison_record(
    comparison: Comparison,
    findings: Findings,
    *,
    instances: Sequence[ShownPair] = (),
    buckets: Sequence[Buckets] = (),
) -> dict[str, Any]:
    """Return everything as plain JSON values; numbers that are not finite become null."""
    systems = comparison.table.systems
    rankings = {
        r.mechanism: {
            name: {
                "value": float(r.values[i]), "rank": int(r.ranks[i]), "low": float(r.low[i]), "high": float(r.high[i]),
                **({} if r.rank_low is None or r.rank_high is None
                   else {"rank_low": int(r.rank_low[i]), "rank_high": int(r.rank_high[i])}),
            }
            for i, name in enumerate(systems)
        }
        for r in comparison.rankings
    }  # fmt: skip
    corpus = comparison.corpus
    record = {
        "systems": list(systems),
        "instances": len(comparison.table.segments),
        "signature": comparison.table.signature,
        "higher_is_better": comparison.table.higher_is_better,
        **({} if comparison.scale is None else {"scale": comparison.scale.record()}),
        "settings": asdict(comparison.settings),
        "conclusions": list(findings.conclusions),
        "warnings": list(findings.warnings),
        "notes": list(findings.notes),
        "rankings": rankings,
        "clusters": [list(group) for group in comparison.clusters],
        "rank_ranges": {name: list(bounds) for name, bounds in comparison.rank_ranges.items()},
        "pairs": [asdict(pair) for pair in comparison.pairs],
        **({"shown": [pair.record() for pair in instances]} if instances else {}),
        **({"buckets": [asdict(one) for one in buckets]} if buckets else {}),
    }
    if corpus is not None:
        record["corpus"] = {
            "scores": {name: float(corpus.scores[i]) for i, name in enumerate(corpus.systems)},
            "pairs": [asdict(pair) for pair in corpus.pairs],
        }
    plain: dict[str, Any] = _plain(record)
    return plain


def comparison_figures(comparison: Comparison, *, limit: int = 6) -> list[tuple[str, str, Callable[[], Any]]]:
    """Return (file name, caption, draw) of every figure; two for each of the first *limit* key pairs."""
    figures: list[tuple[str, str, Callable[[], Any]]] = [
        ("pairwise", "Who beats whom: P(row beats column) in percent; blue above 50, red below, stars: significant",
         lambda: draw_pairwise_matrix(comparison)),
        ("ranks", "Rank of each system by every mechanism", lambda: draw_rank_intervals(comparison)),
    ]  # fmt: skip
    for number, pair in enumerate(map(winner_first, key_pairs(comparison)[:limit]), start=1):
        figures += [
            (f"density-{number}-{_slug(pair)}", f"Scores of {pair.first} and {pair.second} on the same instances; "
             "the side of the diagonal with more instances is shaded", _drawer(draw_score_density, comparison, pair)),
            (f"differences-{number}-{_slug(pair)}", f"Paired differences of {pair.first} and {pair.second}",
             _drawer(draw_differences, comparison, pair)),
        ]  # fmt: skip
    return figures


def _slug(pair: PairResult) -> str:
    """Return the names of a pair as part of a file name."""
    return "-".join(re.sub(r"[^\w.+-]+", "_", name)[:40] for name in (pair.first, "vs", pair.second))


def comparison_html(
    comparisons: Mapping[str, tuple[Comparison, Findings]],
    agreement: MetricAgreement | None,
    shown: Mapping[str, Sequence[ShownPair]] | None = None,
    *,
    title: str,
    drill: bool = False,
    buckets: Mapping[str, Sequence[Buckets]] | None = None,
) -> str:
    """Return one page for one or several metrics that needs no network.

    *shown* are the instances to show and *buckets* the tables by kinds of instances, by metric; *drill* gives each
    instance a button by which a page can explain it.
    """
    sections: list[tuple[str, str]] = []
    if agreement is not None:
        tables = "".join(_titled(table) for table in agreement_tables(agreement))
        sections.append(("All metrics together", html_list(agreement_sentences(agreement)) + tables))
    for name, (comparison, findings) in comparisons.items():
        prefix = f"{name}: " if name and len(comparisons) > 1 else ""
        instances = instances_html((shown or {}).get(name, ()), drill=name if drill else "")
        sections += [(f"{prefix}{heading.lower()}" if prefix else heading, content)
                     for heading, content in _html_sections(
                         comparison, findings, instances, bucket_tables((buckets or {}).get(name, ())))]  # fmt: skip
    how = [heading for heading, _ in sections if heading.lower().endswith("how it was done")]
    return html_page(title, sections, folded=how)


def explain_all(comparisons: Mapping[str, Comparison]) -> dict[str, tuple[Comparison, Findings]]:
    """Return every comparison with its findings."""
    return {name: (comparison, explain_comparison(comparison)) for name, comparison in comparisons.items()}


def _html_sections(
    comparison: Comparison, findings: Findings, instances: str, buckets: Sequence[Table]
) -> list[tuple[str, str]]:
    heading = f'<p class="note">{comparison_heading(comparison)}</p>'
    tables = comparison_tables(comparison)
    overview, pairs = tables[:-2], tables[-2:]
    every = comparison_tables(comparison, all_pairs=True)[-2:]
    folded = html_details(f"all {len(comparison.pairs)} pairs", "".join(_titled(t) for t in every))
    figures = [html_drawing(draw, caption) for _, caption, draw in comparison_figures(comparison)]
    return [
        ("Conclusions", heading + html_list(findings.conclusions)),
        ("Warnings", html_list(findings.warnings, kind="warning")),
        ("Systems", "".join(_titled(t) for t in overview)),
        ("Pairs", "".join(_titled(t) for t in pairs) + (folded if len(every[0].rows) > len(pairs[0].rows) else "")),
        ("Instances that differ most", instances),
        ("Kinds of instances", "".join(_titled(table) for table in buckets)),
        ("Figures", f'<div class="figures">{"".join(figures)}</div>'),
        ("How it was done", html_list([_legend(comparison), *findings.notes], kind="note")),
    ]


def _titled(table: Table) -> str:
    return f'<p class="note">{table.title}</p>{html_table(table.header, table.rows, left=table.left)}'


def _drawer(draw: Callable[[Comparison, str, str], Any], comparison: Comparison, pair: PairResult) -> Callable[[], Any]:
    return lambda: draw(comparison, pair.first, pair.second)


def _legend(comparison: Comparison) -> str:
    test = find_test(comparison.settings.decide_by).title
    return f"A > B: A beats B by the {test}; A = B: it separates neither; * p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001"


def _bullets(sentences: Sequence[str], mark: str, width: int) -> str:
    return "\n".join(_wrap(sentence, f"  {mark}", width) for sentence in sentences)


def _wrap(sentence: str, start: str, width: int) -> str:
    """Break a sentence between words, but not before %, nor inside ``p = 0.03``; wide characters take two columns."""
    words = re.sub(r"(?<=\d) (?=%)|(?<=\bp) (?=[=<])|(?<=[=<]) (?=\d)", _GLUE, sentence).split(" ")
    lines = [start + words[0]]
    for word in words[1:]:
        if display_width(lines[-1]) + 1 + display_width(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(("    " if start else "") + word)
    return "\n".join(lines).replace(_GLUE, " ")


_GLUE = "\u00a0"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
