"""lying_server: a small bank for the self-test of the generators; right but for its lie."""
import json
import os
import re
import signal
import socketserver
import threading
import time

import lying_http2
from http2 import PREFACE

TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
PUBLIC = {"atms": ["here"]}
CALLS = "POST /sessions|PUT /sessions/{session}|PUT S/clock|POST S/clock/advance|POST S/connections/close|POST S/tokens|POST S/tokens/expire|POST S/tokens/revoke|POST S/tokens/downscope|" \
        "POST S/provider-state|POST S/outage|POST S/faults|POST S/reset|POST S/snapshot|POST S/restore|POST S/faults/release|POST /shutdown|POST /drain|GET S/journal|GET /health"


class Refused(Exception):
    """Bytes that are no request: answered with this status, and the end."""


class Bank:
    """The payments so far, and the effect of the lie at each refusal."""

    def __init__(self, lie):
        self.lie, self.lock = lie, threading.Lock()
        self.keys, self.movements, self.hoard, self.turns, self.troubled = {}, [], [], 0, False

    def refuse(self):
        """Called for each input that is refused."""
        self.troubled = True
        if self.lie == "dies":
            os._exit(139)
        if self.lie == "memory":
            self.hoard.append(bytearray(os.urandom(1 << 20) * 8))
        if self.lie == "descriptors":
            self.hoard.append(os.dup(0))
        if self.lie == "silence":
            time.sleep(60)
        return 500 if self.lie == "status-500" else 400

    def pay(self, key, token, body):
        """Status, body and headers of a payment."""
        try:
            wanted = json.loads(body)
            right = wanted["from"] == "ava-gbp" and re.fullmatch(r"[0-9]+\.[0-9][0-9]", wanted["amount"]["amount"]) is not None and key
        except (ValueError, TypeError, KeyError):
            right = False
        if token != b"Bearer cf_token" or not right:
            return self.refuse() if token == b"Bearer cf_token" else 401, {}, b""
        with self.lock:
            if key in self.keys:
                return 201, {}, b"Idempotent-Replayed: true\r\n"
            self.keys[key] = True
            self.turns += 1
            if self.lie != "loses-payments" or self.turns % 3:
                self.movements.append({"key": key.decode("latin-1")})
            return 201, {"paid": True}, b""

    def answer(self, method, path, headers, body):
        """The reply to a request of the bank's port: status, document, extra header lines."""
        if path == b"/oauth/token":
            return 200, {"access_token": "cf_token"}, b""
        if path == b"/v1/payments" and method == b"POST":
            return self.pay(headers.get(b"idempotency-key", b""), headers.get(b"authorization"), body)
        if path == b"/v1/atms" and method == b"GET":
            return 200, PUBLIC | ({"more": 1} if self.lie == "wrong-next" and self.troubled else {}), b""
        return 404, {}, b""

    def steer(self, method, path, headers, body):
        """The reply of the admin port."""
        path = path.decode("latin-1").removeprefix("/__admin")
        call = f"{method.decode('latin-1')} {path}"
        if path == "" or path == "/":
            calls = CALLS.replace("S/", "/sessions/{session}/").split("|") + (["POST /new"] if self.lie == "unlisted" else [])
            return 200, {"calls": [{"call": f"{one.split(' ')[0]} /__admin{one.split(' ')[1]}"} for one in calls]}, b""
        if call == "GET /fault-kinds":
            return 200, {"kinds": [{"kind": "close", "example": {}}]}, b""
        if call == "GET /sessions":
            return 200, {"sessions": [{"id": "counterfoil"}]}, b""
        if call == "GET /sessions/default/ledger":
            return 200, {"balanced": self.lie != "unbalanced" or not self.troubled, "movements": self.movements}, b""
        if call == "POST /sessions/default/reset":
            self.keys, self.movements = {}, []
            return 204, None, b""
        if call == "POST /sessions" and body == b'{"bank": "counterfoil", "name": "attacked", "listen": true}':
            return 201, {"base_url": f"http://127.0.0.1:{self.port}"}, b""
        if call == "POST /sessions" and re.fullmatch(rb'{"bank": "counterfoil", "name": "s[0-9]+"}', body):
            token = {"token-repeats": "00" * 32, "token-shows-admin": b"ABCDEFGH".hex() + os.urandom(24).hex()}.get(self.lie, os.urandom(32).hex())
            return 201, {"token": f"cfs_{token}"}, b""
        if re.fullmatch("DELETE /sessions/s[0-9]+", call):
            return 204, None, b""
        status = self.refuse()
        problem = {"type": "about:blank", "status": status, "detail": "body: found x, expected y"}
        problem |= {"no-detail": {"detail": ""}, "nameless": {"detail": "no"}, "internal": {"detail": "body: DecodingError"}}.get(self.lie, {})
        return status, "no json" if self.lie == "no-json" else problem, b""


