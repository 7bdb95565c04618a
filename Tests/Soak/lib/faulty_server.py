"""faulty_server: a small bank for the self-test of the generators; right but for its defect."""
import json
import re
import signal
import socketserver
import threading
import time

import faulty_http2
from http2 import PREFACE
from faulty_bank import Bank
from slowness import BODY, HEAD, IDLE

TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
CONNECTIONS = 100  # of one port
BESIDE = 33_000  # bytes of all chunk extensions and trailers of a body
class Rejected(Exception):
    """Bytes that are no request: answered with this status, and the end."""


class Handler(socketserver.BaseRequestHandler):
    """One connection of HTTP/1.1, read as strictly as can be."""

    def handle(self):
        self.data = b""
        self.give(IDLE)
        try:
            if self.server.is_bank and self.more() and PREFACE.startswith(self.data[:24]):
                while len(self.data) < 24 and PREFACE.startswith(self.data) and self.more():
                    pass
                if self.data.startswith(PREFACE):
                    self.request.settimeout(None)
                    return faulty_http2.converse(self.request, self.data, self.server.bank)
            while self.data or self.more():
                if not self.one():
                    break
                self.give(IDLE)
        except Rejected as rejection:
            self.server.bank.reject()
            self.respond(500 if self.server.bank.defect == "status-500" else rejection.args[0], {"detail": "found x, expected y"}, True)
        except OSError:
            return
        finally:
            faulty_http2.end(self.request)

    def give(self, seconds):
        """The time until the next part must be there."""
        self.limit, self.is_idle = time.monotonic() + (3600 if self.server.bank.defect == "never-ends" else seconds), seconds == IDLE and not self.data

    def more(self):
        self.request.settimeout(max(0.001, self.limit - time.monotonic()))
        try:
            piece = self.request.recv(1 << 16)
        except TimeoutError:
            if self.is_idle or self.server.bank.defect == "ends-silently":
                return False
            raise Rejected(408) from None
        self.data += piece
        return bool(piece)

    def until(self, mark, longest=BESIDE):
        while (place := self.data.find(mark)) < 0:
            if len(self.data) > longest or not self.more():
                raise Rejected(431 if len(self.data) > longest else 400)
        found, self.data = self.data[:place], self.data[place + len(mark):]
        if len(found) > longest:
            raise Rejected(431)
        return found

    def exactly(self, count):
        while len(self.data) < count:
            if not self.more():
                if self.server.bank.defect == "pays-half":
                    self.server.bank.movements.append({"key": "half"})
                raise Rejected(400)
        found, self.data = self.data[:count], self.data[count:]
        return found

    def one(self):
        """One request; false if it is the last."""
        self.give(HEAD)
        line, *fields = self.until(b"\r\n\r\n").split(b"\r\n")
        match = re.fullmatch(rb"(GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH|TRACE) (/[\x21-\x7e]*|http://127.0.0.1/[\x21-\x7e]*) HTTP/1\.([01])", line)
        if not match or len(fields) > 200:
            raise Rejected(400)
        headers, last = self.headers(fields), match[3] == b"0"
        self.give(BODY)
        body = self.body(headers)
        last = last or headers.get(b"connection") == b"close"
        bank = self.server.bank
        path = match[2].removeprefix(b"http://127.0.0.1").split(b"?")[0]
        status, document, extra = (bank.answer if self.server.is_bank else bank.steer)(match[1], path, headers, body)
        self.respond(status, document, last, extra, match[1] == b"HEAD")
        if bank.defect == "ignores-upgrade" and b"upgrade" in headers:
            while self.more():
                pass
            return False
        return not last or bank.defect == "answers-behind"

    def headers(self, fields):
        found = {}
        for field in fields:
            name, separator, value = field.partition(b":")
            if not separator or not TOKEN.fullmatch(name) or re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value):
                raise Rejected(400)
            if name.lower() in found and name.lower() in (b"host", b"content-length", b"transfer-encoding", b"authorization"):
                if self.server.bank.defect != "smuggles":
                    raise Rejected(400)
            found[name.lower()] = value.strip(b" \t")
        if b"host" not in found or found.get(b"expect", b"100-continue") != b"100-continue":
            raise Rejected(400)
        return found

    def body(self, headers):
        coding, length = headers.get(b"transfer-encoding"), headers.get(b"content-length", b"0")
        if self.server.bank.defect == "smuggles" and coding is not None:
            coding, length = None, b"0"
        if coding is not None and (coding.lower() != b"chunked" or b"content-length" in headers):
            raise Rejected(501)
        if not re.fullmatch(rb"[0-9]{1,9}", length) or int(length) > 1 << 20:
            raise Rejected(413)
        if coding is None:
            return self.exactly(int(length))
        body, beside = b"", 0
        most = 1 << 30 if self.server.bank.defect == "takes-extensions" else BESIDE
        while True:
            size = re.fullmatch(rb"(0*[0-9a-fA-F]{1,6})(;[\x20-\x7e]*)?", line := self.until(b"\r\n", most))
            beside += len(line)
            if not size or beside > most or len(body) + int(size[1], 16) > 1 << 20:
                raise Rejected(400)
            if int(size[1], 16) == 0:
                break
            body += self.exactly(int(size[1], 16))
            if self.exactly(2) != b"\r\n":
                raise Rejected(400)
        trailers = []
        while (line := self.until(b"\r\n", most)):
            trailers.append(line)
            beside += len(line)
            if beside > most or len(trailers) > 200 and most == BESIDE:
                raise Rejected(431)
        self.headers([b"host: x", *(line for line in trailers if not line.lower().startswith(b"host:"))])
        return body

    def respond(self, status, document, last, extra=b"", is_head=False):
        body = b"" if document is None else json.dumps(document).encode()
        kind = b"application/problem+json" if status >= 400 else b"application/json"
        if self.server.bank.defect == "garbage" and self.server.bank.troubled:
            extra += b"X: \x01\r\n"
        length = b"" if status == 204 else b"Content-Length: %d\r\n" % len(body)
        self.request.sendall(b"HTTP/1.1 %d X\r\n" % status + b"Content-Type: " + kind + b"\r\n" + length + extra + (b"Connection: close\r\n" if last else b"") + b"\r\n"
                             + (b"" if is_head else body))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, request_queue_size = True, 128

    def __init__(self, bank, is_bank):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bank, self.is_bank, self.connections = bank, is_bank, set()

    def verify_request(self, request, _):
        return len(self.connections) < CONNECTIONS or self.bank.defect == "unbounded"

    def process_request(self, request, address):
        self.connections.add(request)
        super().process_request(request, address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_):
        pass


def serve(ready, defect, state=None):
    """Serves until SIGTERM.

    - Parameter state: a file that gets the movements at the end.
    """
    bank, ended = Bank(defect), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    ports = {"tls": None}
    for name in ("bank", "admin"):
        server = Server(bank, name == "bank")
        ports[name] = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if name == "bank":
            bank.port = server.server_address[1]
    with open(ready, "w") as file:
        file.write(json.dumps(ports) + "\n")
    ended.wait()
    if state:
        with open(state, "w") as file:
            json.dump(bank.sessions.kept(), file)
    return 0
