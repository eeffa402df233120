"""Pictures of pairs and documents on the page: ribbons, heat maps, foci."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .actions import LONG, OTHER, hold_explanations, next_of, open_pair, press_score, wait_drawn


def test_the_heat_map_answers_too(page: Page, address: str) -> None:
    open_pair(page, address, "the boy ran", "the man ran home")
    page.click("#view-heatmap")
    cells = page.locator("#picture .cell")
    expect(cells).to_have_count(3 * 4)
    cells.first.hover()
    expect(page.locator("#detail")).to_contain_text("cost")


def test_the_heat_map_answers_to_the_keyboard(page: Page, address: str) -> None:
    open_pair(page, address, "the boy ran", "the boy ran home", "&view=heatmap&m=bertscore&metric=bertscore")
    page.focus('#picture .head[data-h="1"]')
    expect(page.locator("#detail")).to_contain_text("boy: adds")
    expect(page.locator("#detail")).to_contain_text("to boy (mass 0.3333 at cost")
    expect(page.locator('#picture .head[data-r="1"]')).to_have_class("head on")
    expect(page.locator('#picture .head[data-r="0"]')).to_have_class("head")


def test_arabic_runs_from_right_to_left(page: Page, address: str) -> None:
    open_pair(page, address, "ذهب الولد إلى البيت", "he ran home quickly", "&m=bertscore&metric=bertscore")
    edges = [page.locator(f'#picture .word[data-{side}="{place}"]').bounding_box() for side in "hr" for place in (0, 3)]
    assert all(edge is not None for edge in edges)
    first_arabic, last_arabic, first_english, last_english = (edge["x"] for edge in edges if edge is not None)
    assert first_arabic > last_arabic
    assert first_english < last_english


def test_details_stay_in_sight_of_a_long_picture(page: Page, address: str) -> None:
    words = " ".join(f"word{i}" for i in range(70))
    open_pair(page, address, words, words + " end", "&m=bertscore&metric=bertscore")
    page.focus('#picture .word[data-h="2"]')
    expect(page.locator("#detail")).to_contain_text("word2: adds")
    box = page.locator("#detail").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900 + 1


def test_a_document_shows_its_foci_and_the_graph_of_its_sentences(page: Page, address: str) -> None:
    own = "The ferry left the harbour. The ferry was slow. The boats came from the harbour."
    open_pair(page, address, own, "The ferry was near the coast.", "&m=ds_focus,rc,chrf&metric=ds_focus")
    boxes = page.locator("#picture .word")
    expect(boxes).to_have_count(7)  # ferry twice, harbour twice, boats; ferry, coast
    colours = boxes.evaluate_all(
        "all => all.map(box => [box.textContent, box.querySelector('rect').getAttribute('fill')])"
    )
    ferries = {colour for text, colour in colours if text.endswith("ferry")}
    assert len(ferries) == 1
    assert len({colour for _, colour in colours}) == 4
    links = page.locator("#picture .link")
    expect(links).to_have_count(2)  # sentences 1 and 2 share the ferry, 1 and 3 the harbour
    expect(links.locator(".weight")).to_have_text(["1", "0.5"])
    page.locator("#picture .word", has_text="ferry").first.hover()
    lit = page.locator("#picture .word.on")
    expect(lit).to_have_count(3)
    expect(page.locator("#picture .link.on")).to_have_count(1)
    expect(page.locator("#detail")).to_contain_text(re.compile(r"ferry: adds \+\d\.\d{4} \(2 / 1 mentions\)"))
    rows = page.locator("#foci tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="coast")).to_contain_text("only in the reference")
    shown = page.locator('.card[data-metric="ds_focus"] .value').inner_text()
    expect(page.locator("#sum")).to_have_text(f"{shown} = the sum of what 4 foci add")
    page.click('.card[data-metric="rc"]')
    expect(page.locator("#sum")).to_contain_text("not a sum over foci")
    expect(page.locator("#picture")).not_to_contain_text("coast")
    page.click('.card[data-metric="chrf"]')
    expect(page.locator("#sum")).to_contain_text("left out")
    expect(page.locator("#foci")).to_be_empty()


def test_documents_fit_a_narrow_page(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    text = "The ferry left the harbour at noon and sank in the fog outside the old town. The ferry was old. " * 4
    open_pair(page, address, text, text, "&m=ds_focus&metric=ds_focus")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#picture svg").bounding_box()
    assert box is not None
    assert box["width"] <= 390


def test_a_picture_drawn_anew_keeps_the_word_under_the_keyboard(page: Page, address: str) -> None:
    open_pair(page, address, "the boy ran", "the man ran home", "&m=bertscore,emd&metric=bertscore")
    held = hold_explanations(page)
    page.click('.card[data-metric="emd"]')
    request = next_of(held, page)
    expect(page.locator("#picture")).to_have_attribute("aria-busy", "true")
    page.focus('#picture .word[data-h="1"]')
    request.continue_()
    wait_drawn(page)
    expect(page.locator("#difference")).to_contain_text("from bertscore to emd")
    expect(page.locator('#picture .word[data-h="1"]')).to_be_focused()
    expect(page.locator('#picture .flow.on[data-h="1"]').first).to_be_attached()
    expect(page.locator("#detail")).to_contain_text("boy: adds")


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script>",
        "مرحبا \u202e override \u0000 null \u001b[31m",
        "e\u0301\u0302\u0303 👩‍👩‍👧 \u200b",
    ],
)
def test_hostile_text_is_shown_literally(page: Page, address: str, text: str) -> None:
    open_pair(page, address, "plain words", "plain words")
    page.evaluate("text => { document.getElementById('hypothesis').value = text; }", text)
    press_score(page)
    expect(page.locator("#pair-status")).to_have_text("")
    page.click("#view-heatmap")
    assert "owned" not in page.title()
    assert page.locator("#picture img, #picture script").count() == 0


def test_an_exported_page_answers_to_the_pointer(browser: Browser, tmp_path: Path) -> None:
    from monge.encoders.static.hashed import HashedEncoder
    from monge.explanation import explain_segments
    from monge.metrics import load_metric
    from monge.report.alignment.page import render_page
    from monge.text import Segment

    metric = load_metric("emd", encoder=HashedEncoder())
    explanation = explain_segments(metric, [Segment("the boy ran", ("the man ran home",))])[0]
    (tmp_path / "why.html").write_text(render_page([explanation]), encoding="utf-8")
    page = browser.new_context(offline=True).new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "why.html").as_uri())
    page.hover('.word[data-h="1"]')
    expect(page.locator(".flow.on").first).to_be_attached()
    expect(page.locator(".detail")).to_contain_text("boy: adds")
    assert complaints == []
    page.context.close()


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_an_ordinary_sentence_wraps_at_any_width(browser: Browser, address: str, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    open_pair(page, address, LONG, OTHER, "&m=bertscore")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = page.locator("#picture svg").bounding_box()
    assert picture is not None
    assert picture["x"] + picture["width"] <= width + 1
    rows = page.locator("#picture .word[data-h] text:first-of-type").evaluate_all(
        "words => new Set(words.map(word => word.getBoundingClientRect().top)).size"
    )
    assert rows > 1
    smallest = page.locator("#picture .word > text:not(.contribution)").evaluate_all(
        "words => Math.min(...words.map(word => parseFloat(getComputedStyle(word).fontSize)))"
    )
    assert smallest >= 14
    page.context.close()


def test_what_the_pointer_shows_adds_up(page: Page, address: str) -> None:
    for metric in ("bertscore", "emd"):
        open_pair(page, address, LONG, OTHER, f"&m={metric}")
        for word in ('[data-h="8"]', '[data-r="9"]'):
            page.hover(f"#picture .word{word}")
            expect(page.locator("#detail")).to_contain_text("adds")
            first, flows = (page.locator("#detail").text_content() or "").split("\n")[:2]
            number = r"([−+]\d\.\d{4}|0)"
            total = re.search(f"adds {number}", first)
            assert total is not None
            parts = re.findall(f"{number} (?:to|from) ", flows)
            assert parts
            assert sum(map(read_number, parts)) == pytest.approx(read_number(total[1]), abs=1e-9)


def read_number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_a_near_perfect_pair_is_pale(page: Page, address: str) -> None:
    open_pair(page, address, LONG, LONG.replace("Tuesday", "Wednesday"), "&m=bertscore")
    tints = page.locator("#picture .word > rect:not(.ground)").evaluate_all(
        "boxes => boxes.map(box => parseFloat(box.getAttribute('fill-opacity')))"
    )
    assert sum(tint > 0.05 for tint in tints) <= 8  # the two days and their neighbours, whose vectors hold them too
    assert max(tints) < 0.4  # the worst word of a good pair is not dark