class Handler(socketserver.BaseRequestHandler):
    """One connection of HTTP/1.1, read as strictly as can be."""

    def handle(self):
        self.data = b""
        try:
            if self.server.is_bank and self.more() and PREFACE.startswith(self.data[:24]):
                while len(self.data) < 24 and PREFACE.startswith(self.data) and self.more():
                    pass
                if self.data.startswith(PREFACE):
                    return lying_http2.converse(self.request, self.data, self.server.bank)
            while self.data or self.more():
                if not self.one():
                    break
        except Refused as refusal:
            self.server.bank.refuse()
            self.reply(500 if self.server.bank.lie == "status-500" else refusal.args[0], {"detail": "found x, expected y"}, True)
        except OSError:
            return
        finally:
            lying_http2.end(self.request)

    def more(self):
        piece = self.request.recv(1 << 16)
        self.data += piece
        return bool(piece)

    def until(self, mark, longest=33_000):
        while (place := self.data.find(mark)) < 0:
            if len(self.data) > longest or not self.more():
                raise Refused(431 if len(self.data) > longest else 400)
        found, self.data = self.data[:place], self.data[place + len(mark):]
        if len(found) > longest:
            raise Refused(431)
        return found

    def exactly(self, count):
        while len(self.data) < count:
            if not self.more():
                if self.server.bank.lie == "pays-half":
                    self.server.bank.movements.append({"key": "half"})
                raise Refused(400)
        found, self.data = self.data[:count], self.data[count:]
        return found

    def one(self):
        """One request; false if it is the last."""
        line, *fields = self.until(b"\r\n\r\n").split(b"\r\n")
        match = re.fullmatch(rb"(GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH|TRACE) (/[\x21-\x7e]*|http://127.0.0.1/[\x21-\x7e]*) HTTP/1\.([01])", line)
        if not match or len(fields) > 200:
            raise Refused(400)
        headers, last = self.headers(fields), match[3] == b"0"
        body = self.body(headers)
        last = last or headers.get(b"connection") == b"close"
        bank = self.server.bank
        path = match[2].removeprefix(b"http://127.0.0.1").split(b"?")[0]
        status, document, extra = (bank.answer if self.server.is_bank else bank.steer)(match[1], path, headers, body)
        self.reply(status, document, last, extra, match[1] == b"HEAD")
        if bank.lie == "deaf" and b"upgrade" in headers:
            while self.more():
                pass
            return False
        return not last or bank.lie == "answers-behind"

    def headers(self, fields):
        found = {}
        for field in fields:
            name, separator, value = field.partition(b":")
            if not separator or not TOKEN.fullmatch(name) or re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value):
                raise Refused(400)
            if name.lower() in found and name.lower() in (b"host", b"content-length", b"transfer-encoding", b"authorization"):
                if self.server.bank.lie != "smuggles":
                    raise Refused(400)
            found[name.lower()] = value.strip(b" \t")
        if b"host" not in found or found.get(b"expect", b"100-continue") != b"100-continue":
            raise Refused(400)
        return found

    def body(self, headers):
        coding, length = headers.get(b"transfer-encoding"), headers.get(b"content-length", b"0")
        if self.server.bank.lie == "smuggles" and coding is not None:
            coding, length = None, b"0"
        if coding is not None and (coding.lower() != b"chunked" or b"content-length" in headers):
            raise Refused(501)
        if not re.fullmatch(rb"[0-9]{1,9}", length) or int(length) > 1 << 20:
            raise Refused(413)
        if coding is None:
            return self.exactly(int(length))
        body = b""
        while True:
            size = re.fullmatch(rb"([0-9a-fA-F]{1,6})(;[\x20-\x7e]*)?", self.until(b"\r\n"))
            if not size or len(body) + int(size[1], 16) > 1 << 20:
                raise Refused(400)
            if int(size[1], 16) == 0:
                break
            body += self.exactly(int(size[1], 16))
            if self.exactly(2) != b"\r\n":
                raise Refused(400)
        trailers = []
        while (line := self.until(b"\r\n")):
            trailers.append(line)
        if len(trailers) > 200:
            raise Refused(431)
        self.headers([b"host: x", *(line for line in trailers if not line.lower().startswith(b"host:"))])
        return body

    def reply(self, status, document, last, extra=b"", is_head=False):
        body = b"" if document is None else json.dumps(document).encode()
        kind = b"application/problem+json" if status >= 400 else b"application/json"
        if self.server.bank.lie == "garbage" and self.server.bank.troubled:
            extra += b"X: \x01\r\n"
        length = b"" if status == 204 else b"Content-Length: %d\r\n" % len(body)
        self.request.sendall(b"HTTP/1.1 %d X\r\n" % status + b"Content-Type: " + kind + b"\r\n" + length + extra + (b"Connection: close\r\n" if last else b"") + b"\r\n"
                             + (b"" if is_head else body))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, *_):
        pass


def serve(ready, lie):
    bank, ended = Bank(lie), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    ports = {"tls": None}
    for name in ("bank", "admin"):
        server = Server(("127.0.0.1", 0), Handler)
        server.bank, server.is_bank = bank, name == "bank"
        ports[name] = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if name == "bank":
            bank.port = server.server_address[1]
    with open(ready, "w") as file:
        file.write(json.dumps(ports) + "\n")
    ended.wait()
    return 0
