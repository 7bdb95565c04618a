"""faulty_bank: the payments and the admin API of the stand-in for the self-test."""
import json
import os
import re
import threading
import time

import admin_calls
import faulty_sessions

PUBLIC = {"atms": ["here"]}
CALLS = [*admin_calls.BODIES, *admin_calls.BARE, *admin_calls.UNCALLED, f"GET {admin_calls.S}/journal", "GET /__admin/health"]


class Bank:
    """The payments so far, and the effect of the defect at each rejection."""

    def __init__(self, defect):
        self.defect, self.lock = defect, threading.Lock()
        self.keys, self.movements, self.hoard, self.turns, self.troubled = {}, [], [], 0, False
        self.sessions = faulty_sessions.Sessions(self)

    def reject(self):
        """Called for each input that is rejected."""
        self.troubled = True
        if self.defect == "dies":
            os._exit(139)
        if self.defect == "memory":
            self.hoard.append(bytearray(os.urandom(1 << 20) * 8))
        if self.defect == "descriptors":
            self.hoard.append(os.dup(0))
        if self.defect == "silence":
            time.sleep(60)
        return 500 if self.defect == "status-500" else 400

    def pay(self, key, token, body):
        """Status, body and headers of a payment."""
        try:
            wanted = json.loads(body)
            right = wanted["from"] == "ava-gbp" and re.fullmatch(r"[0-9]+\.[0-9][0-9]", wanted["amount"]["amount"]) is not None and key
        except (ValueError, TypeError, KeyError):
            right = False
        if token != b"Bearer cf_token" or not right:
            return self.reject() if token == b"Bearer cf_token" else 401, {}, b""
        with self.lock:
            if key in self.keys:
                return 201, {"paid": True}, b"" if self.defect == "pays-again" else b"Idempotent-Replayed: true\r\n"
            self.keys[key] = True
            self.turns += 1
            if self.defect != "loses-payments" or self.turns % 3:
                self.movements.append({"key": key.decode("latin-1")})
            return 201, {"paid": True}, b""

    def answer(self, method, path, headers, body):
        """The response to a request of the bank's port: status, document, extra header lines."""
        if path.startswith(b"/s/"):
            return self.sessions.answer(method, path, headers, body)
        if path == b"/oauth/token":
            return 200, {"access_token": "cf_token"}, b""
        if path == b"/v1/payments" and method == b"POST":
            return self.pay(headers.get(b"idempotency-key", b""), headers.get(b"authorization"), body)
        if path == b"/v1/atms" and method == b"GET":
            return 200, PUBLIC | ({"more": 1} if self.defect == "wrong-next" and self.troubled else {}), b""
        return 404, {}, b""

    def steer(self, method, path, headers, body):
        """The response of the admin port."""
        path = path.decode("latin-1").removeprefix("/__admin")
        call = f"{method.decode('latin-1')} {path}"
        if path == "" or path == "/":
            calls = CALLS + (["POST /__admin/new"] if self.defect == "unlisted" else [])
            return 200, {"calls": [{"call": call} for call in calls]}, b""
        if call == "GET /fault-kinds":
            return 200, {"kinds": [{"kind": "close", "example": {}}]}, b""
        if call == "GET /sessions":
            return 200, {"sessions": [{"id": "counterfoil"}]}, b""
        if call == "GET /sessions/default/ledger":
            return 200, {"balanced": self.defect != "unbalanced" or not self.troubled, "movements": self.movements}, b""
        if call == "POST /sessions/default/reset":
            self.keys, self.movements = {}, []
            return 204, None, b""
        if call == "POST /sessions" and body == b'{"bank": "counterfoil", "name": "attacked", "listen": true}':
            return 201, {"base_url": f"http://127.0.0.1:{self.port}"}, b""
        if call == "POST /sessions" and re.fullmatch(rb'{"bank": "counterfoil", "name": "s[0-9]+"}', body):
            token = {"token-repeats": "00" * 32, "token-shows-admin": b"ABCDEFGH".hex() + os.urandom(24).hex()}.get(self.defect, os.urandom(32).hex())
            return 201, {"token": f"cfs_{token}"}, b""
        if re.fullmatch("DELETE /sessions/s[0-9]+", call):
            return 204, None, b""
        if known := self.sessions.steer(call, body):
            return *known, b""
        status = self.reject()
        problem = {"type": "about:blank", "status": status, "detail": "body: found x, expected y"}
        problem |= {"no-detail": {"detail": ""}, "nameless": {"detail": "no"}, "internal": {"detail": "body: DecodingError"}}.get(self.defect, {})
        return status, "no json" if self.defect == "no-json" else problem, b""
