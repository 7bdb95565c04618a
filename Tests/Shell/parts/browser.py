"""A browser that a test drives: chromium without a window, by its debugging pipe (no library is needed).

https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

# A user's patience: a busy machine may pause for a while.
PATIENCE = 180


def expect(found, expected, what):
    """Ends the program, saying what, unless both are equal."""
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


class ReplacedPage(RuntimeError):
    """A script found no page, or its page was replaced before it ended: an error of the protocol, not of the script."""


class Browser:
    """One page. `errors` is what its console complained of."""

    def __init__(self, width=1280, height=900, dark=False, scrollbars=True):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise FileNotFoundError("no chromium here")
        self.folder = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def pipes():
            # The program reads commands from 3 and answers on 4; either may be in the other's place now.
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={self.folder}", "--remote-debugging-pipe",
             *([] if scrollbars else ["--hide-scrollbars"]), "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.errors, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark)

    def look(self, width, height, dark=False):
        """Another window, light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    error = ReplacedPage if method == "Runtime.evaluate" else RuntimeError
                    raise error(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        until = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser shows nothing")
            more = os.read(self.back, 1 << 16)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"] + " " + message["params"]["entry"].get("url", ""))
        return message

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition):
        """Returns once an expression is true in the page."""
        until = time.monotonic() + PATIENCE
        while not self.holds(condition):
            if time.monotonic() > until:
                sys.exit(f"after {PATIENCE} s not so: {condition}\n{self.text()[:6000]}\nerrors: {self.errors}")
            time.sleep(0.1)

    def holds(self, condition):
        """Whether an expression is true in the page now; none is while one page replaces another, and no script can run."""
        try:
            return self.run(f"(() => {{ try {{ return Boolean({condition}) }} catch {{ return false }} }})()")
        except ReplacedPage:
            return False

    def text(self):
        """The text that a user can read."""
        return self.run("document.body.innerText")

    def see(self, *texts):
        """Returns once all of it can be read."""
        for text in texts:
            self.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def readable(self, what):
        """Ends the program, saying what, unless all texts on show have enough contrast, light and dark."""
        with open(os.path.join(os.path.dirname(__file__), "contrast.js")) as file:
            unreadable = file.read()
        for dark in (False, True):
            self.look(1280, 900, dark)
            expect(self.run(unreadable), [], f"texts of low contrast in {what}, {'dark' if dark else 'light'}")
        self.look(1280, 900)

    def press(self, name, within="document"):
        """Presses the button of that name, in the element of that selector."""
        place = within if within == "document" else f"document.querySelector({json.dumps(within)})"
        self.wait(f"[...{place}.querySelectorAll('button')].some((each) => each.textContent === {json.dumps(name)})")
        self.run(f"[...{place}.querySelectorAll('button')].find((each) => each.textContent === {json.dumps(name)}).click()")

    def choose(self, selector, value):
        """Chooses that value of a select."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.run(f"""{{
            const found = document.querySelector({json.dumps(selector)});
            found.value = {json.dumps(value)};
            if (found.value !== {json.dumps(value)}) throw new Error('no such choice');
            for (const name of ['input', 'change']) found.dispatchEvent(new Event(name, {{ bubbles: true }}));
        }} 0""")

    def type(self, selector, text):
        """Puts a text into a field in place of what is there."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.run(f"""{{
            const found = document.querySelector({json.dumps(selector)});
            found.value = {json.dumps(text)};
            found.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }} 0""")

    def key(self, text):
        """Presses a key, as a user does."""
        code = {"Enter": 13, "Escape": 27}.get(text)
        parameters = {"key": text, "windowsVirtualKeyCode": code} if code else {"key": text, "text": text}
        if text == "Enter":
            parameters["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{name: value for name, value in parameters.items() if name != "text"})

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def shots(self, name):
        """Pictures of the page at two widths, light and dark, in the folder SHOTS; none if that is not set."""
        if "SHOTS" not in os.environ:
            return
        for width in (1280, 390):
            for dark in (False, True):
                self.look(width, 900, dark)
                self.shot(f"{os.environ['SHOTS']}/{name}-{width}-{'dark' if dark else 'light'}.png")
        self.look(1280, 900)

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
