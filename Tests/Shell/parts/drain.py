"""drain.py COMMAND...: stops a server while the body of a payment is still in transit, and expects the response to the payment."""
import http.client, json, os, signal, socket, subprocess, sys, time
from urllib.parse import urlsplit

BODY = json.dumps({"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}).encode()


class Server:
    """A server that runs until the block's end."""

    def __init__(self, name, *options):
        self.ready, self.options = f"ready-{name}", options

    def __enter__(self):
        self.process = subprocess.Popen(sys.argv[1:] + [*self.options, "--ready-file", self.ready], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 300
        while not (os.path.exists(self.ready) and os.path.getsize(self.ready)):
            assert self.process.poll() is None, f"found status {self.process.returncode} before it was ready"
            assert time.monotonic() < until, "found no ready file after 300 s"
            time.sleep(0.05)
        ready = json.load(open(self.ready))
        self.bank, self.admin = (urlsplit(ready[name]) for name in ("bank", "admin"))
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def ask(self, address, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=300)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def half_payment(self):
        """A connection on which the bank has read the head of a payment, and waits for its body."""
        _, _, session = self.ask(self.admin, "POST", "/__admin/sessions/default/tokens", b"{}")
        token = json.loads(session)["token"]
        connection = socket.create_connection((self.bank.hostname, self.bank.port), timeout=300)
        connection.sendall(
            f"POST /v1/payments HTTP/1.1\r\nHost: bank\r\nAuthorization: Bearer {token}\r\nIdempotency-Key: rent\r\nContent-Type: application/json\r\n"
            f"Expect: 100-continue\r\nContent-Length: {len(BODY)}\r\n\r\n".encode())
        interim = connection.recv(1000)
        assert interim.startswith(b"HTTP/1.1 100 "), f"found {interim}, expected 100"
        return connection

    def end(self, how, within=300):
        begin = time.monotonic()
        try:
            status = self.process.wait(timeout=within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{how}: found that it still runs after {within} s, expected its end")
        assert status == 0, f"{how}: found status {status}, expected 0"
        return time.monotonic() - begin

    def await_unready(self):
        until = time.monotonic() + 300
        while (found := self.ask(self.admin, "GET", "/readyz"))[0] == 200:
            assert time.monotonic() < until, "found it ready 300 s after it was stopped"
            time.sleep(0.02)
        assert found[0] == 503 and found[2] == b"draining\n", f"found {found[0]} {found[2]}, expected 503"


def rest(connection):
    """All that is received until the connection ends."""
    received = b""
    try:
        while more := connection.recv(1 << 16):
            received += more
    except ConnectionResetError:
        pass
    return received


for how in ("SIGTERM", "POST /__admin/drain"):
    with Server(how.split()[0]) as server:
        assert server.ask(server.admin, "GET", "/readyz")[0] == 200
        payment = server.half_payment()
        if how == "SIGTERM":
            server.process.send_signal(signal.SIGTERM)
        else:
            assert server.ask(server.admin, "POST", "/__admin/drain")[0] == 202
        server.await_unready()
        assert server.ask(server.admin, "GET", "/livez")[0] == 200
        status, headers, _ = server.ask(server.admin, "POST", "/__admin/sessions", b'{"bank": "counterfoil"}')
        assert (status, headers["Retry-After"]) == (503, "1"), f"{how}: found {status} for a new session, expected 503 with Retry-After"
        payment.sendall(BODY)
        response = rest(payment)
        assert response.startswith(b"HTTP/1.1 201 "), f"{how}: found {response} for the payment under way, expected 201"
        server.end(how)

# An exchange that does not end in time is closed, and the process ends all the same.
with Server("bounded", "--drain", "1s") as server:
    payment = server.half_payment()
    server.process.send_signal(signal.SIGTERM)
    # A second later it has ended: a machine that stalls would ask nobody whether it is ready.
    assert rest(payment) == b"", "found a response to half a payment"
    server.end("--drain 1s")

# A second signal ends the wait.
with Server("twice", "--drain", "1h") as server:
    payment = server.half_payment()
    server.process.send_signal(signal.SIGTERM)
    server.await_unready()
    server.process.send_signal(signal.SIGTERM)
    server.end("a second SIGTERM")
