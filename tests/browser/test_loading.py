"""The page before the service has answered."""

from playwright.sync_api import Page, Route, expect


def test_a_page_without_metrics_says_that_they_are_loading(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route("**/api/metrics", lambda route: held.append(route))
    page.goto(address)
    status = page.locator("#pair-status")
    expect(status).to_have_text("loading the metrics …")
    page.click("button.main >> text=Score")
    expect(status).to_have_text("the metrics are still loading: try again in a moment")
    held.pop().continue_()
    page.wait_for_selector("#picture svg")
