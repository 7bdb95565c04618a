"""A bank that is not Counterfoil's: Python's own HTTP server, one customer, tokens that can be revoked, payments with keys.

har_bank.py CERTIFICATE KEY serves it over TLS and prints its port.

It fails the first payment with 500 after it has executed it, and answers the first request for statements with 429.
"""
import http.server
import json
import ssl
import sys
import threading


class Bank(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, page, tls=None):
        super().__init__(("127.0.0.1", 0), Handler)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.page = page
        self.tokens = []
        self.revoked = set()
        self.keys = {}
        self.payments = 0
        self.limited = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return "http://127.0.0.1:%d" % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def respond(self, status, value=None, kind="application/json", **headers):
        body = value.encode() if isinstance(value, str) else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def token(self):
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def is_known(self):
        if self.token() in self.server.tokens and self.token() not in self.server.revoked:
            return True
        self.respond(401, {"error": "invalid_token"}, WWW_Authenticate='Bearer error="invalid_token"')
        return False

    def do_GET(self):
        bank = self.server
        if self.path == "/":
            return self.respond(200, bank.page, "text/html")
        if self.path == "/favicon.ico":
            return self.respond(404)
        if not self.is_known():
            return None
        if self.path == "/v1/statements":
            bank.limited += 1
            if bank.limited == 1:
                return self.respond(429, {"error": "slow_down"}, Retry_After="5")
        return self.respond(200, {"items": [
            {"id": "a-1", "holder": "Ottoline Greyhurst", "email": "ottoline@mail.example", "iban": "GB33BUKB20201555555555", "balance": "100.00"}]})

    def do_POST(self):
        bank = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/oauth/token":
            bank.tokens.append("tok-%08d-secret-of-the-bank" % len(bank.tokens))
            return self.respond(200, {"access_token": bank.tokens[-1], "token_type": "Bearer", "expires_in": 900})
        if self.path == "/test/revoke":
            bank.revoked.update(bank.tokens)
            return self.respond(204)
        if not self.is_known():
            return None
        key = self.headers.get("Idempotency-Key")
        if key not in bank.keys:
            bank.keys[key] = json.loads(body)
            bank.payments += 1
            if bank.payments == 1:
                return self.respond(500, {"error": "internal"})
        return self.respond(201, {"id": "p-1", "state": "accepted"})


if __name__ == "__main__":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    print(Bank("", context).server_address[1], flush=True)
    threading.Event().wait()
