"""bank: a served bank under attack, and what must stay true of it."""
import http.client
import json
import os
import pathlib
import re
import resource
import subprocess
import time
import urllib.parse

from soaking import BOUND, ROOT, Failure, Gone, shown

GROWTH = 150  # megabytes that the server may hold more than after its start
PATIENCE = 40  # seconds until the last descriptor must be gone: half requests are given 30


class Bank:
    """`counterfoil serve counterfoil`, for as long as a `with` block runs.

    - Parameter open_files: how many it may have, by default as many as the system allows.
    """

    def __init__(self, program, folder, *arguments, open_files=None):
        self.program, self.folder, self.open_files = program, pathlib.Path(folder), open_files
        self.ready, self.log = self.folder / "ready.json", self.folder / "server.log"
        self.command = [program, "serve", "counterfoil", "--stubs", str(ROOT / "Stubs"), "--port", "0", "--admin-port", "0", "--seed", "7",
                        "--journal-memory", "8", "--ready-file", str(self.ready), "--quiet", *arguments]

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=os.environ | {"COUNTERFOIL_HOME": str(self.folder / "home")},
                preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (self.open_files,) * 2)) if self.open_files else None)
        until = time.monotonic() + 30
        while not self.ready.exists() or not self.ready.read_text().endswith("\n"):
            if self.process.poll() is not None or time.monotonic() > until:
                self.process.kill()
                raise Gone(f"found no server within 30 s: {shown(self.log.read_text())}")
            time.sleep(0.01)
        ready = json.loads(self.ready.read_text())
        self.port, self.admin_port = (urllib.parse.urlsplit(ready[name]).port for name in ("bank", "admin"))
        # A stand-in without TLS reports it.
        self.tls_port = urllib.parse.urlsplit(ready["tls"]).port if "--tls" in self.command and ready["tls"] else None
        self.public = None
        self.look_public()
        self.sign_in()
        self.resident_at_start, self.descriptors_at_start = self.resident(), self.descriptors()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(BOUND)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def ask(self, method, path, body=None, headers=None, port=None, bound=BOUND):
        """One good request on a connection of its own: status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=bound)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.look_alive(0 if isinstance(error, TimeoutError) else 0.2)
            raise Failure(f"{method} {shown(path, 60)}: found {type(error).__name__} ({error}), expected an answer within {bound:g} s") from error
        finally:
            connection.close()

    def admin(self, method, path, body=None, expected=(200, 201, 204)):
        """One call of the admin API that must succeed; what it answers."""
        status, _, text = self.ask(method, f"/__admin{path}", None if body is None else json.dumps(body), port=self.admin_port)
        if status not in expected:
            raise Failure(f"admin {method} {path}: found {status} {shown(text)}, expected one of {expected}")
        return json.loads(text) if text else None

    def sign_in(self):
        self.token = self.signed_in().encode()

    def signed_in(self, session=""):
        """A token of ava's.

        - Parameter session: the beginning of its paths, such as `/s/a`; by default the bank's own session.
        """
        form = "grant_type=password&username=ava&password=correct-horse"
        status, _, body = self.ask("POST", f"{session}/oauth/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
        if status != 200:
            raise Failure(f"the sign-in: found {status} {shown(body)}, expected 200")
        return json.loads(body)["access_token"]

    def pay(self, token, key, pence, session=""):
        """One payment: status, headers and body of its response."""
        body = json.dumps({"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": f"0.{pence:02}", "currency": "GBP"}})
        return self.ask("POST", f"{session}/v1/payments", body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": key})

    # MARK: what must stay true

    def look_alive(self, grace=0):
        """- Parameter grace: seconds that a process whose sockets are gone is given to be gone too."""
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            return
        if self.process.returncode is not None:
            raise Gone(f"the server ended with {self.process.returncode}: {shown(self.log.read_text()[-600:], 700)}")

    def look_public(self):
        """The next good request on a new connection is answered as it always was."""
        status, _, body = self.ask("GET", "/v1/atms")
        if status != 200 or self.public not in (None, body):
            raise Failure(f"a good request afterwards: found {status} {shown(body)}, expected 200 and the same body as before")
        self.public = body

    def look_ledger(self, paid):
        """The ledger is balanced, and holds as many movements as payments were acknowledged.

        - Parameter paid: the fewest and the most it may be.
        - Returns: how many.
        """
        ledger = self.admin("GET", "/sessions/default/ledger")
        if not ledger["balanced"]:
            raise Failure("found a ledger that is not balanced")
        smuggled = [movement["key"] for movement in ledger["movements"] if "smuggled" in str(movement["key"])]
        if smuggled:
            raise Failure(f"found a payment under the key {shown(smuggled[0])}, which stood in another request's body")
        if not paid[0] <= len(ledger["movements"]) <= paid[1]:
            raise Failure(f"found {len(ledger['movements'])} movements, expected {paid[0]} to {paid[1]}, as many as payments were acknowledged")
        return len(ledger["movements"])

    def reset(self):
        self.admin("POST", "/sessions/default/reset")
        self.sign_in()

    def resident(self):
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1000
        except (FileNotFoundError, TypeError):
            self.look_alive()
            return 0

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except FileNotFoundError:
            self.look_alive()
            return 0

    def look_memory(self):
        grown = self.resident() - self.resident_at_start
        if grown > GROWTH:
            raise Failure(f"found {grown:.0f} MB more in memory than after the start, expected at most {GROWTH}")

    def look_descriptors(self, patience=min(PATIENCE, 4 * BOUND)):
        """Nothing is left of the connections, once the last half request had its time."""
        until = time.monotonic() + patience
        while (left := self.descriptors() - self.descriptors_at_start) > 2 and time.monotonic() < until:
            time.sleep(0.1)
        if left > 2:
            raise Failure(f"found {left} descriptors more than after the start, expected none after {patience:.0f} s")

    def look_at_end(self):
        self.look_alive()
        self.look_memory()
        self.look_descriptors()
        self.process.terminate()
        try:
            code = self.process.wait(BOUND)
        except Exception as error:
            raise Gone(f"the server did not end within {BOUND:g} s of SIGTERM") from error
        if code != 0:
            raise Gone(f"the server ended with {code} after SIGTERM, expected 0: {shown(self.log.read_text()[-600:], 700)}")
