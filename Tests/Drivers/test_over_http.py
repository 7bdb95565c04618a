"""Owners of tokens and keys: the shell and the JavaScript driver of Contracts/drivers against a small bank on a port of its own."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

DRIVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers")
PASSWORD = 'quote " and \\ backslash'
ORDER = {"from": "ava-gbp", "to": "payee-lark", "amount": "10.00", "currency": "GBP"}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.requests.append((self.path, self.headers.get("Authorization", ""), self.headers.get("Idempotency-Key"), body))
        plan = self.server.plan.get(self.path, [])
        status, answer = plan.pop(0) if plan else (200, None)
        if status == 0:
            return self.connection.close()  # the response is lost
        if answer is None and self.path == "/oauth/token":
            answer = {"access_token": "token-of-" + parse_qs(body)["username"][0]}
        text = json.dumps(answer or {"id": "pay-1", "state": "accepted"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


class OverHTTP:
    """The duties of every driver. A class for each sends its requests."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.requests, self.server.plan = [], {}
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def url(self):
        return "http://127.0.0.1:%d" % self.server.server_port

    def payments(self):
        return [(token, key) for path, token, key, _ in self.server.requests if path == "/v1/payments"]

    def test_an_open_payment_waits_for_its_customer(self):
        self.server.plan["/v1/payments"] = [(0, None)] * self.attempts
        self.ask("login")
        self.assertEqual(self.ask("pay", intent="A", **ORDER), "outcome_unknown")
        self.ask("login", user="ben")
        self.assertEqual(self.ask("pay", intent="A", **ORDER)["state"], "accepted")
        self.ask("logout")
        self.assertEqual(self.ask("pay", intent="A", **ORDER), "unauthorized")
        self.ask("login")

        self.assertEqual(self.ask("pay", intent="A", **ORDER)["state"], "accepted")

        (ava, avas_key), (ben, bens_key), (again, key_again) = self.payments()[self.attempts - 1:]
        self.assertEqual((ava, ben, again), ("Bearer token-of-ava", "Bearer token-of-ben", "Bearer token-of-ava"))
        self.assertNotEqual(avas_key, bens_key)
        self.assertEqual(avas_key, key_again)

    def test_a_refused_sign_in_leaves_nobody_signed_in(self):
        self.ask("login")
        self.server.plan["/oauth/token"] = [(400, {"error": "invalid_grant"})]

        self.assertEqual(self.ask("login", user="ben"), "unauthorized")

        self.assertEqual(self.ask("status")["signed_in"], False)

    def test_a_password_arrives_as_it_is_and_stays_nowhere(self):
        self.ask("login")

        self.assertEqual(parse_qs(self.server.requests[0][3])["password"], [PASSWORD])
        files = [os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names]
        self.assertEqual(sorted(os.path.basename(file) for file in files), self.files)
        for file in files:
            with open(file, encoding="utf-8") as content:
                self.assertNotIn("backslash", content.read())
        self.assertEqual({os.stat(file).st_mode & 0o777 for file in files}, {0o600})

    def test_a_payment_that_never_left_may_be_corrected(self):
        self.ask("login")
        self.server.plan["/v1/payments"] = [(403, {})]
        self.assertEqual(self.ask("pay", intent="A", **ORDER), "forbidden")

        self.assertEqual(self.ask("pay", intent="A", **{**ORDER, "amount": "11.00"})["state"], "accepted")

        self.assertEqual(len({key for _, key in self.payments()}), 2)

    def test_after_damage_to_its_files_a_customer_signs_in_and_no_payment_is_sent_again(self):
        self.ask("login")
        self.assertEqual(self.ask("pay", intent="A", **ORDER)["state"], "accepted")
        self.server.plan["/v1/payments"] = [(0, None)] * self.attempts
        self.assertEqual(self.ask("pay", intent="B", **ORDER), "outcome_unknown")
        sent = self.payments()
        self.damage()

        self.assertEqual(self.ask("login"), {"signed_in": True})
        self.assertEqual(self.ask("status")["signed_in"], True)
        for intent in ("A", "B"):
            self.assertEqual(self.ask("pay", intent=intent, **ORDER), self.unreadable)

        self.assertEqual(self.payments(), sent)

    def damage(self):
        """Changes every eighth byte of each file, as the step `disk: damage` does."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "r+b") as file:
                    content = bytearray(file.read())
                    content[::8] = bytes(byte ^ 0x5A for byte in content[::8])
                    file.seek(0)
                    file.write(content)


class ShellDriverTests(OverHTTP, unittest.TestCase):
    files, attempts, unreadable = ["owner", "token"], 1, "outcome_unknown"

    def ask(self, operation, **args):
        """The view, or the name of the error."""
        environment = {
            **os.environ, "COUNTERFOIL_OP": operation, "COUNTERFOIL_BANK": "counterfoil", "COUNTERFOIL_STATE_DIR": self.folder,
            "COUNTERFOIL_URL": self.url(), "COUNTERFOIL_ARGS": json.dumps(args), "COUNTERFOIL_USER": "ava",
            "COUNTERFOIL_PASSWORD": PASSWORD}
        run = subprocess.run(
            ["sh", DRIVERS + "/shell/driver.sh"], env=environment, capture_output=True, text=True, timeout=300, check=False)
        first = run.stdout.partition("\n")[0]
        return json.loads(first) if run.returncode == 0 else first


@unittest.skipUnless(shutil.which("node"), "found no node")
class JavaScriptDriverTests(OverHTTP, unittest.TestCase):
    files, attempts, unreadable = ["counterfoil.json"], 3, "unavailable"

    def ask(self, operation, **args):
        """The view, or the name of the error. Each step has a process of its own, as after a restart."""
        start = {"t": "case", "case": "c", "base_url": self.url(), "state_dir": self.folder, "bank": "counterfoil",
                 "login": {"user": "ava", "password": PASSWORD}}
        step = {"t": "step", "case": "c", "n": 1, "op": operation, "args": args}
        lines = [{"t": "hello", "v": 1, "nonce": "n"}, start, step, {"t": "end", "case": "c"}, {"t": "bye"}]
        run = subprocess.run(
            ["node", DRIVERS + "/javascript/driver.mjs"], input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True,
            text=True, timeout=300, check=True)
        result = next(answer for answer in map(json.loads, run.stdout.splitlines()) if answer["t"] == "result")
        return result["view"] if result["outcome"] == "ok" else result["error"]


if __name__ == "__main__":
    unittest.main()
