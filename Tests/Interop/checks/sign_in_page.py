"""sign_in_page.py BANK: the sign-in page as a user of Chromium sees it."""
import http.server
import shutil
import sys
import threading
import urllib.parse

from playwright.sync_api import sync_playwright

bank = sys.argv[1]
answers = []


class App(http.server.BaseHTTPRequestHandler):
    """The app: its callback, and a page that frames the bank's."""

    def do_GET(self):
        target = urllib.parse.urlsplit(self.path)
        if target.path == "/callback":
            answers.append(dict(urllib.parse.parse_qsl(target.query)))
        page = f'<iframe src="{asked("framed")}"></iframe>' if target.path == "/frame" else "<h1>the app</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=app.serve_forever, daemon=True).start()
home = f"http://127.0.0.1:{app.server_port}"


def asked(state):
    query = {"response_type": "code", "client_id": "app", "redirect_uri": home + "/callback", "state": state,
             "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
    return f"{bank}/oauth/authorize?{urllib.parse.urlencode(query)}"


def brightness(page, what):
    colour = page.evaluate(f"getComputedStyle(document.querySelector('{what}')).backgroundColor")
    return sum(int(part) for part in colour[colour.index("(") + 1:-1].split(",")[:3])


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"])
    seen = {}
    for scheme in ["light", "dark"]:
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme, java_script_enabled=False)
        page = context.new_page()
        complaints = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(asked("s1"))
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"found {width} px, expected at most 390"
        seen[scheme] = brightness(page, "body")
        button = page.get_by_role("button", name="Sign in and allow").bounding_box()
        assert button["height"] >= 44, button

        page.get_by_label("User name").fill("ava")
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        assert "is wrong" in page.get_by_role("alert").inner_text()
        assert page.get_by_label("User name").input_value() == "ava"
        page.get_by_label("Password").fill("correct-horse")
        page.keyboard.press("Enter")
        page.wait_for_url(home + "/callback?*")
        assert answers[-1]["state"] == "s1" and answers[-1]["code"] and answers[-1]["iss"] == bank, answers

        for button, state in [("Deny", "s2"), ("Cancel", "s4")]:
            page.goto(asked(state))
            page.get_by_role("button", name=button).click()
            page.wait_for_url(home + "/callback?*")
            assert answers[-1]["error"] == "access_denied" and answers[-1]["state"] == state, answers

        page.goto(asked("s3"))
        page.get_by_label("User name").fill("ava")
        page.get_by_label("Password").fill("correct-horse")
        page.get_by_label("Accounts to share").select_option("yes")
        page.get_by_role("button", name="Sign in and allow").click()
        boxes = page.get_by_role("group", name="Accounts to share").get_by_role("checkbox")
        assert [box.is_checked() for box in boxes.all()] == [True] * 5, boxes.count()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"found {width} px, expected at most 390"
        page.get_by_label("Euro trips").uncheck()
        page.get_by_role("button", name="Allow").click()
        page.wait_for_url(home + "/callback?*")
        assert answers[-1]["state"] == "s3" and answers[-1]["code"], answers

        # Of the wrong password; a style or a redirect that the policy rejects would be another.
        assert all("status of 400" in complaint for complaint in complaints), complaints
        page.goto(home + "/frame")
        framed = page.frames[1]
        assert framed.query_selector("form") is None, "found the page in a frame"
        context.close()
    assert seen["light"] > 600 and seen["dark"] < 200, seen
    browser.close()
print("the page works in Chromium")
