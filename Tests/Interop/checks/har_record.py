"""har_record.py OUTPUT BROKEN: Chromium uses the client of har_client.html at the bank of har_bank.py; Playwright writes a HAR of it."""
import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

from har_bank import Bank

# A busy machine may pause for a while.
PATIENCE_MS = 120_000
output, broken = sys.argv[1:]
here = pathlib.Path(__file__).parent
bank = Bank((here / "har_client.html").read_text())
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"], timeout=PATIENCE_MS)
    context = browser.new_context(record_har_path=output)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{bank.address}/#broken={broken}")
    page.evaluate("all()")
    context.close()
    browser.close()
