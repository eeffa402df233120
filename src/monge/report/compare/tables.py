"""The tables of a comparison, as headers and rows of text for any renderer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monge.comparison import TESTS, Comparison, MetricAgreement, PairResult
from monge.comparison.ranking import TITLES, Ranking
from monge.report.compare.plots import stars

_SHORT = {
    "sign": "sign",
    "wilcoxon": "Wilcoxon",
    "t": "t",
    "randomisation": "random.",
    "bootstrap": "boot.",
    "mood": "Mood",
}
_CORRECTED = {"holm": "Holm-corrected", "fdr": "FDR-corrected", "none": "uncorrected"}


@dataclass(frozen=True)
class Table:
    """A titled table; the first ``left`` columns are text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1


def cut_middle(name: str, width: int) -> str:
    """Return a name cut in the middle to at most *width* characters.

    >>> cut_middle("newstest2017.online-A.0.lv-en", 16)
    'newstest…0.lv-en'
    """
    if len(name) <= width:
        return name
    head = width // 2
    return f"{name[:head]}…{name[head + 1 - width :]}"


def short_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Return names cut to *width*, or as they are when cutting would make two of them equal.

    Where some are too long, their common beginning (up to a separator) is removed first.

    >>> list(short_names(["newstest.online-A", "newstest.online-B"], 10).values())
    ['…A', '…B']
    """
    letters = zip(*names, strict=False) if max(map(len, names)) > width else ()
    common = "".join(column[0] for column in itertools.takewhile(lambda column: len(set(column)) == 1, letters))
    common = common[: max(common.rfind(mark) for mark in ".-_/ ") + 1]
    bare = {name: f"…{name[len(common) :]}" if common else name for name in names}
    cut = {name: cut_middle(bare[name], width) for name in names}
    return cut if len(set(cut.values())) == len(cut) else {name: name for name in names}


def ranking_table(comparison: Comparison, *, width: int = 18) -> Table:
    """Return the value and rank of every system by every mechanism, best first by Bradley–Terry."""
    names = short_names(comparison.table.systems, width)
    rows = []
    for name in comparison.order:
        i = comparison.table.systems.index(name)
        cells = [f"{_value(r, i)} ({r.ranks[i]})" for r in comparison.rankings]
        rows.append((names[name], *cells))
    header = ("system", *(TITLES[r.mechanism] for r in comparison.rankings))
    return Table("Systems, best first by Bradley–Terry (rank in parentheses)", header, tuple(rows))


def interval_table(comparison: Comparison, *, width: int = 18) -> Table:
    """Return the intervals of strength, mean and rank, and the clusters that tests leave."""
    names = short_names(comparison.table.systems, width)
    bt, mean = comparison.ranking("bt"), comparison.ranking("mean")
    cluster = {name: k for k, group in enumerate(comparison.clusters, start=1) for name in group}
    rows = []
    for name in comparison.order:
        i = comparison.table.systems.index(name)
        rows.append(
            (
                names[name],
                _interval(bt, i),
                _interval(mean, i),
                _range(int(_known(bt.rank_low)[i]), int(_known(bt.rank_high)[i])),
                _range(*comparison.rank_ranges[name]),
                str(cluster[name]),
            )
        )
    level = f"{100 * (1 - comparison.settings.alpha):g} %"
    header = ("system", "BT", "mean", "rank by BT", "rank by tests", "cluster")
    return Table(f"{level} intervals; ranks and clusters", header, tuple(rows))


def pair_table(comparison: Comparison, pairs: Sequence[PairResult], *, width: int = 12) -> Table:
    """Return wins, P and mean advantage of pairs, the system ahead named first."""
    names = short_names(comparison.table.systems, width)
    rows = []
    for pair in (winner_first(p) for p in pairs):
        mark = stars(pair.adjusted[comparison.settings.decide_by])
        reach = max(pair.advantage - pair.advantage_low, pair.advantage_high - pair.advantage)
        digits = _digits(reach, pair.advantage)
        rows.append(
            (
                _relation(pair, names),
                f"{100 * pair.probability:.1f}{mark:<3}",
                f"{100 * pair.low:.0f}–{100 * pair.high:.0f}",
                f"{pair.wins}/{pair.ties}/{pair.losses}",
                f"{pair.advantage:+.{digits}f}",
                _bounds(pair.advantage_low, pair.advantage_high, digits),
            )
        )
    level = f"{100 * (1 - comparison.settings.alpha):g} %"
    header = ("pair", "P %   ", level, "won/tied/lost", "advantage", level)
    return Table("Pairs: P(first beats second), mean advantage of the first", header, tuple(rows))


def p_value_table(comparison: Comparison, pairs: Sequence[PairResult], *, width: int = 12) -> Table:
    """Return the corrected p-values of all tests, the effect size, and how many instances are missing."""
    names = short_names(comparison.table.systems, width)
    rows = []
    for pair in (winner_first(p) for p in pairs):
        cells = [_p(pair.adjusted[test.name]) for test in TESTS]
        effect = f"{pair.effect_size:+.2f}" if math.isfinite(pair.effect_size) else "—"
        more = "—" if pair.more_instances is None else _large(pair.more_instances)
        rows.append((_relation(pair, names), *cells, effect, more))
    correction = f" ({_CORRECTED[comparison.settings.correction]})" if len(comparison.pairs) > 1 else ""
    title = f"p-values{correction}, effect size d, instances that would settle an open pair"
    return Table(title, ("pair", *(_SHORT[test.name] for test in TESTS), "d", "more"), tuple(rows))


def corpus_table(comparison: Comparison, *, width: int = 18) -> Table | None:
    """Return the corpus scores with intervals, or None when the metric has none."""
    corpus = comparison.corpus
    if corpus is None:
        return None
    names = short_names(corpus.systems, width)
    rows = []
    for name in comparison.order:
        i = corpus.systems.index(name)
        rows.append((names[name], f"{corpus.scores[i]:.2f}", _reach(float(corpus.low[i]), float(corpus.high[i]))))
    return Table("Corpus score", ("system", "score", f"{100 * (1 - comparison.settings.alpha):g} %"), tuple(rows))


def agreement_tables(agreement: MetricAgreement) -> tuple[Table, Table]:
    """Return ranks by metric, and how far metrics agree: τ of the orders, and the share of instances judged alike."""
    metrics = tuple(agreement.comparisons)
    first = next(iter(agreement.comparisons.values()))
    names = short_names(first.table.systems, 24)
    ranks = []
    for name in first.order:
        places = [c.ranking("bt").ranks[c.table.systems.index(name)] for c in agreement.comparisons.values()]
        ranks.append((names[name], *(str(place) for place in places)))
    cells = []
    for i, metric in enumerate(metrics):
        row = [metric]
        for j in range(len(metrics)):
            tau, share = agreement.rank_agreement[i, j], agreement.instance_agreement[i, j]
            row.append("—" if i == j else (f"{tau:+.2f}" if j > i else f"{100 * share:.0f} %"))
        cells.append(tuple(row))
    title = "Agreement of metrics (above: Kendall's τ of the orders; below: same preference on single instances)"
    return (
        Table("Bradley–Terry rank by metric", ("system", *metrics), tuple(ranks)),
        Table(title, ("metric", *metrics), tuple(cells)),
    )


def _relation(pair: PairResult, names: Mapping[str, str]) -> str:
    """Return ``A > B`` if the deciding test prefers A, and ``A = B`` if it separates neither."""
    sign = "=" if pair.winner is None else ">" if pair.winner == pair.first else "<"
    return f"{names[pair.first]} {sign} {names[pair.second]}"


def winner_first(pair: PairResult) -> PairResult:
    """Return the pair with the system ahead by wins (or else by mean) named first."""
    ahead = pair.probability - 0.5 or pair.advantage
    return pair if ahead >= 0 else pair.swapped()


def _known(values: object) -> Sequence[int]:
    assert values is not None  # Bradley–Terry always has rank intervals
    return values  # type: ignore[return-value]


def _value(ranking: Ranking, i: int) -> str:
    if ranking.mechanism == "elo":
        return f"{ranking.values[i]:.0f}"
    if ranking.mechanism == "trueskill":
        return f"{ranking.values[i]:.1f}"
    return f"{ranking.values[i]:.{_interval_digits(ranking)}f}"


def _interval(ranking: Ranking, i: int) -> str:
    return _bounds(float(ranking.low[i]), float(ranking.high[i]), _interval_digits(ranking))


def _reach(low: float, high: float) -> str:
    return f"{low:.2f}–{high:.2f}" if math.isfinite(high - low) else "—"


def _bounds(low: float, high: float, digits: int) -> str:
    """Return an interval; a dash where one instance alone bounds nothing."""
    return f"{low:.{digits}f}, {high:.{digits}f}" if math.isfinite(high - low) else "—"


def _interval_digits(ranking: Ranking) -> int:
    reach = float((ranking.high - ranking.low).mean())
    return _digits(reach / 2, float(abs(ranking.values).max()))


def _digits(reach: float, value: float) -> int:
    """Return how many decimals show two digits of the uncertainty *reach* (or four of the value when it is sure)."""
    scale = reach if math.isfinite(reach) and reach > 0 else abs(value) / 100
    return max(0, min(6, 1 - math.floor(math.log10(scale)))) if scale > 0 else 1


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"[1:] if p < 0.9995 else "1"


def _large(number: int) -> str:
    return ">1M" if number > 1_000_000 else f"{number / 1000:.0f}k" if number >= 10_000 else str(number)
