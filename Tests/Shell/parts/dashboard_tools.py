"""Uses the dashboard's tools in a session of its own: filter, waterfall, presets, comparison, archive, keys, snapshot, a phone."""
import json
import shutil
import subprocess
import time

from browser import PATIENCE, Browser, expect
from dashboard import admin, api, curl

SESSION = "tools"


class Till:
    """A customer of the session's bank."""

    def __init__(self):
        made = api("POST /sessions", {"bank": "counterfoil", "name": SESSION})
        self.base = made["base_url"]
        self.token = api(f"POST /sessions/{SESSION}/tokens", {})["token"]

    def get(self, path, *options):
        return curl("-o", "none", "-w", "%{http_code}", "-H", f"Authorization: Bearer {self.token}", *options, f"{self.base}{path}").stdout

    def pay(self, key, amount="5.00"):
        body = {"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": amount, "currency": "GBP"}}
        return curl("-o", "none", "-w", "%{http_code}", "-H", f"Authorization: Bearer {self.token}", "-H", f"Idempotency-Key: {key}",
                    "-H", "Content-Type: application/json", "-d", json.dumps(body), f"{self.base}/v1/payments").stdout


def faults():
    return api(f"GET /sessions/{SESSION}/faults")["faults"]


def shown(browser, *numbers):
    """Waits until these rows are shown, newest first."""
    wanted = ",".join(str(number) for number in numbers)
    browser.wait(f"[...document.querySelectorAll('#row-body [data-seq]')].map((each) => each.dataset.seq).join() === '{wanted}'")


def cell(browser, seq, name):
    return browser.run(f"document.querySelector('#row-body tr[data-key=\"{seq}\"] .{name}').innerText")


def is_about(text, milliseconds):
    """Whether a text such as `12.3 ms` or `1.02 s` is that time, to its last digit."""
    number, unit = text.replace(",", "").split(" ")
    digits = len(number.partition(".")[2])
    scale = 1000 if unit == "s" else 1
    return abs(float(number) * scale - milliseconds) <= 0.51 * scale / 10 ** digits + 0.001


def presets(browser, till):
    """One press each; what has acted as often as it may is grey, and goes with one press."""
    browser.press("Send 503 twice", "#presets")
    browser.wait("document.querySelectorAll('#fault-list li').length === 1")
    browser.press("Lose the next payment’s response", "#presets")
    browser.wait("document.querySelectorAll('#fault-list li').length === 2")
    found = [{name: value for name, value in rule.items() if name in ("fault", "on", "times")} for rule in faults()]
    expect(found, [{"fault": {"status": {"status": 503}}, "times": 2},
                   {"fault": {"lose-reply": {"by": "close"}}, "on": {"role": "pay"}, "times": 1}], "the presets' rules")
    expect([till.get("/v1/accounts"), till.get("/v1/accounts"), till.get("/v1/accounts")], ["503", "503", "200"], "statuses under 503 twice")
    browser.wait("document.querySelectorAll('#fault-list li.spent').length === 1")
    browser.see("used up", "1 set, 1 used up")
    colour = "getComputedStyle(document.querySelector('#fault-list {} .settings')).color"
    expect(browser.run(f"{colour.format('li.spent')} === {colour.format('li:not(.spent)')}"), False, "spent and other faults look alike")
    browser.press("Remove used-up rules")
    browser.wait("document.querySelectorAll('#fault-list li').length === 1")
    expect([list(rule["fault"]) for rule in faults()], [["lose-reply"]], "the rules that are left")


