"""Take the screenshots of the docs: the page with a highlighted word, in dark mode on a phone, and a comparison report.

Needs the extras serve and test, the weights of minilm, and Chromium (apt-get install chromium).
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "figures"
DEMO = ROOT / "examples" / "demo"


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "monge", "serve", "--port", "0", "-m", "bertscore", "emd"]
    service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr is not None
        address = re.search(r"http://\S+", service.stderr.readline())
        assert address is not None, "the service did not start"
        with sync_playwright() as driver:
            chromium = shutil.which("chromium")
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
            take_pair(browser, address[0])
            take_phone(browser, address[0])
            take_report(browser, address[0])
            browser.close()
    finally:
        service.terminate()
        service.wait(20)


def take_pair(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 1220}, device_scale_factor=2)
    page.goto(address)
    wait_for_picture(page)
    page.focus('#picture .word[data-h="5"]')
    page.screenshot(path=TARGET / "page.png", animations="disabled")


def wait_for_picture(page: Page) -> None:
    page.wait_for_selector("#picture svg", timeout=60_000)
    page.wait_for_selector("#picture[aria-busy=false]")
    page.evaluate("document.fonts.ready")


def take_phone(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 1660}, color_scheme="dark", device_scale_factor=2)
    page.goto(address)
    wait_for_picture(page)
    page.screenshot(path=TARGET / "page-phone.png", animations="disabled")


def take_report(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 1100}, device_scale_factor=2)
    page.goto(f"{address}/#tab=compare&m=bertscore")
    page.set_input_files("#reference-files", DEMO / "reference.txt")
    page.set_input_files("#system-files", [DEMO / f"{name}.txt" for name in ("careful", "literal", "careless")])
    page.wait_for_selector("#chosen-metrics:has-text('bertscore')")
    page.click("#run-compare")
    page.wait_for_selector("#report img", timeout=120_000)
    page.screenshot(path=TARGET / "page-compare.png", animations="disabled")


if __name__ == "__main__":
    main()
