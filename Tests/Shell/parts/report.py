"""report.py PAGE TWO: uses the report of one run, and that of two, as files in a browser. SHOTS names a folder for pictures of them."""
import re
import sys

from browser import Browser, expect

page, two = ("file://" + path for path in sys.argv[1:3])
text = open(sys.argv[1]).read()
FAILED = "td a:is(.fail, .known, .inconclusive, .harness-error)"


def load(browser, address):
    """Opens a page again: another fragment alone would load nothing."""
    browser.open("about:blank")
    browser.wait("location.href === 'about:blank'")
    browser.open(address)
    browser.wait("document.readyState === 'complete' && document.querySelector('main')")


def count(browser, selector):
    """The number of elements that can be seen."""
    return browser.run(f"[...document.querySelectorAll({selector!r})].filter((each) => each.checkVisibility()).length")


def fill(browser, words):
    browser.run(f"""(() => {{ const field = document.getElementById('filter'); field.focus(); field.value = {words!r};
        field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")


def key(browser, name, text=""):
    extra = {"text": text} if text else {}
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode={"Escape": 27, "Enter": 13}[name],
                     **(extra if kind == "keyDown" else {}))


def folding(browser):
    """Suites are folded, failures come before them with one example open."""
    load(browser, page)
    browser.wait("!document.querySelector('.tools').hidden")
    suites = browser.run("document.querySelectorAll('.suite').length")
    expect(suites >= 2, True, "suites in the report")
    expect(count(browser, "td a"), 0, "marks while all suites are folded")
    expect(browser.run("document.querySelectorAll('.case[open]').length"), 1, "examples that are open")
    expect(browser.run("""document.querySelector('.group').compareDocumentPosition(document.querySelector('.suite'))
        & Node.DOCUMENT_POSITION_FOLLOWING"""), 4, "failures before suites")
    browser.shots("report-top")
    browser.press("Expand all")
    expect(count(browser, "td a"), browser.run("document.querySelectorAll('td a').length"), "marks when all is unfolded")
    browser.press("Collapse all")
    expect(count(browser, "td a"), 0, "marks when all is folded again")


def filtering(browser):
    """A filter and 'Failures only' show what fits, unfolded, and leave everything as it was when they end."""
    failed = browser.run(f"document.querySelectorAll('{FAILED}').length")
    browser.run("document.getElementById('failed').click()")
    expect((count(browser, "td a"), count(browser, FAILED)), (failed, failed), "marks with failures only")
    expect(browser.run("document.getElementById('shown').textContent"),
           f"{failed} of {browser.run('document.querySelectorAll(`td a`).length')}", "the count")
    browser.shots("report-failed")
    browser.run("document.getElementById('failed').click()")
    expect(count(browser, "td a"), 0, "marks without failures only")

    fill(browser, "LOST-before counterfoil h1s")
    shown = browser.run("[...document.querySelectorAll('td a')].filter((each) => each.checkVisibility()).map((each) => each.ariaLabel)")
    expect(bool(shown) and all("pay.lost-before-commit@counterfoil" in each and "h1s" in each for each in shown), True, f"{shown}")
    # A group goes by its example, which is of another protocol.
    fill(browser, "LOST-before counterfoil")
    groups = browser.run("[...document.querySelectorAll('.case')].filter((each) => each.checkVisibility()).map((each) => each.innerText)")
    expect(bool(groups) and all("lost-before" in each for each in groups), True, f"{groups}")
    fill(browser, "no such case")
    expect(count(browser, ".suite, .group"), 0, "what fits nothing")
    key(browser, "Escape")
    expect(browser.run("document.getElementById('filter').value"), "", "the filter after Escape")
    expect(count(browser, "td a"), 0, "marks after the filter")
    expect(count(browser, ".suite"), browser.run("document.querySelectorAll('.suite').length"), "suites after the filter")


def details(browser):
    """A link opens what happened; Escape closes it, and the page is where it was."""
    browser.run("window.scrollTo(0, 120)")
    browser.run("document.querySelector('.case[open] > p a').click()")
    browser.wait("document.querySelector('.details:target')?.contains(document.activeElement)")
    browser.see("Requests and responses", "Run again")
    expect(count(browser, ".details:target .exchange pre"), 0, "heads that are folded")
    browser.run("for (const each of document.querySelectorAll('.details:target .exchange')) each.open = true; 0")
    browser.see("POST /v1/payments HTTP/1.1", "Bearer token#1", "payee-lark")
    browser.shots("report-details")
    expect(browser.run("document.querySelector('main').inert"), True, "the page behind is out of reach")
    key(browser, "Escape")
    browser.wait("!document.querySelector('.details:target') && document.activeElement.matches('.case[open] > p a')")
    expect(browser.run("window.scrollY"), 120, "the place of the page")
    # The link's focus is inside an example that is open.
    key(browser, "Escape")
    expect(browser.run("document.querySelectorAll('.case[open]').length"), 0, "open examples after Escape")

    # The case of a failure is in the page itself, out of the details and with its suite unfolded.
    browser.run("document.querySelector('.case a').click()")
    browser.wait("document.querySelector('.details:target')")
    browser.run("document.querySelector('.details:target .why a[href^=\"#case-\"]').click()")
    browser.wait("document.querySelector('tr:target')?.checkVisibility() && !document.querySelector('main').inert")
    expect(browser.run("document.querySelector('tr:target').innerText.includes('Contracts/pay.')"), True, "the file of the case")
    browser.shots("report-case")

    # An address with a fragment, as somebody else was sent it.
    first = re.search(r'<section class="details" id="(run1-\d+)"', text)[1]
    load(browser, f"{page}#{first}")
    browser.wait(f"document.activeElement.id === '{first}-name'")
    key(browser, "Escape")
    browser.wait(f"!document.querySelector('.details:target') && document.getElementById('at-{first}').checkVisibility()")


def copying(browser):
    """The button copies the command that runs the case again, with the clipboard's leave and without."""
    load(browser, page)
    command = browser.run("document.querySelector('.command pre').textContent")
    expect(command.startswith("counterfoil test --client ") and " --seed 7" in command, True, command)
    for grant in (True, False):
        browser.run("window.copied = null; document.querySelector('.command button').textContent = 'Copy'; 0")
        if grant:
            browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }; 0")
        else:
            browser.run("""navigator.clipboard.writeText = async () => { throw new Error('no'); };
                document.addEventListener('copy', () => { window.copied = String(getSelection()); }); 0""")
        browser.run("document.querySelector('.command button').click()")
        browser.wait("window.copied !== null")
        expect(browser.run("window.copied").strip(), command, "what is copied")
        browser.wait("document.querySelector('.command button').textContent === 'Copied'")


