"""hostile_admin: an admin server before the real one, whose responses are made wrong in the way that an input demands."""
import http.client
import json
import socketserver
import threading
import time

ESCAPES = ["\x1b[2J\x1b]0;x\x07", "\u202eabc\u2066", "\x9b31m", "a\rb", "\x00\x08\x7f"]
LINES = ["::error::injected", "ok\n::error::injected", "ok\r::error::injected", "ok\r\n\r\n::stop-commands::injected", "\n\n  ::error::injected", "\x0b::error::injected",
         "x\u2028::error::injected", "x\x85::add-mask::injected", "injected\x1b[1A"]
TEXTS = ESCAPES + LINES
STATUSES = [400, 401, 403, 404, 405, 409, 413, 421, 422, 429, 500, 502, 503, 599]
LARGE, PIECE = 1 << 30, b"x" * (1 << 20)  # bytes
QUICK = {"some texts": 30, "one text": 20, "all texts": 10, "problem": 15, "no JSON": 5, "head": 5, "depth": 2, "redirect": 2, "cut": 3}
WAYS = QUICK | {"large": 4, "endless": 2, "endless head": 1, "silence": 1, "drip": 1}


def hostile(document, chooser, share):
    """The document with that share of its texts made hostile; what is a text stays one."""
    if isinstance(document, dict):
        return {key: hostile(value, chooser, share) for key, value in document.items()}
    if isinstance(document, list):
        return [hostile(value, chooser, share) for value in document]
    if isinstance(document, str) and chooser.random() < share:
        wrong = chooser.choice(TEXTS)
        return chooser.choice([wrong, wrong + document, document + wrong, "".join(chooser.sample(TEXTS, 4))])
    return document


def texts(document):
    """How many texts the document has."""
    if isinstance(document, (dict, list)):
        return sum(map(texts, document.values() if isinstance(document, dict) else document))
    return isinstance(document, str)


class Handler(socketserver.StreamRequestHandler):
    """One connection: each request goes to the real server, and what comes back is made wrong."""

    timeout = 60

    def handle(self):
        try:
            while line := self.rfile.readline(65_536).split():
                headers = http.client.parse_headers(self.rfile)
                body = self.rfile.read(int(headers.get("Content-Length") or 0))
                self.respond(*self.server.real(line[0].decode(), line[1].decode(), body))
        except (OSError, http.client.HTTPException, ValueError):
            pass  # the command has left, which it may

    def respond(self, status, kind, body):
        way, chooser = self.server.way, self.server.chooser
        if way in ("some texts", "one text", "all texts") and "json" in kind and body:
            document = json.loads(body)
            share = {"some texts": 0.3, "one text": 1 / max(1, texts(document)), "all texts": 1}[way]
            return self.send(status, kind, json.dumps(hostile(document, chooser, share)).encode())
        if way == "problem":
            status = chooser.choice(STATUSES)
            problem = {"type": "about:blank", "status": status, "title": chooser.choice(TEXTS), "detail": "".join(chooser.sample(TEXTS, 3)), "hint": chooser.choice(TEXTS)}
            return self.send(status, "application/problem+json", json.dumps(problem).encode())
        if way == "no JSON":
            return self.send(chooser.choice([200, 500]), kind, chooser.choice(["".join(TEXTS), "\n::error::injected\n", '{"a": "\x1b[2J", \n::error::injected', ""]).encode())
        if way == "head":
            reason = chooser.choice(["::error::injected", "\x1b[2J", "x" * 60_000, "\u202e"])
            return self.send(chooser.choice([status, 500]), kind, body, reason, f"X-Counterfoil-Node: {chooser.choice(ESCAPES)}\r\n".replace("a\rb", "::error::injected"))
        if way == "depth":
            return self.send(200, kind, chooser.choice([b"[" * 500_000, b'{"a":' * 500_000 + b"1" + b"}" * 500_000]))
        if way == "redirect":
            return self.send(302, kind, b"", extra=f"Location: {chooser.choice(['/__admin', 'http://[::1', 'file:///etc/passwd', '::error::injected'])}\r\n")
        if way == "cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n" + body[:chooser.randrange(len(body) + 1)])
            self.connection.close()
        elif way in ("large", "endless", "endless head", "drip", "silence"):
            self.endless(way, chooser.choice([b'{"', b'["', b'"', b""]))
        else:
            self.send(status, kind, body)

    def endless(self, way, begin):
        """More than fits anywhere, or nothing."""
        length = b"Content-Length: %d\r\n" % (LARGE + 1) if way == "large" else b""
        if way != "silence":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + (b"\r\n" + begin if "head" not in way else b""))
        until = time.monotonic() + 60
        sent = len(begin)
        while time.monotonic() < until and not self.server.over.is_set():
            if way in ("silence", "drip") or sent > 2 * LARGE:  # enough to see that it is taken; the machine must go on
                time.sleep(0.2)
                self.wfile.write(b" " if way == "drip" else b"")
            elif way == "large" and sent + len(PIECE) > LARGE:
                return self.wfile.write(b"x" * (LARGE - sent) + b'"')
            else:
                self.wfile.write(PIECE if "head" not in way else b"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 100)
                sent += len(PIECE)

    def send(self, status, kind, body, reason="X", extra=""):
        length = "" if status == 204 else f"Content-Length: {len(body)}\r\n"
        self.wfile.write(f"HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{length}{extra}\r\n".encode() + (b"" if status == 204 else body))


class HostileAdmin(socketserver.ThreadingTCPServer):
    """A server for as long as a `with` block runs.

    - Parameters: the port of the real admin API; way, one of WAYS, or `none` for the real responses.
    """

    daemon_threads, request_queue_size, block_on_close = True, 64, False

    def __init__(self, real_port, way, chooser):
        super().__init__(("127.0.0.1", 0), Handler)
        self.real_port, self.way, self.chooser, self.over = real_port, way, chooser, threading.Event()
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.serving = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.serving.start()

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.serving.join()
        self.server_close()

    def handle_error(self, *_):
        pass

    def real(self, method, path, body):
        """The real server's response: status, type, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.real_port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            response = connection.getresponse()
            return response.status, response.getheader("Content-Type", "text/plain"), response.read()
        finally:
            connection.close()