def fields(browser):
    """Settings are fields by the server's schema; what is empty is not sent."""
    browser.run("document.getElementById('fault-more').open = true; 0")
    browser.choose("#fault-kind", "delay")
    browser.wait("document.querySelector('[data-field=fixed]')?.value === '400ms'")
    # One of several settings: another one has other fields.
    for setting, shown_field in (("lognormal", "median"), ("fixed", "fixed")):
        browser.run(f"""{{
            const one = [...document.querySelectorAll('#fault-settings select')].find((each) => [...each.options].some(({{ text }}) => text === 'fixed'));
            one.selectedIndex = [...one.options].findIndex(({{ text }}) => text === '{setting}'); one.dispatchEvent(new Event('change', {{ bubbles: true }})); }} 0""")
        browser.wait(f"document.querySelector('[data-field={shown_field}]') !== null")
    browser.type("[data-field=fixed]", "2 s")
    expect(browser.run("document.getElementById('fault-form').checkValidity()"), False, "2 s is a duration")
    browser.type("[data-field=fixed]", "20ms")
    browser.choose("#fault-on", "operation atms")
    browser.type("#fault-times", "")
    browser.type("[data-field=every]", "2")
    wanted = {"fault": {"delay": {"at_point": "head", "fixed": "20ms"}}, "on": {"operation": "atms"}, "every": 2}
    expect(json.loads(browser.run("document.getElementById('fault-json').textContent")), wanted, "the rule as JSON")
    browser.press("Set", "#fault-form")
    browser.wait("document.querySelectorAll('#fault-list li').length === 2")
    rule = faults()[1]
    expect({name: rule[name] for name in wanted}, wanted, "the rule that was set")
    api(f"DELETE /sessions/{SESSION}/faults/{rule['id'].replace('#', '%23')}")
    # A kind whose settings are headers, and any JSON.
    browser.choose("#fault-kind", "status")
    browser.type("[data-field=headers]", "X-One: 1\nX-Two: a: b")
    browser.type("[data-field=body]", '{"a": [1]}')
    status = json.loads(browser.run("document.getElementById('fault-json').textContent"))["fault"]["status"]
    expect(status, {"status": 503, "retry_after": 2, "headers": {"X-One": "1", "X-Two": "a: b"}, "body": {"a": [1]}}, "the settings of status")


def waterfall(browser, till):
    """Milliseconds, the gap to the attempt before, a bar; "attempt" only under a key; the zone."""
    expect(till.pay("tea-1"), "000", "the status of a lost response")
    expect(till.pay("tea-1"), "201", "the status of the retry")
    shown(browser, 5, 4, 3, 2, 1)
    retry = cell(browser, 5, "c-key")
    expect("attempt 2" in retry, True, f"the cell of the retry: {retry}")
    waited = browser.run("document.querySelector('#row-body tr[data-key=\"5\"] .c-key [title*=\"after the end of #4\"]').textContent")
    first, second = (api(f"GET /sessions/{SESSION}/journal/{seq}") for seq in (4, 5))
    gap = (second["mono_ns"] - first["mono_ns"]) / 1e6 - first["duration_us"] / 1000
    expect(waited[0] == "+" and is_about(waited[1:], gap), True, f"the gap {waited} is {gap} ms")
    expect(cell(browser, 3, "c-key"), "", "the cell of a third read without a key")
    took = cell(browser, 5, "c-took").split()[-1]
    expect(is_about(f"{took} ms", second["duration_us"] / 1000), True, f"{took} ms are {second['duration_us']} µs")
    lefts = browser.run("['5', '4'].map((seq) => document.querySelector(`#row-body tr[data-key='${seq}'] .bar`).getBoundingClientRect().left)")
    expect(lefts[0] > lefts[1], True, f"the retry's bar is to the right of the first attempt's: {lefts}")
    inside = browser.run("""[...document.querySelectorAll('#row-body td.c-bar')].every((cell) => {
        const [outer, bar] = [cell, cell.firstChild].map((each) => each.getBoundingClientRect());
        return bar.width >= 3 && bar.left >= outer.left && bar.right <= outer.right; })""")
    expect(inside, True, "every bar is within its cell")
    browser.see("#, at (UTC)")
    browser.wait("document.getElementById('clock-badge').textContent.includes(' UTC')")


