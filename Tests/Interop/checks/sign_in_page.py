"""sign_in_page.py BANK: the sign-in page as a user of Chromium sees it. SHOTS names a folder for pictures of it."""
import http.server
import os
import shutil
import sys
import threading
import urllib.parse

from playwright.sync_api import sync_playwright

# A busy machine may pause for a while.
PATIENCE_MS = 120_000
bank = sys.argv[1]
answers = []


class App(http.server.BaseHTTPRequestHandler):
    """The app: its callback, and a page that frames the bank's."""

    def do_GET(self):
        target = urllib.parse.urlsplit(self.path)
        if target.path == "/callback":
            answers.append(dict(urllib.parse.parse_qsl(target.query)))
        page = f'<iframe src="{asked("framed")}"></iframe>' if target.path == "/frame" else "<h1>the app</h1>"
        # Chromium closes its connection when the next page is opened before it has read this one, or the icon.
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())
        except ConnectionError:
            pass

    def log_message(self, *_):
        pass


app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=app.serve_forever, daemon=True).start()
home = f"http://127.0.0.1:{app.server_port}"


def asked(state, **other):
    query = {"response_type": "code", "client_id": "app", "redirect_uri": home + "/callback", "state": state, "scope": "accounts payments",
             "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256", **other}
    return f"{bank}/oauth/authorize?{urllib.parse.urlencode(query)}"


with open(os.environ["ROOT"] + "/Tests/Shell/parts/contrast.js") as file:
    UNREADABLE = file.read()


class Visitor:
    """A user with a window of that width, light or dark, with or without scripts."""

    def __init__(self, browser, width, scheme, scripts):
        self.width, self.name = width, f"{width}-{scheme}{'' if scripts else '-without-script'}"
        self.context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, java_script_enabled=scripts)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page, self.complaints = self.context.new_page(), []
        self.page.on("console", lambda message: self.complaints.append(message.text))

    def look(self, name):
        """Nothing is wider than the window, and all text can be read."""
        if "SHOTS" in os.environ:
            self.page.screenshot(path=f"{os.environ['SHOTS']}/sign-in-{name}-{self.name}.png", full_page=True)
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= self.width, f"{name} in {self.name}: found {width} px, expected at most {self.width}"
        unreadable = self.page.evaluate(UNREADABLE)
        assert unreadable == [], f"{name} in {self.name}: found texts of low contrast: {unreadable}"
        for button in self.page.get_by_role("button").all():
            height = button.bounding_box()["height"]
            assert height >= 44, f"{name} in {self.name}: found a button of {height} px, expected at least 44"

    def ground(self):
        colour = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[colour.index("(") + 1:-1].split(",")[:3])

    def returned(self, state):
        """The app's answer of that state, once the browser is back in the app."""
        self.page.wait_for_url(home + "/callback?*")
        assert answers[-1]["state"] == state and answers[-1]["iss"] == bank, answers
        return answers[-1]

    def fill(self, password):
        self.page.get_by_label("User name").fill("ava")
        self.page.get_by_label("Password").fill(password)

    def signs_in_after_a_wrong_password(self):
        self.page.goto(asked("s1"))
        self.look("form")
        self.fill("wrong")
        self.page.keyboard.press("Enter")
        assert "is wrong" in self.page.get_by_role("alert").inner_text()
        self.look("wrong-password")
        assert self.page.get_by_label("User name").input_value() == "ava"
        assert self.page.get_by_label("Password").input_value() == ""
        self.page.get_by_label("Password").fill("correct-horse")
        self.page.keyboard.press("Enter")
        assert self.returned("s1")["code"], answers

    def denies_and_cancels(self):
        for button, state in [("Deny", "s2"), ("Cancel", "s3")]:
            self.page.goto(asked(state))
            self.page.get_by_role("button", name=button).click()
            assert self.returned(state)["error"] == "access_denied", answers

    def chooses_accounts(self):
        self.page.goto(asked("s4"))
        self.fill("correct-horse")
        self.page.get_by_label("Accounts to share").select_option("yes")
        self.page.get_by_role("button", name="Sign in and allow").click()
        boxes = self.page.get_by_role("group", name="Accounts to share").get_by_role("checkbox")
        boxes.first.wait_for()
        assert [box.is_checked() for box in boxes.all()] == [True] * 5, boxes.count()
        self.look("accounts")
        self.page.get_by_label("Euro trips").uncheck()
        self.page.get_by_role("button", name="Allow").click()
        assert self.returned("s4")["code"], answers

    def is_not_sent_to_strangers(self):
        """An app that the bank does not know, or another address of one that it knows, gets nothing: the page shows the error."""
        before = len(answers)
        for other in ({"client_id": "nobody"}, {"redirect_uri": "https://other.example/callback"}):
            self.page.goto(asked("s5", **other))
            assert self.page.get_by_role("alert").is_visible() and self.page.get_by_role("button").count() == 0
            assert self.page.url.startswith(bank), self.page.url
            self.look("failure")
        assert len(answers) == before, answers

    def is_not_framed(self):
        # Of the wrong password and the strangers; a style or a redirect that the policy rejects would be another.
        assert all("status of 400" in complaint for complaint in self.complaints), self.complaints
        self.page.goto(home + "/frame")
        assert self.page.frames[1].query_selector("form") is None, "found the page in a frame"


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"],
                                         timeout=PATIENCE_MS)
    grounds = {"light": [], "dark": []}
    for width, scheme, scripts in [(1280, "light", True), (390, "dark", True), (390, "light", False), (390, "dark", False)]:
        visitor = Visitor(browser, width, scheme, scripts)
        visitor.signs_in_after_a_wrong_password()
        visitor.denies_and_cancels()
        visitor.chooses_accounts()
        visitor.is_not_sent_to_strangers()
        grounds[scheme].append(visitor.ground())
        visitor.is_not_framed()
        visitor.context.close()
    assert min(grounds["light"]) > 600 and max(grounds["dark"]) < 200, grounds
    browser.close()
print("the page works in Chromium")
