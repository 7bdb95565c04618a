"""A receiver of the bank's webhooks: a small server on this machine. Standard library only.

An event is on the disk before it is answered with 2xx, and is acted on afterwards: nothing is lost if the process ends in between, and a
slow handler keeps no bank waiting.
"""

import hashlib
import hmac
import http.server
import json
import os
import threading
import time

TOLERANCE = 300  # seconds that a signature may be old, or ahead of this clock
LARGEST = 1 << 16
KNOWN = ("payment.authorised", "payment.settled", "payment.rejected", "payment.cancelled", "payment.returned", "transaction.created")


def is_genuine(signature, body, secret):
    """Whether a delivery is from the bank and not an old one: `t=SECONDS,v1=CODE`, with one code for each valid secret."""
    parts = [part.partition("=")[::2] for part in signature.split(",")]
    seconds = dict(parts).get("t", "")
    if not (seconds.isascii() and seconds.isdigit()) or abs(time.time() - int(seconds)) > TOLERANCE:
        return False
    code = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(code.encode(), value.encode()) for name, value in parts)


class Receiver:
    """Begins to listen when it is made. Safe to use from several threads."""

    def __init__(self, folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.path, self.lock, self.secret, self.held = os.path.join(folder, "webhooks.jsonl"), threading.Lock(), None, False
        self.accepted = self._stored()
        self.acted = 0  # how many of them
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def report(self, secret, held):
        """What it has acted on. With `held` it acts on nothing until the next call."""
        with self.lock:
            self.secret, self.held = secret or self.secret, held
            self._act()
            events, payments = self.accepted[:self.acted], {}
        for event in sorted(events, key=lambda event: event["created"]):  # the newest counts, whatever came last
            if event["type"].startswith("payment."):
                payments[event["data"]["object"]["id"]] = event["data"]["object"]["state"]
        return {
            "url": "http://127.0.0.1:%d/hook" % self.server.server_port,
            "events": [{"id": event["id"], "type": event["type"], "amount": event["data"]["object"]["amount"]} for event in events],
            "payments": [{"id": key, "state": state} for key, state in payments.items()]}

    def status(self, signature, body):
        """The status that answers a delivery."""
        with self.lock:
            if not self.secret or not is_genuine(signature, body, self.secret):
                return 400
            event = json.loads(body)
            if event["type"] in KNOWN and all(event["id"] != before["id"] for before in self.accepted):
                self._store(event)
                self.accepted.append(event)
                self._act()
            return 204

    def _act(self):
        if not self.held:
            self.acted = len(self.accepted)

    def _store(self, event):
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(event) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _stored(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return []
        events = []
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                continue  # an empty line, or one that a kill has cut: its event was not answered
        return events

    def _handler(receiver):
        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 5

            def do_POST(self):
                length = self.headers.get("Content-Length", "")
                if not (length.isascii() and length.isdigit()) or int(length) > LARGEST:
                    return self.send_error(413)
                try:
                    status = receiver.status(self.headers.get("Counterfoil-Signature", ""), self.rfile.read(int(length)))
                except (ValueError, KeyError, TypeError):
                    status = 400
                except OSError:
                    status = 503  # it cannot be stored now: the bank sends it again
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler
