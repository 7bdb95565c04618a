"""http1_shapes: requests of HTTP/1.1 that are made to be read in two ways, or in none."""
import json

from mutate import mutate


class Case:
    """Bytes for one connection, and what may come back.

    - kind: `answered` with exactly these statuses; `rejected`, at most one response behind those, of a client's fault; `alone`, at most
      one response behind those, whatever it is; `any`.
    """

    def __init__(self, data, kind, statuses=()):
        self.data, self.kind, self.statuses = data, kind, list(statuses)
        self.leaves = False

    def replacing(self, token):
        self.data = self.data.replace(b"%TOKEN%", token)
        return self


def get(extra=b"", target=b"/v1/atms", version=b"HTTP/1.1", method=b"GET", host=b"Host: 127.0.0.1\r\n"):
    return method + b" " + target + b" " + version + b"\r\n" + host + extra + b"\r\n"


def payment(key, framing=None, body=None, extra=b""):
    """A payment of 1 penny; its framing is a right Content-Length unless others are given."""
    body = body if body is not None else penny()
    framing = framing if framing is not None else b"Content-Length: %d\r\n" % len(body)
    return (b"POST /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %TOKEN%\r\nContent-Type: application/json\r\n"
            b"Idempotency-Key: " + key + b"\r\n" + extra + framing + b"\r\n" + body)


