"""Looks at the dashboard of the server at COUNTERFOIL_ADMIN, and uses it. SHOTS names a folder for pictures of it."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request

from browser import Browser, expect

admin, bank, program = os.environ["COUNTERFOIL_ADMIN"], os.environ["bank"], os.environ["counterfoil"]
stubs = os.environ["ROOT"] + "/Stubs"
EVIL = "<img src=x onerror=alert(1)>"


def api(line, body=None):
    method, path = line.split(" ")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{admin}/__admin{path}", data, method=method), timeout=60) as response:
        text = response.read()
    return json.loads(text) if text else None


def curl(*arguments):
    return subprocess.run(["curl", "-s", "--path-as-is", "--max-time", "60", *arguments], capture_output=True, text=True)


def pay(token, key):
    body = '{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}'
    return curl("-H", f"Authorization: Bearer {token}", "-H", f"Idempotency-Key: {key}", "-H", "Content-Type: application/json",
                "-d", body, f"{bank}/counterfoil/v1/payments").returncode


def reject(browser, part, method, detail):
    """Rejects the page's calls with that part in their address, until `window.fetch` is `window.served` again."""
    browser.run(f"""
        window.served = window.fetch;
        window.fetch = async (url, options) => (url.includes({json.dumps(part)}) && options.method === {json.dumps(method)}
          ? new Response(JSON.stringify({{ detail: {json.dumps(detail)} }}), {{ status: 422 }}) : window.served(url, options)); 0""")


def first_look(browser):
    """Nothing has come yet: the page shows what to do, and its command line works."""
    browser.open(f"{admin}/")
    browser.see("● live", "No requests yet", f"{bank}/counterfoil", "The model bank")
    browser.shots("empty")
    # An error is shown, and the button can be pressed again.
    reject(browser, "/tokens", "POST", "no token today")
    browser.press("Insert a new token")
    browser.see("no token today")
    browser.run("window.fetch = window.served; 0")
    browser.press("Insert a new token")
    browser.wait("document.querySelector('#empty code').textContent.includes('Bearer cf_')")
    line = browser.run("document.querySelector('#empty code').textContent")
    response = subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout
    expect('"accounts":' in response, True, f"the response to {line}")
    browser.wait("document.querySelectorAll('#row-body tr').length === 1")
    browser.see("/v1/accounts", "200")
    expect(browser.run("document.getElementById('empty').hidden"), True, "the hint is gone")
    expect(browser.run("document.documentElement.outerHTML.includes('Bearer cf_')"), False, "the token is gone with it")