def search(browser, till):
    """Headers, bodies, classes of statuses, exclusion; in the address, and back from it."""
    till.get("/v1/atms", "-H", "X-Trace: Needle-7")
    browser.type("#filter", "status:5xx")
    shown(browser, 2, 1)
    expect(browser.run("location.hash"), f"#/{SESSION}?q=status%3A5xx", "the address")
    browser.type("#filter", "-path:/v1/accounts -status:none")
    shown(browser, 6, 5)
    for words in ("needle-7", "header:needle-7", '"x-trace: needle"', "-status:5xx -path:/accounts header:x-trace"):
        browser.type("#filter", words)
        shown(browser, 6)
    browser.type("#filter", "body:needle-7")
    browser.see("No loaded request matches")
    browser.type("#filter", 'body:"payee-lark" status:none')
    shown(browser, 4)
    browser.type("#filter", "is:retry")
    shown(browser, 5)
    states(browser, till)
    # The address shows the same to a colleague.
    browser.open("about:blank")
    browser.open(f"{admin}/#/{SESSION}?q=status%3A5xx&errors")
    shown(browser, 2, 1)
    expect(browser.run("[document.getElementById('filter').value, document.getElementById('errors-only').checked]"), ["status:5xx", True], "the filter")
    browser.run("location.hash = '#/tools?q=needle-7'; 0")
    shown(browser, 6)
    browser.type("#filter", "")
    shown(browser, 7, 6, 5, 4, 3, 2, 1)
    expect(browser.run("location.hash"), f"#/{SESSION}", "the address without a filter")


def states(browser, till):
    """The requests in a state, and those that took longer or less than a time."""
    for words, numbers in (("is:error", (4, 2, 1)), ("is:replayed", (5,)), ("is:committed", (6, 5, 4, 3)), ("is:committed -is:error", (6, 5, 3))):
        browser.type("#filter", words)
        shown(browser, *numbers)
    durations = {entry["seq"]: entry["duration_us"] for entry in api(f"GET /sessions/{SESSION}/journal")["entries"]}
    middle = sorted(durations.values())[3]
    for words, fits in ((f"ms:>{middle / 1000}", lambda us: us >= middle), (f"ms:<{middle / 1000}", lambda us: us < middle)):
        browser.type("#filter", words)
        shown(browser, *[seq for seq in sorted(durations, reverse=True) if fits(durations[seq])])
    # A request that is under way, and then has ended.
    rule = api(f"POST /sessions/{SESSION}/faults", {"fault": "hang", "on": {"operation": "atms"}})["id"]
    held = subprocess.Popen(["curl", "-s", "-o", "none", f"{till.base}/v1/atms"])
    browser.type("#filter", "is:open")
    shown(browser, 7)
    api(f"DELETE /sessions/{SESSION}/faults/{rule.replace('#', '%23')}")
    held.wait()
    browser.see("No loaded request matches")


def compared(browser):
    """Two exchanges side by side, and what differs."""
    browser.run("document.querySelector('[data-seq=\"5\"]').click(); 0")
    browser.see("#5 POST /v1/payments", "after the end of #4, the previous attempt", "UTC by the session clock")
    expect(browser.run("document.getElementById('compare-with').value"), "4", "the exchange to compare with at first")
    browser.press("Compare", "#compare-form")
    browser.see("#4 and #5")
    changed = "[...document.querySelectorAll('#compare-body tr:not(.same, .section)')].filter((each) => each.checkVisibility()).map((each) => [...each.children].map(({ lastChild }) => lastChild?.textContent ?? ''))"
    rows = browser.run(changed)
    for row in (["response: no response", "response: 201"], ["fault: lose-reply at commit", ""], ["", "Idempotent-Replayed: true"], ["attempt: 1", "attempt: 2"]):
        expect(row in rows, True, f"{row} among {rows}")
    expect(browser.run("document.querySelector('#compare-body tr.same').checkVisibility()"), False, "what is the same is shown")
    browser.run("document.getElementById('compare-all').click(); 0")
    expect(browser.run("document.querySelector('#compare-body tr.same').checkVisibility()"), True, "what is the same is shown")
    browser.shots("compare")
    browser.press("Close", "#compare")


