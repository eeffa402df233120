"""What a person does on the page, as functions."""

from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, Route, expect


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


def drop_files(page: Page, selector: str, paths: list[Path]) -> None:
    """Drop files as a person would: a DataTransfer with File objects."""
    files = [{"name": path.name, "text": path.read_text(encoding="utf-8")} for path in paths]
    transfer = page.evaluate_handle(
        "files => { const t = new DataTransfer();"
        "for (const f of files) t.items.add(new File([f.text], f.name)); return t; }",
        files,
    )
    page.dispatch_event(selector, "drop", {"dataTransfer": transfer})


LONG = (
    "The committee announced on Tuesday that the long-awaited reform of the pension system would be postponed until "
    "next spring, because several members of the coalition had refused to support it."
)
OTHER = (
    "On Tuesday the panel said that the pension reform everyone had expected would be delayed to the spring of next "
    "year, since a number of coalition members were unwilling to back it."
)