def journal(browser, token):
    """A fault from the list, a payment whose response it loses, the attempt after it, and somebody with scripts in his requests."""
    browser.run("document.getElementById('fault-more').open = true; 0")
    browser.choose("#fault-kind", "lose-reply")
    browser.choose("#fault-on", "role pay")
    expect(browser.run("document.querySelector('[data-field=by]').value"), "half-head", "the example")
    # The page shows an error of the server.
    reject(browser, "/faults", "POST", "found nothing good, expected better")
    browser.press("Set", "#fault-form")
    browser.see("found nothing good, expected better")
    browser.run("window.fetch = window.served; 0")
    browser.choose("[data-field=by]", "close")
    browser.press("Set", "#fault-form")
    browser.see("applied to 0 of 0 matching requests")
    rule = api("GET /sessions/counterfoil/faults")["faults"][0]["id"]
    browser.see(f"{rule}: applied to 0 of 0")
    expect(pay(token, "tea-1"), 52, "curl's exit status")
    expect(pay(token, "tea-1"), 0, "curl's exit status")
    curl("-X", "GET", "-d", '{"a":12.00, "b": [], "c": ["{,:"]}', "-H", f"X-Evil: {EVIL}", f"{bank}/counterfoil/v1/<svg/onload=alert(2)>?q={EVIL.replace(' ', '%20')}<script>alert(3)</script>")
    browser.see("lose-reply at commit", "no response", "closed, 0 B head + 0 B body", "attempt 2", "replayed", "<svg/onload=alert(2)>",
                f"{rule}: applied to 1 of 2", "no operation")
    browser.press("Remove", "#fault-list")
    browser.wait("document.querySelectorAll('#fault-list li').length === 0")
    expect(api("GET /sessions/counterfoil/faults")["faults"], [], "the rules that are left")

    browser.run("document.querySelector('[data-seq=\"4\"]').click(); 0")
    browser.see("#4 GET /v1/<svg", f"X-Evil: {EVIL}", "curl -i", "No operation matched", "GET /v1/accounts",
                '{\n  "a": 12.00,\n  "b": [],\n  "c": [\n    "{,:"\n  ]\n}')
    expect(browser.run("document.querySelectorAll('img, svg, #exchange script').length"), 0, "elements that a client brought")
    browser.press("Older", "#exchange")
    browser.see("Attempts with this key", "#3 POST /v1/payments", "the stored response was sent again", "Idempotency-Key: tea-1", "Bearer token#3")
    browser.shots("exchange")
    line = browser.run("document.querySelector('#exchange .shell code').textContent")
    again = subprocess.run(["bash", "-c", f"token={token}; {line}"], capture_output=True, text=True).stdout
    expect("Idempotent-Replayed: true" in again, True, f"the response to {line}")
    browser.press("Close", "#exchange")
    browser.wait("document.activeElement.dataset.seq === '3'")

    browser.type("#filter", "key:tea-1 status:201")
    browser.wait("[...document.querySelectorAll('#row-body [data-seq]')].map((each) => each.dataset.seq).join() === '5,3'")
    browser.type("#filter", "")
    browser.run("document.getElementById('errors-only').click(); 0")
    browser.wait("[...document.querySelectorAll('#row-body [data-seq]')].map((each) => each.dataset.seq).join() === '4,2'")
    browser.run("document.getElementById('errors-only').click(); 0")


def outage(browser):
    """Started and ended by hand; the time that is left follows the session clock."""
    browser.choose("#outage-name", "maintenance")
    browser.type("#outage-for", "5m")
    browser.press("Start", "#outage-form")
    browser.see("maintenance is running", "00:04:", "applied to 0 of 0 matching requests")
    # Twice on one connection, as a program repeats a request: a user who asks again is not blamed.
    curl(f"{bank}/counterfoil/v1/atms", f"{bank}/counterfoil/v1/atms")
    browser.see("503", "status at request", "applied to 2 of 2 matching requests", "2 requests affected", "not recovered yet")
    browser.shots("outage")
    browser.run("document.getElementById('clock-panel').open = true; 0")
    browser.press("Freeze", "#clock-panel")
    browser.see("frozen", "left, but the clock is frozen")
    browser.press("Unfreeze", "#clock-panel")
    browser.wait("!document.getElementById('clock-badge').textContent.includes('frozen')")
    browser.press("Stop the outage")
    browser.wait("!document.body.innerText.includes('maintenance is running')")
    expect(curl("-o", "none", "-w", "%{http_code}", f"{bank}/counterfoil/v1/atms").stdout != "503", True, "the bank is well again")
    # Changes by others are visible too.
    api("POST /sessions/counterfoil/outage", {"name": "slow"})
    browser.see("slow is running", "until it is stopped")
    api("DELETE /sessions/counterfoil/outage")
    browser.wait("!document.body.innerText.includes('slow is running')")


