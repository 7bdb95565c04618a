"""A page that pays in Chromium, at the bank of the fixture: with one key for all attempts, or with a new one for each."""

import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

# A busy machine may pause for a while.
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)

PAGE = """<!DOCTYPE html>
<button onclick="pay()">Pay</button><p id="output"></p>
<script>
async function pay() {
  const [token, renews] = location.hash.slice(1).split(',');
  const body = JSON.stringify({ from: 'ava-gbp', to: 'payee-lark', amount: { amount: '5.00', currency: 'GBP' } });
  for (let key = crypto.randomUUID(), attempt = 0; attempt < 3; attempt += 1) {
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' };
    if ((await fetch('v1/payments', { method: 'POST', headers, body })).ok) return (output.textContent = 'Paid');
    if (renews) key = crypto.randomUUID();
  }
}
</script>"""


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"],
                                             timeout=PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, bank):
    """A page at the bank's own address, so that its requests need no permission; the bank itself has no such page."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.route(f"{bank.base_url}/app", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.route("**/favicon.ico", lambda route: route.abort())
    yield page
    page.close()


@pytest.mark.judged("pay")
@pytest.mark.parametrize("renews", ["", "yes"], ids=["one-key", "new-key"])
def test_a_page_pays_once(bank, page, renews):
    bank.faults.set({"status": {"status": 503}}, on={"role": "pay"}, times=1)
    page.goto(f"{bank.base_url}/app#{bank.tokens.issue('ava')['token']},{renews}")
    page.get_by_role("button", name="Pay").click()
    expect(page.get_by_text("Paid")).to_be_visible()
    assert len(bank.ledger()["movements"]) == 1