def again(browser, till):
    """The exchange as a call of fetch, which gives the same; the journal as an archive."""
    browser.run("""
        window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); };
        window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob.text()); return 'blob:x'; };
        HTMLAnchorElement.prototype.click = function () { window.named = this.download; }; 0""")
    browser.press("Copy as fetch", "#exchange")
    browser.wait("window.copied.length === 1")
    script = browser.run("window.copied[0]")
    expect(till.token in script, False, "the token is in the script")
    if shutil.which("node"):
        with open("again.mjs", "w") as file:
            file.write(f"const token = {json.dumps(till.token)};\n{script}\n")
        output = subprocess.run(["node", "again.mjs"], capture_output=True, text=True)
        expect(output.stdout.startswith("201 ") and '"5.00"' in output.stdout, True, f"what fetch output: {output}")
        expect(len(api(f"GET /sessions/{SESSION}/ledger")["movements"]), 1, "movements after the same request again")
    browser.press("Save as HAR", "#exchange")
    browser.wait("window.saved.length === 1")
    one = json.loads(browser.run("window.saved[0]"))["log"]["entries"]
    expect([entry["request"]["method"] for entry in one], ["POST"], "the archive of one exchange")
    browser.press("Close", "#exchange")
    browser.press("Save as HAR", ".journal")
    browser.wait("window.saved.length === 2")
    all_entries = json.loads(browser.run("window.saved[1]"))["log"]["entries"]
    expect(len(all_entries), api(f"GET /sessions/{SESSION}/journal?last=1")["entries"][0]["seq"], "entries of the archive")
    expect(browser.run("window.named"), f"counterfoil-{SESSION}.har", "the file's name")


def keys(browser):
    """/ j k ? and Escape; nothing while somebody types, nothing once they are off."""
    browser.run("document.activeElement.blur(); 0")
    browser.key("/")
    browser.wait("document.activeElement.id === 'filter'")
    browser.key("j")
    expect(browser.run("document.getElementById('filter').value"), "j", "what was typed")
    browser.type("#filter", "")
    browser.key("Escape")
    browser.wait("document.activeElement.id !== 'filter'")
    rows = browser.run("[...document.querySelectorAll('#row-body [data-seq]')].map((each) => each.dataset.seq)")
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        browser.key(key)
        browser.wait(f"document.activeElement.dataset.seq === '{rows[place]}'")
    browser.key("Enter")
    browser.see(f"#{rows[1]} ")
    browser.key("j")
    browser.wait(f"document.getElementById('exchange-title').textContent.startsWith('#{rows[2]} ')")
    browser.key("c")
    browser.wait("document.getElementById('compare').open")
    browser.key("Escape")
    browser.key("Escape")
    browser.wait("!document.querySelector('dialog[open]')")
    browser.key("?")
    browser.wait("document.getElementById('help').open")
    browser.see("status:5xx", "-path:/atms", "go to the filter")
    browser.run("document.getElementById('keys-on').click(); 0")
    browser.key("Escape")
    browser.wait("!document.getElementById('help').open")
    browser.key("?")
    expect(browser.run("document.getElementById('help').open"), False, "the help opens without keys")
    browser.run("document.getElementById('help-open').click(); document.getElementById('keys-on').click(); document.getElementById('help').close(); 0")


def snapshot(browser, till):
    """Money goes back to where it was."""
    browser.press("Restore")
    browser.see("take one first")
    browser.press("Snapshot")
    browser.see("Snapshot of ")
    before = len(api(f"GET /sessions/{SESSION}/ledger")["movements"])
    expect(till.pay("cake-1"), "201", "the status of a payment")
    expect(len(api(f"GET /sessions/{SESSION}/ledger")["movements"]), before + 1, "movements after a payment")
    browser.press("Restore")
    browser.wait("document.getElementById('session-notice').textContent === ''")
    for _ in range(10 * PATIENCE):
        if len(api(f"GET /sessions/{SESSION}/ledger")["movements"]) == before:
            return
        time.sleep(0.1)
    expect(len(api(f"GET /sessions/{SESSION}/ledger")["movements"]), before, "movements after the restoration")


