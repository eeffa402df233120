"""Systems compared on the page: files, the report, and the way from it to a sentence."""

from pathlib import Path

from playwright.sync_api import Page, Route, expect

from .actions import drop_files, wait_drawn


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
