"""Pictures and pages of alignments: complete, literal, self-contained."""

import re
import xml.etree.ElementTree as ET

import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.explanation import Explanation, explain_segments
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.report.alignment.heatmap import render_heatmap
from monge.report.alignment.page import render_page, render_text
from monge.report.alignment.ribbons import render_ribbons
from monge.text import Segment

SVG = "{http://www.w3.org/2000/svg}"
ENCODER = HashedEncoder(dimension=16, layers=5, special=True)
HOSTILE = [
    "<script>alert(1)</script> & \"quoted\" 'text'",
    "\x00null \x1b[31mred\x07 \u202eright to left",
    "e\u0301\u0301\u0301 👩‍👩‍👧 \ud800 lone",
    "مرحبا بالعالم",
    "a" * 5000,
    "",
]


def explain(hypothesis: str, reference: str, name: str = "bertscore", **options: object) -> Explanation:
    options = {"encoder": ENCODER, **options}
    metric = bind_to(load_metric(name, **options), [Segment(hypothesis, (reference,))])
    return explain_segments(metric, [Segment(hypothesis, (reference,))])[0]


def test_a_ribbon_a_flow_and_a_box_a_word() -> None:
    explanation = explain("the boy ran", "the man ran home", encoder=HashedEncoder())
    root = ET.fromstring(render_ribbons(explanation))
    words = [g for g in root.iter(f"{SVG}g") if g.get("class") == "word"]
    assert sum("data-h" in g.attrib for g in words) == 3
    assert sum("data-r" in g.attrib for g in words) == 4
    ribbons = {(p.get("data-h"), p.get("data-r")) for p in root.iter(f"{SVG}path")}
    flows = {(str(f.hypothesis), str(f.reference)) for plan in explanation.pairs[0].plans for f in plan.flows()}
    assert ribbons == flows


def test_width_of_a_ribbon_is_its_mass() -> None:
    explanation = explain("a b", "c d e", "emd")
    root = ET.fromstring(render_ribbons(explanation))
    masses = {(f.hypothesis, f.reference): f.mass for f in explanation.pairs[0].plans[0].flows()}
    widths = {}
    for path in root.iter(f"{SVG}path"):
        numbers = [float(x) for x in re.findall(r"-?\d+\.\d+", path.get("d") or "")]
        widths[int(path.get("data-h")), int(path.get("data-r"))] = abs(numbers[8] - numbers[6])
    ratios = [widths[key] / mass for key, mass in masses.items() if key in widths]
    assert max(ratios) == pytest.approx(min(ratios), rel=0.02)


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_literally(text: str, columns: bool) -> None:
    explanation = explain(text, "a plain <b>reference</b>")
    for picture in (render_ribbons(explanation, columns=columns), render_heatmap(explanation)):
        ET.fromstring(picture)  # well-formed
        assert "<script" not in picture
        assert "\x1b" not in picture
    shown = render_text(explanation, colour=False)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", shown)
    page = render_page([explanation])
    assert "<script>alert" not in page
    page.encode("utf-8")


def test_words_left_out_are_faint_not_gone() -> None:
    picture = render_ribbons(explain("the boy ran", "the man ran", "wmd"))
    root = ET.fromstring(picture)
    skipped = [t.text for t in root.iter(f"{SVG}text") if t.get("class") == "skipped"]
    assert skipped == ["the", "the"]


def test_a_page_loads_nothing() -> None:
    page = render_page([explain("the boy ran", "the man ran home")])
    assert not re.search(r"""(src|href)\s*=|@import|url\((?!#)""", page)


def test_unmoved_mass_is_drawn_and_named() -> None:
    explanation = explain("the boy", "the boy quantum violet", "lazy_emd", lambda_c=0.05, lambda_r=0.05)
    assert "omission" in render_ribbons(explanation)
    assert "omitted" in render_text(explanation)


def test_colour_only_when_asked() -> None:
    explanation = explain("the boy ran", "the man ran home")
    assert "\x1b[" not in render_text(explanation)
    assert "\x1b[38;5;" in render_text(explanation, colour=True)


def test_the_sum_line_adds_up() -> None:
    explanation = explain("the boy ran", "the man ran home")
    line = next(line for line in render_text(explanation).splitlines() if " = " in line)
    numbers = [float(n.replace("−", "-")) for n in re.findall(r"[−+]?\d+\.\d+", line)]
    assert numbers[0] == pytest.approx(sum(numbers[1:]), abs=2e-4)


def test_idf_of_one_pair_is_refused_and_told() -> None:
    metric = bind_to(load_metric("moverscore", encoder=ENCODER), [Segment("a b", ("b c",))])
    assert metric.bound
    assert "uniform" in metric.binding_notes[0]
    assert "weighting:uniform" in str(metric.signature)
    corpus = [Segment("a b", ("b c",)), Segment("a", ("d e",))]
    assert bind_to(load_metric("moverscore", encoder=ENCODER), corpus).binding_notes == ()


def test_pictures_say_which_text_is_which() -> None:
    pair = explain("the boy ran", "the man ran home")
    assert "above: hypothesis; below: reference" in render_ribbons(pair, columns=False, frame=False)
    assert "left: hypothesis; right: reference" in render_ribbons(pair, columns=True)
    assert "rows: hypothesis; columns: reference" in render_heatmap(pair, frame=False)