def state(browser):
    """Tokens, money, the verdict."""
    browser.run("for (const panel of document.querySelectorAll('details.panel, #verdict-idle')) panel.open = true; 0")
    browser.see("accounts/ava-gbp", "24910.55 GBP", "movement-1", "payees/payee-lark")
    browser.press("Issue", "#token-form")
    browser.wait("document.querySelector('#token-new code')?.textContent.startsWith('token=cf_counterfoil_0_')")
    browser.see("shown only once")
    token = browser.run("document.querySelector('#token-new code').textContent").removeprefix("token=")
    browser.press("Revoke all", "#token-panel")
    browser.see("revoked")
    # The bank had announced for how long it is closed, and was asked again at once.
    browser.see("retry.maintenance-honoured", "1 failed", "exchange 7 (GET /v1/atms) ", "Not exercised. Trigger:")
    # Failures come first: in the head, in the tab's title, and in the list.
    browser.wait("document.getElementById('verdict-head').innerText.startsWith('✗ 1 failed')")
    browser.wait("document.title.startsWith('✗ 1 · counterfoil')")
    expect(browser.run("document.querySelector('#verdict-list li').className"), "fail", "the first rule of the verdict")
    # A broken rule shows where it comes from, and how to read its case.
    browser.see("counterfoil test --explain retry.maintenance-honoured")
    expect(browser.run("document.querySelector('#verdict-list li a').href"), "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
           "the page of the source")
    browser.shots("panels")
    browser.readable("the panels")
    browser.press("#7", "#verdict-list")
    browser.see("#7 GET /v1/atms")
    browser.press("Close", "#exchange")
    expect(browser.run("document.documentElement.outerHTML").count(token), 1, "how often a token stands in the page")


def sessions(browser):
    """A session of one's own, and the way back to the beginning."""
    browser.run("document.getElementById('new-name').value = 'mine'; document.getElementById('new-port').click(); 0")
    browser.press("Open session", "#new-session-form")
    browser.wait("location.hash === '#/mine' && document.getElementById('session-name').textContent === 'mine'")
    port = api("GET /sessions/mine")["port"]
    browser.see(f"port {port}", f"http://127.0.0.1:{port}")
    browser.wait("document.getElementById('token-new').hidden && !document.documentElement.outerHTML.includes('token=cf_')")
    browser.run("window.confirm = () => true; 0")
    browser.press("Remove the session")
    browser.wait("document.getElementById('session-name').textContent === 'counterfoil'")
    browser.press("Reset the session")
    browser.see("No requests yet")
    expect(api("GET /sessions/counterfoil/ledger")["movements"], [], "movements after a reset")


def many(browser):
    """Thousands of exchanges: a bounded page, older ones on demand, rows that stay while others come."""
    token = api("POST /sessions/counterfoil/tokens", {})["token"]
    with open("many", "w") as file:
        file.write(f'header = "Authorization: Bearer {token}"\n' + f'url = "{bank}/counterfoil/v1/accounts"\noutput = "none"\n' * 3000)
    curl("-K", "many")
    newest = api("GET /sessions/counterfoil/journal?last=1")["entries"][0]["seq"]
    browser.wait(f"document.querySelector('#row-body [data-seq]').dataset.seq === '{newest}'")
    expect(browser.run("document.querySelectorAll('#row-body tr').length"), 200, "rows")
    reject(browser, "before=", "GET", "no older ones today")
    older = browser.run("document.getElementById('older').textContent")
    browser.press(older, ".journal")
    browser.see("no older ones today")
    browser.run("window.fetch = window.served; 0")
    browser.press(older, ".journal")
    browser.wait("document.querySelectorAll('#row-body tr').length === 400")
    browser.run("document.querySelector('#row-body tr:nth-child(3) button').focus(); window.before = document.activeElement; 0")
    curl(f"{bank}/counterfoil/v1/atms")
    browser.wait(f"document.querySelector('#row-body [data-seq]').dataset.seq === '{newest + 1}'")
    expect(browser.run("document.activeElement === window.before"), True, "the row has kept the focus")
    browser.press("Pause")
    curl(f"{bank}/counterfoil/v1/atms")
    browser.see("Resume (1 new)")
    browser.press("Resume (1 new)")
    browser.wait(f"document.querySelector('#row-body [data-seq]').dataset.seq === '{newest + 2}'")


def large(browser):
    """A response of which the journal has the beginning alone."""
    api("POST /sessions/counterfoil/faults", {"fault": {"status": {"status": 200, "body": "x" * 20000}}, "times": 1})
    curl(f"{bank}/counterfoil/v1/atms")
    newest = api("GET /sessions/counterfoil/journal?last=1")["entries"][0]["seq"]
    browser.wait(f"document.querySelector('#row-body [data-seq]').dataset.seq === '{newest}'")
    browser.press(str(newest), "#row-body")
    browser.see("8192 of 2000")
    browser.press("Close", "#exchange")


