"""What a person does on the page."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route, expect


def open_pair(page: Page, address: str, hypothesis: str, reference: str, extra: str = "") -> None:
    page.goto(f"{address}/#h={quote(hypothesis)}&r={quote(reference)}{extra}")
    page.reload()  # a new fragment alone loads nothing
    wait_drawn(page)


def wait_drawn(page: Page) -> None:
    """Wait until the picture shows what was asked for last."""
    expect(page.locator("#picture")).to_have_attribute("aria-busy", "false")
    page.wait_for_selector("#picture svg")


def hold_explanations(page: Page) -> list[Route]:
    """Keep requests for explanations waiting, in a list that grows."""
    held: list[Route] = []
    page.route("**/api/explain", lambda route: held.append(route))
    return held


def next_of(held: list[Route], page: Page) -> Route:
    while not held:
        page.wait_for_timeout(10)  # lets events of the browser arrive
    return held.pop(0)


def press_score(page: Page) -> None:
    page.click("button.main >> text=Score")
    wait_drawn(page)


def test_a_pair_is_scored_and_a_word_shows_its_flow(page: Page, address: str) -> None:
    page.goto(address)
    wait_drawn(page)
    page.fill("#hypothesis", "the boy ran home")
    page.fill("#reference-1", "the zebra ran home")
    press_score(page)
    expect(page.locator('#picture .word[data-r="1"]')).to_contain_text("zebra")
    expect(page.locator('.card[data-metric="bertscore"] .value')).to_have_text(re.compile(r"^0\.\d{4}$"))
    page.hover('#picture .word[data-h="1"]')
    lit = page.locator("#picture .flow.on")
    expect(lit.first).to_be_attached()
    assert set(lit.evaluate_all("flows => flows.map(flow => flow.dataset.h)")) == {"1"}
    expect(page.locator("#detail")).to_contain_text("boy: adds")
    expect(page.locator("#detail")).to_contain_text(re.compile(r"to \w+ \(mass 0\.\d+ at cost"))
    expect(page.locator("#sum")).to_contain_text("(a perfect match)")


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


def test_a_file_dropped_on_a_text_becomes_the_text(page: Page, address: str, tmp_path: Path) -> None:
    open_pair(page, address, "old", "the boy ran")
    (tmp_path / "one.txt").write_text("\ufeffthe boy ran home\n", encoding="utf-8")
    drop_files(page, "#hypothesis", [tmp_path / "one.txt"])
    expect(page.locator("#hypothesis")).to_have_value("the boy ran home")
    drop_files(page, "footer", [tmp_path / "one.txt"])  # misses: nothing happens
    press_score(page)
    expect(page.locator("#picture")).to_contain_text("home")


def test_two_metrics_can_be_switched_and_compared(page: Page, address: str) -> None:
    open_pair(page, address, "the boy ran home today", "a zebra ran home", "&m=bertscore,lazy_emd,chrf")
    page.click('.card[data-metric="lazy_emd"]')
    expect(page.locator("#difference")).to_contain_text("from bertscore to lazy_emd")
    expect(page.locator("#difference tbody tr").nth(3)).to_be_attached()
    page.click('.card[data-metric="chrf"]')
    wait_drawn(page)
    expect(page.locator("#sum")).to_contain_text("moves no mass")
    page.hover('#picture .word[data-h="1"]')
    expect(page.locator("#detail")).to_contain_text("boy: adds")


def test_systems_are_dropped_and_the_report_is_read(page: Page, address: str, tmp_path: Path) -> None:
    good = [f"sentence {i} about ships and harbours" for i in range(20)]
    (tmp_path / "ref.txt").write_text("\n".join(good) + "\n", encoding="utf-8")
    (tmp_path / "first.txt").write_text("\n".join(good[:15] + ["nothing"] * 5) + "\n", encoding="utf-8")
    (tmp_path / "second.txt").write_text("\n".join(["bananas"] * 20) + "\n", encoding="utf-8")
    page.goto(address)
    wait_drawn(page)
    page.click("#tab-compare")
    page.set_input_files("#reference-files", tmp_path / "ref.txt")
    drop_files(page, "#drop-systems", [tmp_path / "first.txt", tmp_path / "second.txt"])
    expect(page.locator("#reference-list")).to_contain_text("ref, 20 lines")
    expect(page.locator("#system-list")).to_contain_text("second, 20 lines")
    page.click("#run-compare")
    expect(page.locator("#report h1")).to_contain_text("Comparison of first", timeout=60_000)
    expect(page.locator("#report")).to_contain_text("first > second")
    expect(page.locator("#report img").nth(3)).to_be_attached()
    assert page.locator("#report img").first.evaluate("async image => (await image.decode(), image.naturalWidth)") > 50
    with page.expect_download() as download:
        page.click("#save-report")
    assert "Comparison of first" in Path(download.value.path()).read_text(encoding="utf-8")


def test_a_comparison_can_be_given_up(page: Page, address: str, tmp_path: Path) -> None:
    for name in ("first.txt", "second.txt"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    page.goto(address)
    wait_drawn(page)
    page.click("#tab-compare")
    drop_files(page, "#drop-systems", [tmp_path / "first.txt", tmp_path / "second.txt"])
    expect(page.locator("#system-list li")).to_have_count(2)
    held: list[Route] = []
    page.route("**/api/compare", lambda route: held.append(route))
    with page.expect_request("**/api/compare"):
        page.click("#run-compare")
    expect(page.locator("#compare-progress")).to_be_visible()
    expect(page.locator("#run-compare")).to_be_disabled()
    with page.expect_event("requestfailed"):
        page.click("#clear-compare")
    expect(page.locator("#compare-progress")).to_be_hidden()
    expect(page.locator("#run-compare")).to_be_enabled()
    expect(page.locator("#compare-status")).to_have_text("")
    expect(page.locator("#report > *")).to_have_count(0)


def drop_files(page: Page, selector: str, paths: list[Path]) -> None:
    """Drop files as a person would: a DataTransfer with File objects."""
    files = [{"name": path.name, "text": path.read_text(encoding="utf-8")} for path in paths]
    transfer = page.evaluate_handle(
        "files => { const t = new DataTransfer();"
        "for (const f of files) t.items.add(new File([f.text], f.name)); return t; }",
        files,
    )
    page.dispatch_event(selector, "drop", {"dataTransfer": transfer})


def test_a_link_shows_the_same_page(page: Page, address: str) -> None:
    open_pair(page, address, "a red boat", "a blue boat", "&view=heatmap&m=emd&metric=emd")
    assert page.input_value("#hypothesis") == "a red boat"
    expect(page.locator("#picture .cell").first).to_be_attached()
    page.fill("#hypothesis", "ümlaut & ampersand #1")
    press_score(page)
    expect(page.locator("#picture")).to_contain_text("ümlaut")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    wait_drawn(page)
    assert page.input_value("#hypothesis") == "ümlaut & ampersand #1"


def test_the_keyboard_is_enough(page: Page, address: str) -> None:
    open_pair(page, address, "the boy ran", "the man ran home", "&m=bertscore,emd")
    page.focus("#hypothesis")
    with page.expect_response("**/api/explain"):
        page.keyboard.press("Control+Enter")
    wait_drawn(page)
    page.focus('.card[aria-checked="true"]')
    page.keyboard.press("ArrowRight")
    expect(page.locator('.card[data-metric="emd"]')).to_have_attribute("aria-checked", "true")
    wait_drawn(page)
    page.focus('#picture .word[data-h="0"]')
    expect(page.locator("#picture .flow.on").first).to_be_attached()
    page.focus("#tab-explain")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#compare")).to_be_visible()


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


def test_refusals_are_shown(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()  # the browser itself reports a refused request on its console
    open_pair(page, address, "a", "b")
    page.fill("#hypothesis", "word " * 2001)
    with page.expect_response("**/api/score") as response:
        page.click("button.main >> text=Score")
    assert response.value.status == 413
    expect(page.locator("#pair-status")).to_have_text(re.compile(r"^Hypothesis: a text of 10,005 characters"))
    expect(page.locator("#cards .card")).to_have_count(0)  # those of the texts before
    expect(page.locator("#picture svg")).to_have_count(0)
    page.fill("#hypothesis", "word " * 1001)
    page.click("button.main >> text=Score")
    expect(page.locator("#sentence")).to_contain_text("1,001 words")  # scored, but not explained
    expect(page.locator("#cards .card").first).to_be_visible()
    expect(page.locator("#picture svg")).to_have_count(0)
    page.fill("#hypothesis", "word")
    press_score(page)
    expect(page.locator("#pair-status")).to_have_text("")
    page.context.close()


def test_a_failing_metric_says_so_on_its_card(page: Page, address: str) -> None:
    open_pair(page, address, "unencodable words", "plain words", "&m=wmdo,bertscore,chrf&metric=wmdo")
    failed = page.locator('.card[data-metric="wmdo"]')
    expect(failed.locator(".value")).to_have_text("failed")
    expect(failed.locator(".note")).to_have_text("the vectors of this text cannot be computed")
    chosen = page.locator('.card[data-metric="bertscore"]')
    expect(chosen.locator(".value")).to_have_text(re.compile(r"^−?0\.\d{4}$"))
    expect(chosen).to_have_attribute("aria-checked", "true")  # the one that was asked for has nothing to show
    expect(page.locator("#pair-status")).to_have_text("")
    failed.click()
    expect(chosen).to_have_attribute("aria-checked", "true")
    chosen.focus()
    for name in ("chrf", "bertscore", "chrf"):  # the arrow keys pass over it
        page.keyboard.press("ArrowRight")
        expect(page.locator(f'.card[data-metric="{name}"]')).to_be_focused()
    wait_drawn(page)
    page.fill("#hypothesis", "plain words again")
    press_score(page)
    expect(page.locator(".card.failed")).to_have_count(0)


def test_a_metric_that_fails_is_named_beside_the_report(page: Page, address: str, tmp_path: Path) -> None:
    lines = [f"sentence {i} about ships" for i in range(12)]
    (tmp_path / "first.txt").write_text("\n".join([*lines, "unencodable"]) + "\n", encoding="utf-8")
    (tmp_path / "second.txt").write_text("\n".join([*lines[::-1], "end"]) + "\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("\n".join([*lines, "end"]) + "\n", encoding="utf-8")
    page.goto(f"{address}/#tab=compare&m=wmdo,chrf")
    expect(page.locator("#chosen-metrics")).to_have_text("wmdo, chrf")
    page.set_input_files("#reference-files", tmp_path / "ref.txt")
    page.set_input_files("#system-files", [tmp_path / "first.txt", tmp_path / "second.txt"])
    expect(page.locator("#system-list li")).to_have_count(2)
    page.click("#run-compare")
    expect(page.locator("#report h1")).to_contain_text("Comparison of", timeout=60_000)
    expect(page.locator("#compare-status")).to_contain_text("wmdo failed and is left out: the vectors of this text")


# a fetch that cannot be aborted, and counts on the root element how many answers were read and dealt with
COUNTING_FETCH = """
const ask = window.fetch;
window.fetch = async (path, options) => {
  const answer = await ask(path, { ...options, signal: undefined });
  const read = answer.json.bind(answer);
  answer.json = async () => {
    const content = await read();
    const root = document.documentElement.dataset;
    setTimeout(() => { root.answered = Number(root.answered ?? 0) + 1; });
    return content;
  };
  return answer;
};
"""


def test_an_answer_that_comes_too_late_is_not_shown(page: Page, address: str) -> None:
    """As if the answer had arrived at the very moment in which it was aborted."""
    page.add_init_script(COUNTING_FETCH)
    open_pair(page, address, "old words", "old words", "&m=bertscore&metric=bertscore")
    held = hold_explanations(page)
    page.click("button.main >> text=Score")
    old = next_of(held, page)
    page.fill("#hypothesis", "fresh text here")
    page.click("button.main >> text=Score")
    next_of(held, page).continue_()
    wait_drawn(page)
    answered = int(page.locator("html").get_attribute("data-answered") or 0)
    old.continue_()
    expect(page.locator("html")).to_have_attribute("data-answered", str(answered + 1))
    page.click("#view-heatmap")  # draws from the answers at hand
    expect(page.locator("#picture")).to_contain_text("fresh")
    page.click("#view-ribbons")
    expect(page.locator("#picture")).to_contain_text("fresh")


def test_it_fits_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    wait_drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#picture svg").bounding_box()
    assert box is not None
    assert box["width"] <= 390
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", colour)[:3]) < 60
    context.close()


def test_a_score_of_unknown_words_is_marked(page: Page, address: str) -> None:
    open_pair(page, address, "the xyzzy ran", "the man ran", "&m=wmdo,bertscore&metric=wmdo")
    marked = page.locator('.card[data-metric="wmdo"]')
    expect(marked.locator(".value")).to_have_text(re.compile(r"^\d\.\d{4}!$"))
    expect(marked.locator(".unknown")).to_have_text("! 33 % of the words unknown")
    expect(page.locator('.card[data-metric="bertscore"] .unknown')).to_have_count(0)
    expect(page.locator("#notes")).to_contain_text("hypothesis: 33 % of the words unknown to the encoder")


LONG = (
    "The committee announced on Tuesday that the long-awaited reform of the pension system would be postponed until "
    "next spring, because several members of the coalition had refused to support it."
)
OTHER = (
    "On Tuesday the panel said that the pension reform everyone had expected would be delayed to the spring of next "
    "year, since a number of coalition members were unwilling to back it."
)


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


def test_a_card_shows_parts_and_scale(page: Page, address: str) -> None:
    open_pair(page, address, LONG, OTHER, "&m=bertscore,chrf")
    card = page.locator('.card[data-metric="bertscore"]')
    expect(card.locator(".parts")).to_have_text(re.compile(r"P 0\.\d{3} R 0\.\d{3} F 0\.\d{3}"))
    expect(card.locator(".scale circle")).to_be_visible()
    expect(card.locator(".ends")).to_have_text("−11")
    expect(page.locator("#sentence")).to_have_text(re.compile(r"^Lost most on “"))


def test_an_option_makes_another_metric(page: Page, address: str) -> None:
    open_pair(page, address, LONG, OTHER, "&m=bertscore,chrf&metric=bertscore")
    before = page.locator('.card[data-metric="bertscore"] .value').text_content()
    page.click("#options summary")
    page.fill("#option-alpha", "0.9")
    page.press("#option-alpha", "Enter")
    card = page.locator('.card[data-metric="bertscore,alpha=0.9"]')
    expect(card).to_have_attribute("aria-checked", "true")
    assert card.locator(".value").text_content() != before
    expect(page.locator("#chosen-metrics")).to_have_text("bertscore,alpha=0.9, chrf")
    wait_drawn(page)
    page.reload()  # the address knows it too
    wait_drawn(page)
    expect(card).to_be_visible()


def test_a_metric_that_cannot_run_is_grey_and_says_why(page: Page, address: str) -> None:
    page.goto(address)
    wait_drawn(page)
    page.click("#metrics summary")
    box = page.locator("#metric-list label.off", has_text=re.compile(r"^\s*mongescore(?!_)"))
    expect(box).to_contain_text("its encoder mpnet is not on this machine")
    expect(box.locator("input")).to_be_disabled()
    page.select_option("#encoder", "minilm")
    expect(page.locator("#metric-list label.off", has_text=re.compile(r"^\s*mongescore(?!_)"))).to_have_count(0)


def test_from_the_comparison_to_a_sentence_and_back(page: Page, address: str, tmp_path: Path) -> None:
    good = [f"sentence {i} about ships and harbours" for i in range(20)]
    bad = ["sentence about trains and harbours"] * 20
    for name, lines in (("ref", good), ("first", good), ("second", bad), ("source", ["Satz"] * 20)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    page.goto(f"{address}/#tab=compare&m=bertscore")
    page.set_input_files("#reference-files", tmp_path / "ref.txt")
    page.set_input_files("#source-files", tmp_path / "source.txt")
    page.set_input_files("#system-files", [tmp_path / "first.txt", tmp_path / "second.txt"])
    expect(page.locator("#chosen-metrics")).to_have_text("bertscore")
    page.click("#run-compare")
    instance = page.locator("#report .instance").first
    expect(instance.locator("mark.b").first).to_have_text("trains", timeout=60_000)
    address_before = page.url
    page.click("#report nav.contents li:last-child a")
    assert page.url == address_before
    instance.locator('button.drill[data-system="second"]').click()
    expect(page.locator("#hypothesis")).to_have_value(bad[0])
    expect(page.locator("#source")).to_have_value("Satz")
    wait_drawn(page)
    expect(page.locator("#sentence")).to_contain_text("trains")
    page.click("#back-to-report")
    expect(instance).to_be_visible()


def test_the_api_is_described_without_another_host(page: Page, address: str) -> None:
    page.goto(f"{address}/docs")
    section = page.locator("#api-score")
    expect(section.locator("h2")).to_have_text("POST/api/score")
    expect(section.locator("td", has_text="segments *").first).to_be_visible()
    section.locator("summary", has_text="Try it").click()
    section.locator("button").click()
    expect(section.locator("pre").last).to_contain_text('"metric": "bertscore"')


def test_a_metric_without_its_source_does_not_stop_the_others(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()  # the browser itself reports the refused request on its console
    page.goto(f"{address}/#h=the%20boy&r=a%20boy&m=bertscore,against=source;chrf;")
    expect(page.locator('.card[data-metric="chrf"] .value')).to_have_text(re.compile(r"\d"))
    expect(page.locator(".card.failed .note")).to_contain_text("source")
    page.context.close()