def narrow(browser):
    """Nothing has to be scrolled sideways on a telephone, whatever is open."""
    for address in (page, two):
        load(browser, address)
        browser.look(390, 844)
        browser.run("for (const each of document.querySelectorAll('details')) each.open = true; 0")
        expect(browser.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), True, f"{address} at 390 px")
        browser.run("document.querySelector('.case a').click()")
        browser.wait("document.querySelector('.details:target')")
        expect(browser.run("((each) => each.scrollWidth <= each.clientWidth)(document.querySelector('.details:target'))"), True, "details at 390 px")
        browser.look(1280, 900)


def phone(browser):
    """Where no scrollbar is drawn, the details are in the window too, although the page leaves room for one."""
    other = Browser(390, 844, scrollbars=False)
    try:
        load(other, page)
        other.run("document.querySelector('.case a').click()")
        other.wait("document.querySelector('.details:target')")
        expect(other.run("document.querySelector('.details:target').getBoundingClientRect().left"), 0, "where the details begin")
    finally:
        other.end()


def without_script(browser):
    """All of it can be read without script; what needs it is not there."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    first = re.search(r'<details class="case" open>.*?href="#(run1-\d+)"', text, re.S)[1]
    load(browser, f"{page}#{first}")
    expect(count(browser, ".tools, .command button"), 0, "what the script adds")
    expect(count(browser, ".details:target .command pre"), 1, "the details")
    expect(count(browser, ".suite summary") >= 2, True, "suites")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def themes(browser):
    """Light and dark follow the reader's system."""
    load(browser, page)
    grounds = []
    for dark in (False, True):
        browser.look(1280, 900, dark)
        grounds.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    expect(grounds, ["rgb(255, 255, 255)", "rgb(13, 17, 23)"], "the grounds")
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true; 0")
    browser.readable("the report")


browser = Browser()
try:
    for part in (folding, filtering, details, copying, narrow, phone, without_script, themes):
        part(browser)
        expect(browser.errors, [], f"errors in {part.__name__}")
finally:
    browser.end()
print("the report in a browser: ok")