def reach(browser, till):
    """However far the journal is scrolled: its head, the filter and the panels stay; on a phone nothing goes sideways."""
    with open("many-tools", "w") as file:
        file.write(f'url = "{till.base}/v1/atms"\noutput = "none"\n' * 60)
    curl("-K", "many-tools")
    browser.wait("document.querySelectorAll('#row-body tr').length > 60")
    browser.run("scrollTo(0, 2000); 0")
    browser.wait("scrollY >= 1500")
    for selector in (".top", "#filter", "#rows th.c-status", "#steer", "#verdict-head"):
        box = browser.run(f"(({{ top, bottom, height }}) => [top, bottom, height])(document.querySelector('{selector}').getBoundingClientRect())")
        expect(box[0] > -1 and 0 < box[2] and box[0] < 400, True, f"{selector} is in reach: {box}")
    over = browser.run("""(() => { const [bar, head] = ['.sticky', '#rows th.c-status'].map((each) => document.querySelector(each).getBoundingClientRect());
        return bar.bottom - head.top; })()""")
    expect(-2 <= over <= 2, True, f"the filter and the head of the columns meet: {over}")
    browser.run("scrollTo(0, 0); 0")
    for width in (390, 768, 1024, 1280, 1920):
        browser.look(width, 900)
        for dialog in (None, "exchange", "compare", "help"):
            if dialog == "exchange":
                browser.run("document.querySelector('#row-body [data-seq]').click(); 0")
            elif dialog == "compare":
                browser.press("Compare", "#compare-form")
            elif dialog == "help":
                browser.run("document.getElementById('help-open').click(); 0")
            place = f"document.getElementById('{dialog}')" if dialog else "document.documentElement"
            if dialog:
                browser.wait(f"{place}.open")
            expect(browser.run(f"{place}.scrollWidth <= {place}.clientWidth"), True, f"{dialog or 'the page'} at {width} goes sideways: found less")
            if dialog is None:
                cut = "[...document.querySelectorAll('.c-fault *')].filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth).length"
                expect(browser.run(cut), 0, f"faults and ends that are cut at {width}")
            if dialog == "compare" or dialog == "help":
                browser.run("document.querySelectorAll('dialog[open]').forEach((each) => each.close()); 0")
    browser.look(1280, 900)


def phone():
    """Where no scrollbar is drawn, a dialog is in the window too, although the page leaves room for one."""
    browser = Browser(390, 900, scrollbars=False)
    try:
        browser.open(f"{admin}/#/{SESSION}")
        browser.wait("document.querySelector('#row-body [data-seq]')")
        browser.run("document.querySelector('#row-body [data-seq]').click(); 0")
        browser.wait("document.getElementById('exchange').open")
        expect(browser.run("document.getElementById('exchange').getBoundingClientRect().left"), 0, "where the dialog begins")
    finally:
        browser.end()


def main():
    till = Till()
    browser = Browser()
    try:
        browser.open(f"{admin}/#/{SESSION}")
        browser.see("● live", "No requests yet", "nothing to check yet")
        presets(browser, till)
        fields(browser)
        waterfall(browser, till)
        search(browser, till)
        browser.shots("tools")
        browser.readable("the dashboard")
        compared(browser)
        again(browser, till)
        keys(browser)
        snapshot(browser, till)
        reach(browser, till)
        phone()
        # One error is expected: the snapshot that does not exist.
        expect([error for error in browser.errors if "409 (Conflict)" not in error], [], "what the console complained of")
    finally:
        browser.end()
        api(f"DELETE /sessions/{SESSION}")


if __name__ == "__main__":
    main()