def penny():
    return json.dumps({"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "0.01", "currency": "GBP"}}).encode()


def chunked(body, sizes=(16, 32), end=b"0\r\n\r\n", extension=b""):
    parts, place = [], 0
    while place < len(body):
        size = sizes[len(parts) % len(sizes)]
        piece = body[place:place + size]
        parts.append(b"%x" % len(piece) + extension + b"\r\n" + piece + b"\r\n")
        place += size
    return b"".join(parts) + end


CHUNKED = b"Transfer-Encoding: chunked\r\n"
ODD_CODINGS = [b"xchunked", b"chunked, identity", b"identity, chunked", b"identity", b"gzip", b"gzip, chunked, chunked", b"chunked;q=1", b'"chunked"',
               b"chunked\x0b", b"chunk", b"chunked,", b"chunked chunked", b"\xef\xbb\xbfchunked", b"chunked\x00", b"cow", b"chunked, cow"]
ODD_LENGTHS = [b"+5", b"-1", b"-5", b"0x10", b"1e1", b"5 5", b"5,6", b"5;", b"5.0", b"99999999999999999999", b"18446744073709551616", b"9223372036854775808",
               b"\xef\xbc\x95", b"five", b"NaN", b"5\x00", b"5\x0b"]
ODD_SIZES = [b"g", b"-1", b"+5", b"0x5", b"5 5", b"fffffffffffffffff", b"10000000000000000", b"", b" ", b"5\x00", b"\xef\xbc\x95", b"5\r", b"1e1"]
ODD_TARGETS = [b"/%", b"/%zz", b"/%00", b"/../../etc/passwd", b"//v1//atms", b"/v1/atms?" + b"a=b&" * 500, b"/v1/atms?%ff=%fe", b"/\xff\xfe", b"/v1/atms#x",
               b"/v1/transactions?limit=-1", b"/v1/transactions?limit=99999999999999999999", b"/v1/transactions?cursor=%00", b"/v1/accounts/" + b"a" * 9000,
               b"/v1/accounts/%2e%2e", b"/v1/accounts/%F0%9F%92%A9", b"*", b"/?", b"/s/none/v1/atms", b"/v1/accounts/;/transactions", b"/v1/images/../x"]


def codings(chooser, mark, number):
    """Length and coding at once, or a coding that two readers take for different things."""
    body = b"0\r\n\r\n" + mark
    length = b"Content-Length: %d\r\n" % chooser.choice([len(body), 0, 5])
    coding = chooser.choice([CHUNKED, b"Transfer-Encoding:chunked\r\n", b"transfer-encoding: CHUNKED\r\n", b"Transfer-Encoding: \tchunked\t \r\n"])
    odd = b"Transfer-Encoding: " + chooser.choice(ODD_CODINGS) + b"\r\n"
    framing = chooser.choice([length + coding, coding + length, odd, odd + length, coding + odd, odd + coding,
                              b"Transfer-Encoding : chunked\r\n" + length, b" Transfer-Encoding: chunked\r\n" + length,
                              b"X: y\r\n Transfer-Encoding: chunked\r\n" + length, b"X: y\nTransfer-Encoding: chunked\r\n" + length,
                              b"X: y\rTransfer-Encoding: chunked\r\n" + length, b"Transfer-Encoding:\r\n chunked\r\n" + length,
                              b"Transfer_Encoding: cow\r\nTransfer-Encoding: cow\r\n", b"Transfer-Encoding\x00: chunked\r\n" + length])
    return Case(payment(b"coding-%d" % number, framing, body), "alone")


def lengths(chooser, mark, number):
    """Content-Length doubled, or no number."""
    body = penny() + mark
    odd, right = chooser.choice(ODD_LENGTHS), b"%d" % len(penny())
    framing = chooser.choice([b"Content-Length: " + odd + b"\r\n", b"Content-Length: " + odd + b"\r\nContent-Length: " + right + b"\r\n",
                              b"Content-Length: " + right + b"\r\nContent-Length: " + b"%d" % len(body) + b"\r\n",
                              b"Content-Length: " + right + b", %d" % len(body) + b"\r\n", b"Content-Length : " + right + b"\r\n",
                              b"Content-Length: " + right + b"\n\r\n", b"Content-Length:\r\n " + right + b"\r\n"])
    return Case(payment(b"length-%d" % number, framing, body), "rejected")


def chunks(chooser, mark, number):
    """Chunks whose sizes, ends or trailers are wrong."""
    body, odd = penny(), chooser.choice(ODD_SIZES)
    data = chooser.choice([odd + b"\r\n" + body + b"\r\n0\r\n\r\n", chunked(body, end=odd + b"\r\n\r\n"),
                           b"%x" % len(body) + b"\n" + body + b"\r\n0\r\n\r\n", b"%x\r\n" % len(body) + body + b"X\r\n0\r\n\r\n",
                           b"%x\r\n" % (len(body) - 3) + body + b"\r\n0\r\n\r\n", b"%x\r\n" % len(body) + body + b"0\r\n\r\n",
                           chunked(body, end=b"0\r\nno trailer\r\n\r\n"), chunked(body, end=b"0\r\n: x\r\n\r\n"), chunked(body, end=b"0\r\nX\x00: y\r\n\r\n"),
                           chunked(body, end=b"0\r\n" + b"X: y\r\n" * 300 + b"\r\n"), chunked(body, end=b"0\r\nX: " + b"y" * 40_000 + b"\r\n\r\n")])
    return Case(payment(b"chunk-%d" % number, CHUNKED, data + (mark if chooser.random() < 0.3 else b"")), "rejected")


def heads(chooser, _mark, _number):
    """Heads that are none, or too large."""
    return Case(chooser.choice([
        get(b"X: a\x00b\r\n"), get(b"X: a\rb\r\n"), get(b"X\x00: a\r\n"), get(b": a\r\n"), get(b"no colon\r\n"), get(b"X y: a\r\n"), get(b"X : a\r\n"),
        get(b"X: " + b"a" * chooser.choice([33_000, 70_000, 300_000]) + b"\r\n"), get(b"X: y\r\n" * chooser.choice([201, 300, 5000])),
        get(target=b"/" + b"a" * 40_000), get(host=b""), get(b"Host: 127.0.0.1\r\n"), get(b"Host: evil\r\n"),
        get(version=b"HTTP/0.9"), get(version=b"HTTP/3.0"), get(version=b"HTTP/1.1x"), get(version=b"HTTP/11"), get(version=b"http/1.1"), get(version=b"HTTP/1"),
        get(version=b"ICAP/1.0"), get(method=b""), get(method=b"G@T"), get(method=b"G\x00T"), get(method=b"A" * 40_000), get(b"Expect: 200-ok\r\n"),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chooser.randbytes(200), chooser.randbytes(chooser.randrange(1, 3000)) + b"\r\n\r\n",
        b" " + get(), b"GET\r\n\r\n", b"GET /v1/atms\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"\x00" * 500, b"{}" * 30 + b"\r\n\r\n",
        get(method=b"CONNECT", target=b"127.0.0.1:1"), get(target=b"ftp://127.0.0.1/"), get(target=b"v1/atms"), get(b"Authorization: a\r\nAuthorization: b\r\n"),
    ]), "rejected")


def targets(chooser, _mark, number):
    """Targets, methods and headers that are odd and may be answered."""
    return Case(chooser.choice([
        get(target=chooser.choice(ODD_TARGETS)), get(target=chooser.choice(ODD_TARGETS), method=chooser.choice([b"POST", b"PUT", b"DELETE", b"PATCH"])),
        get(method=chooser.choice([b"TRACE", b"OPTIONS", b"PROPFIND", b"PURGE", b"M-SEARCH", b"get", b"HEAD"])), get(target=b"*", method=b"OPTIONS"),
        get(target=b"http://127.0.0.1/v1/atms"), get(target=b"http://evil.example/v1/atms"), get(target=b"HTTP://127.0.0.1?x"), get(version=b"HTTP/1.0"),
        get(version=b"HTTP/1.2"), get(host=b"Host:\r\n"), get(host=b"Host: 127.0.0.1:evil\r\n"), b"\r\n\r\n" + get(), get(method=b"CONNECT"),
        get(b"Connection: host, content-length, x\r\n"), get(b"Range: bytes=9-1\r\nIf-None-Match: *\r\nTE: trailers\r\n"),
        get(b"Authorization: " + chooser.choice([b"Bearer", b"bearer %TOKEN%", b"Basic \xff", b"Bearer " + b"a" * 9000, b"", b"Bearer a b"]) + b"\r\n", b"/v1/accounts"),
        get(b"X: a\r\n b\r\n"), get().replace(b"\r\n", b"\n"), get(b"Cookie: " + b"a=b; " * 900 + b"\r\n"), get(b"Expect: 100-continue\r\n"),
        payment(chooser.choice([b"", b"k" * 9000, b"\xff\xfe", b'"k"', b"a, b", b"\t"])), payment(b"twice", extra=b"Idempotency-Key: other\r\n"),
        payment(b"json-%d" % number, body=chooser.choice([b"", b"null", b"[" * 5000, b"{" * 5000, b'{"a":' * 2000, b"\xff" * 90, b'"' + b"\\u0000" * 500 + b'"',
                                                          b'{"from":1e999}', b'{"amount":{"amount":"' + b"9" * 5000 + b'"}}', b"1" * 9000])),
    ]), "any")


def good(chooser, _mark, number):
    """Unusual requests that are valid: all of them are answered."""
    upgrade = chooser.choice([b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
                              b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\n", b"Upgrade: h2c\r\n", b"Connection: upgrade\r\n"])
    key, times = b"good-%d" % number, chooser.randrange(2, 40)
    return chooser.choice([
        lambda: Case(get(upgrade) + get(), "answered", [200, 200]),
        lambda: Case(payment(key, extra=upgrade) + get(), "answered", [201, 200]),
        lambda: Case(get() * times, "answered", [200] * times),
        lambda: Case(payment(key, CHUNKED, chunked(penny(), [chooser.randrange(1, 20), 7])) + get(), "answered", [201, 200]),
        lambda: Case(payment(key, CHUNKED, chunked(penny(), extension=b";a=b;c=\"d e\"")) + get(), "answered", [201, 200]),
        lambda: Case(payment(key, CHUNKED, chunked(penny(), end=b"0\r\nX: y\r\nHost: evil\r\nAuthorization: Bearer x\r\n\r\n")) + get(), "answered", [201, 200]),
        lambda: Case(payment(key, extra=b"Expect: 100-continue\r\n") + get(), "answered", [201, 200]),
        lambda: Case(payment(key, b"Content-Length: 00%d\r\n" % len(penny())) + get(), "answered", [201, 200]),
        lambda: Case(payment(key) * 3, "answered", [201] * 3),
        lambda: Case(get(b"X: " + b"a" * 20_000 + b"\r\n"), "answered", [200]),
    ])()


def closing(chooser, mark, number):
    """Behind a request that is the last by its own words nothing is answered."""
    last = chooser.choice([get(b"Connection: close\r\n"), get(version=b"HTTP/1.0"), payment(b"last-%d" % number, extra=b"Connection: close\r\n")])
    return Case(last + mark, "alone")


def large(chooser, mark, number):
    """Bodies over the limit, declared or not, and what follows them."""
    size = (1 << 20) + chooser.randrange(1, 200_000)
    return Case(chooser.choice([
        lambda: payment(b"large-%d" % number, body=b" " * size + mark), lambda: payment(b"large-%d" % number, CHUNKED, chunked(b" " * size, [60_000]) + mark),
        lambda: payment(b"large-%d" % number, b"Content-Length: 5000000000\r\n", penny()),
    ])(), "rejected")


def cut(chooser, _mark, number):
    """Half requests: then the client has nothing more to say, or is gone."""
    whole = chooser.choice([get(), payment(b"half-%d" % number), payment(b"half-%d" % number, CHUNKED, chunked(penny()))])
    case = Case(whole[:chooser.randrange(1, len(whole) - 1)], "rejected")
    case.leaves = chooser.random() < 0.3
    return case


def mutated(chooser, _mark, number):
    """Right requests with a few bytes wrong."""
    whole = chooser.choice([get(), get(b"Authorization: Bearer %TOKEN%\r\n", b"/v1/accounts"), payment(b"mutant-%d" % number),
                            payment(b"mutant-%d" % number, CHUNKED, chunked(penny())),
                            b"POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 55\r\n\r\n"
                            b"grant_type=password&username=ava&password=correct-horse",
                            get(b"Authorization: Bearer %TOKEN%\r\n", b"/v1/transactions?account=ava-gbp&limit=3")])
    return Case(mutate(whole, chooser), "any")


SHAPES = [(codings, 14), (lengths, 10), (chunks, 12), (heads, 12), (targets, 12), (good, 8), (closing, 4), (large, 1), (cut, 10), (mutated, 30)]


def case(chooser, number):
    """The case of this number; none begins like HTTP/2, which has a generator of its own."""
    mark = payment(b"smuggled-%d" % number)
    shape = chooser.choices([shape for shape, _ in SHAPES], [weight for _, weight in SHAPES])[0]
    made = shape(chooser, mark, number)
    first = get() * chooser.choice([0, 0, 0, 1, 2])
    if first and made.kind != "any":
        made.data, made.statuses = first + made.data, [200] * first.count(b"GET ") + made.statuses
    return made