def hidden(browser):
    """While nobody looks nothing is asked; what came meanwhile is there afterwards."""
    browser.run("""
        window.asked = 0; const fetch = window.fetch; window.fetch = (...all) => { window.asked += 1; return fetch(...all); };
        window.see = (is) => {
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => !is });
          document.dispatchEvent(new Event('visibilitychange'));
        }; see(false); 0""")
    browser.see("◌ idle")
    before = browser.run("window.asked")
    curl(f"{bank}/counterfoil/v1/goals")
    time.sleep(5)
    expect(browser.run("window.asked"), before, "calls of a page that is hidden")
    browser.run("see(true); 0")
    browser.see("● live", "/v1/goals")


def gone(browser):
    """The server ends, is missed, and comes back at the same address."""
    with open("ready") as file:
        ready = json.load(file)
    os.kill(ready["pid"], signal.SIGTERM)
    reserved = [reserve(address.rsplit(":", 1)[1]) for address in (ready["bank"], admin)]
    browser.see("No response since")
    ports = ["--port", ready["bank"].rsplit(":", 1)[1], "--admin-port", admin.rsplit(":", 1)[1]]
    server = subprocess.Popen([program, "serve", "counterfoil", "roundup", "--stubs", stubs, "--quiet", *ports], stdout=subprocess.DEVNULL)
    try:
        browser.wait("document.getElementById('gone').hidden")
        browser.see("● live", "No requests yet")
    finally:
        server.terminate()
        server.wait()
        for each in reserved:
            each.close()


def reserve(port):
    """A socket that keeps the port once the server has left it: bound, it never listens, so that the next server can (socket(7),
    SO_REUSEADDR). Another test would soon be given that port."""
    until = time.monotonic() + 300
    while True:
        reserved = socket.socket()
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            reserved.bind(("127.0.0.1", int(port)))
            return reserved
        except OSError:
            reserved.close()
            if time.monotonic() > until:
                raise
        time.sleep(0.005)


def guarded(browser):
    """With a token the page asks once, keeps it in the tab alone, and shows nothing before."""
    global admin
    server = subprocess.Popen([program, "serve", "counterfoil", "--stubs", stubs, "--port", "0", "--admin-port", "0", "--quiet",
                               "--admin-token", "open-sesame"], stdout=subprocess.PIPE, text=True)
    try:
        admin = json.loads(server.stdout.readline())["admin"]
        browser.open(f"{admin}/")
        browser.see("This server requires a token")
        expect(browser.run("document.getElementById('frame').checkVisibility()"), False, "anything is shown before")
        for token in ("wrong", "open-sesame"):
            browser.wait("!document.getElementById('ask').hidden")
            browser.run(f"document.getElementById('admin-token').value = '{token}'; 0")
            browser.press("Open")
            if token == "wrong":
                browser.see("The server rejected that token")
        browser.see("● live", "No requests yet")
        expect(browser.run("location.href.includes('sesame') || JSON.stringify(localStorage).includes('sesame') || document.cookie"), "", "elsewhere")
        expect(browser.run("Object.values(sessionStorage).join()"), "open-sesame", "in the tab")
    finally:
        server.terminate()
        server.wait()


def main():
    browser = Browser()
    try:
        first_look(browser)
        token = api("POST /sessions/counterfoil/tokens", {})["token"]
        journal(browser, token)
        outage(browser)
        state(browser)
        sessions(browser)
        many(browser)
        large(browser)
        hidden(browser)
        # One error is expected: the fault that does not exist.
        expect([error for error in browser.errors if "400 (Bad Request)" not in error], [], "what the console complained of")
        gone(browser)
        guarded(browser)
        expect([error for error in browser.errors if "Failed to load resource" not in error], [], "what the console complained of")
    finally:
        browser.end()


if __name__ == "__main__":
    main()
