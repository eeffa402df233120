"""What a person does on the page with one pair of texts."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from .actions import LONG, OTHER, drop_files, hold_explanations, next_of, open_pair, press_score, wait_drawn


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
