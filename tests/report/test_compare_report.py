"""Reports of a comparison: they fit, they stand alone, they repeat."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from monge.comparison import CompareSettings, combine_metrics, compare_systems
from monge.errors import OptionError
from monge.report.compare import text as report
from monge.report.compare.markup import agreement_markup, comparison_markup
from monge.report.compare.plots import (
    draw_differences,
    draw_pairwise_matrix,
    draw_rank_intervals,
    draw_score_density,
)
from monge.report.compare.tables import cut_middle, short_names
from monge.report.html import html_page
from monge.report.plots import figure_bytes, save_figure
from monge.scores import ScoreTable

SETTINGS = CompareSettings(draws=100, orders=2)


def comparison(systems: int = 3, names: str = "sys{}", seed: int = 0, instances: int = 60):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, instances)) + rng.normal(size=instances) + 0.2 * np.arange(systems)[:, None]
    values[0, 0] = np.nan
    table = ScoreTable(
        tuple(names.format(k) for k in range(systems)), tuple(map(str, range(instances))), np.round(values, 1)
    )
    return compare_systems(table, settings=SETTINGS)


@pytest.fixture(scope="module")
def explained():
    return report.explain_all({"": comparison()})[""]


@pytest.mark.parametrize("names", ["s{}", "newstest2017.a-rather-long-name-of-a-system.{}.lv-en", "日本語システム{}"])
@pytest.mark.parametrize("systems", [2, 5, 9])
def test_the_terminal_report_fits_80_columns(systems: int, names: str) -> None:
    from monge.report.tables import display_width

    one, words = report.explain_all({"": comparison(systems, names)})[""]
    for line in report.comparison_text(one, words, width=80).split("\n"):
        assert display_width(line) <= 80 or " " not in line.strip()


def test_short_names_stay_apart() -> None:
    assert cut_middle("abcdefgh", 5) == "ab…gh"
    names = ["system-one-large", "system-one-small"]
    assert len(set(short_names(names, 8).values())) == 2
    assert short_names(["aaaaaaaaaXb", "aaaaaaaaaYb"], 4) != {}
    assert short_names(["ab", "cd"], 8) == {"ab": "ab", "cd": "cd"}


def test_conclusions_come_first(explained) -> None:
    text = report.comparison_text(*explained)
    assert text.index(explained[1].conclusions[0][:20]) < text.index("Systems, best first")
    assert "note: ties" in text
    assert "missing" in text


def test_json_is_strict(explained) -> None:
    record = json.loads(json.dumps(report.comparison_record(*explained), allow_nan=False))
    assert record["systems"] == ["sys0", "sys1", "sys2"]
    assert set(record["rankings"]) == {"bt", "mean", "median", "elo", "trueskill"}
    assert len(record["pairs"]) == 3
    assert record["pairs"][0]["p_values"].keys() == record["pairs"][0]["adjusted"].keys()
    assert record["settings"]["seed"] == 12345


def test_markdown_and_latex_hold_the_tables(explained) -> None:
    markdown = comparison_markup(*explained)
    assert "| system | BT | mean |" in markdown
    latex = comparison_markup(*explained, latex=True)
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 4
    assert "%" not in latex.replace(r"\%", "").replace("% ", "", latex.count("% "))


@pytest.mark.parametrize("latex", [False, True])
def test_quiet_markup_holds_the_sentences_only(explained, latex: bool) -> None:
    marked = comparison_markup(*explained, latex=latex, quiet=True)
    agreed = agreement_markup(combine_metrics({"one": explained[0], "two": explained[0]}), latex=latex, quiet=True)
    for text in (marked, agreed):
        assert "tabular" not in text
        assert "|---" not in text
    start = explained[1].conclusions[0].split(" (")[0]
    assert start in marked
    assert "2 metrics together" in agreed


class Checker(HTMLParser):
    """Collects what could reach outside, and whether tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.outside += [v or "" for k, v in attrs if k in ("src", "href") and not (v or "").startswith(("data:", "#"))]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_from_outside() -> None:
    given = {"x": comparison(), "y": comparison(seed=1)}
    page = report.comparison_html(report.explain_all(given), combine_metrics(given), title="A <b> & c")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.outside == []
    assert "script" not in checker.tags
    assert "link" not in checker.tags
    assert "url(" not in page
    assert "A &lt;b&gt; &amp; c" in page
    assert page.count("<figure>") == 2 * (2 + 2 * 3)


def test_names_are_escaped_in_the_page() -> None:
    one = comparison(2, names="<script>{}")
    page = report.comparison_html(report.explain_all({"": one}), None, title="t")
    assert "<script>" not in page


def test_empty_sections_are_left_out() -> None:
    assert "Warnings" not in html_page("t", [("Warnings", ""), ("Kept", "<p>x</p>")])


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_figures_repeat_byte_for_byte(kind: str) -> None:
    one = comparison()
    assert figure_bytes(draw_pairwise_matrix(one), kind=kind) == figure_bytes(draw_pairwise_matrix(one), kind=kind)


@pytest.mark.parametrize("values", ["plain", "constant", "identical", "outliers", "short", "lower"])
def test_every_figure_is_drawn_whatever_the_scores(values: str) -> None:
    rng = np.random.default_rng(0)
    scores = {
        "plain": rng.normal(size=(2, 50)),
        "constant": np.stack([np.ones(50), np.full(50, 2.0)]),
        "identical": np.tile(rng.normal(size=50), (2, 1)),
        "outliers": np.stack([rng.normal(size=50), np.r_[rng.normal(size=49), 1e6]]),
        "short": np.array([[1.0], [2.0]]),
        "lower": rng.normal(size=(2, 50)),
    }[values]
    table = ScoreTable(("A", "B"), tuple(map(str, range(scores.shape[1]))), scores, "", values != "lower")
    one = compare_systems(table, settings=SETTINGS)
    figures = [draw_pairwise_matrix(one), draw_rank_intervals(one)]
    for figure in (*figures, draw_score_density(one, "A", "B"), draw_differences(one, "B", "A")):
        assert figure_bytes(figure).startswith(b"<?xml")


def test_the_side_with_more_instances_is_shaded() -> None:
    from matplotlib.collections import PolyCollection

    x = np.random.default_rng(0).normal(size=80)
    for shift in (1.0, -1.0):
        table = ScoreTable(("A", "B"), tuple(map(str, range(80))), np.stack([x, x + shift]))
        figure = draw_score_density(compare_systems(table, settings=SETTINGS), "A", "B")
        shade = next(c for c in figure.axes[0].collections if isinstance(c, PolyCollection))
        corner = shade.get_paths()[0].vertices.mean(axis=0)
        assert (corner[1] > corner[0]) == (shift > 0)


def test_an_unknown_figure_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no figure format 'gif'"):
        save_figure(draw_pairwise_matrix(comparison()), tmp_path / "x.gif")
    assert list(tmp_path.iterdir()) == []


def test_what_one_instance_cannot_bound_is_a_dash() -> None:
    one, words = report.explain_all({"": comparison(2, instances=2)})[""]  # the first system has one score
    text = report.comparison_text(one, words, width=80)
    assert "inf" not in text
    assert "—" in next(line for line in text.split("\n") if line.startswith("sys1 > sys0") or "sys0 > sys1" in line)
