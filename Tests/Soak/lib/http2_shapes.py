"""http2_shapes: conversations of HTTP/2 with frames that are wrong, too many, or out of place."""
from http1_shapes import penny
from http2 import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HAS_PRIORITY, HEADERS, PADDED, PING, PREFACE, PRIORITY, PUSH_PROMISE,
                   RST_STREAM, SETTINGS, WINDOW_UPDATE, begin, block, frame, get, integer, ping, pseudo, settings, window_update)
from mutate import mutate

LAST = 0x7FFFFFFD  # the stream of the request behind everything
ATTACKED = 3
secrets = {"token": b""}  # of who pays: it comes with each reset of the bank


class Case:
    """A conversation's bytes, and how it may go.

    - kind: `alive`, the request behind the attack is answered; `rejected`, the attacked stream has no 2xx, and the connection is
      closed or the request behind is answered; `closed`, nothing behind the attack is answered; `any`.
    - payments: the largest number that can have been made.
    """

    def __init__(self, attack, kind, payments=0, start=None):
        self.kind, self.payments = kind, payments
        self.data = (begin() if start is None else start) + attack + get(LAST) + ping(b"the end")


def payment(stream, key, extra=(), body=None, ends=True):
    body = penny() if body is None else body
    fields = [*pseudo(b"POST", b"/v1/payments"), (b"authorization", b"Bearer " + secrets["token"]), (b"content-type", b"application/json"), (b"idempotency-key", key), *extra]
    return frame(HEADERS, END_HEADERS, stream, block(*fields)) + frame(DATA, END_STREAM if ends else 0, stream, body)


def fields(chooser, number):
    """A request whose fields are against RFC 9113 §8."""
    normal, key = pseudo(), b"field-%d" % number
    wrong = chooser.choice([
        normal[1:], normal[:2] + normal[3:], normal + [normal[0]], normal + [normal[2]], [(b"x", b"y"), *normal], normal + [(b":status", b"200")],
        normal + [(b":x", b"y")], normal + [(b"X-Upper", b"y")], normal + [(b"connection", b"close")], normal + [(b"transfer-encoding", b"chunked")],
        normal + [(b"te", b"gzip")], normal + [(b"upgrade", b"h2c")], normal + [(b"x\r\ny", b"z")], normal + [(b"x", b"a\r\nb: c")], normal + [(b"x", b"a\x00b")],
        normal + [(b"", b"y")], pseudo(path=b""), pseudo(path=b"v1/atms"), pseudo(method=b""), pseudo(method=b"G T"), pseudo(path=b"/a b"), pseudo(path=b"/a\x00b"),
        pseudo(path=b"/v1/atms HTTP/1.1\r\nX: y"), normal + [(b"x y", b"z")], normal + [(b"x:", b"y")], normal + [(b"proxy-connection", b"keep-alive")],
        pseudo(method=b"CONNECT"), normal + [(b"x", b" y")][:0] + [(b"keep-alive", b"5")], [(b":method", b"GET")], []])
    if chooser.random() < 0.6:
        return Case(frame(HEADERS, END_STREAM | END_HEADERS, ATTACKED, block(*wrong)), "rejected")
    length = chooser.choice([b"5", b"0", b"9999", b"-1", b"x", b"+88", b"88, 88", b"18446744073709551616"])
    twice = chooser.choice([(), ((b"content-length", b"88"),)])
    return Case(payment(ATTACKED, key, [(b"content-length", length), *twice]), "rejected")


def compression(chooser, _number):
    """HPACK that cannot be read, or grows."""
    right = block(*pseudo())
    bomb = block(*pseudo()) + b"\x40\x01x" + integer(4000, 7, 0) + b"y" * 4000 + b"\xbe" * chooser.choice([100, 4000, 12_000])
    wrong = chooser.choice([b"\x80", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\xfe", b"\x3f\xff\xff\xff\xff\x7f", b"\x00\x85\xff\xff\xff\xff\xff\x01a",
                            b"\x00\xff\xff\xff\x7f", b"\x00\x01", b"\x00\x05ab", b"\x00\x81\x00\x01a", b"\x3f\xe1\xff\x03", b"\x7f\x80", bytes(60), chooser.randbytes(80)])
    kind = chooser.randrange(3)
    if kind == 0:
        return Case(frame(HEADERS, END_STREAM | END_HEADERS, ATTACKED, bomb[:16_384]), "any")
    data = right + wrong if kind == 1 else wrong + right
    return Case(frame(HEADERS, END_STREAM | END_HEADERS, ATTACKED, data), "any")


def continuations(chooser, _number):
    """Header blocks that do not end, or end elsewhere."""
    head, right = block(*pseudo()), END_STREAM
    times = chooser.choice([1, 10, 300, 3000])
    return chooser.choice([
        lambda: Case(frame(HEADERS, right, ATTACKED, head) + frame(CONTINUATION, 0, ATTACKED) * times, "closed"),
        lambda: Case(frame(HEADERS, right, ATTACKED, head) + frame(CONTINUATION, 0, ATTACKED, block((b"x", b"y" * 500))) * times, "closed"),
        lambda: Case(frame(HEADERS, right, ATTACKED, head) + frame(CONTINUATION, END_HEADERS, 5), "closed"),
        lambda: Case(frame(HEADERS, right, ATTACKED, head) + ping(b"between"), "closed"),
        lambda: Case(frame(CONTINUATION, END_HEADERS, ATTACKED, head), "closed"),
        lambda: Case(frame(HEADERS, right, ATTACKED, head[:9]) + frame(CONTINUATION, END_HEADERS, ATTACKED, head[9:]), "alive"),
        lambda: Case(frame(HEADERS, right, ATTACKED, head) + b"".join(frame(CONTINUATION, 0, ATTACKED, block((b"x%d" % n, b"y" * 900))) for n in range(60))
                     + frame(CONTINUATION, END_HEADERS, ATTACKED), "rejected"),
    ])()


def lengths(chooser, _number):
    """Frames whose length is not that of their kind."""
    size = chooser.choice([0, 1, 3, 5, 7, 9, 100])
    odd = chooser.randbytes(size)
    return chooser.choice([
        lambda: Case(frame(PING, 0, 0, odd), "closed"), lambda: Case(frame(RST_STREAM, 0, 1, odd), "closed"), lambda: Case(frame(WINDOW_UPDATE, 0, 0, odd), "closed"),
        lambda: Case(frame(SETTINGS, 0, 0, odd[:5] or b"x"), "closed"), lambda: Case(frame(SETTINGS, ACK, 0, bytes(6)), "closed"),
        lambda: Case(frame(PRIORITY, 0, ATTACKED, odd), "any"), lambda: Case(frame(GOAWAY, 0, 0, odd[:7]), "closed"),
        lambda: Case(frame(DATA, 0, ATTACKED, bytes(chooser.choice([16_385, 100_000]))), "closed"),
        lambda: Case(frame(HEADERS, PADDED | END_HEADERS | END_STREAM, ATTACKED, b"\xff" + block(*pseudo())), "closed"),
        lambda: Case(frame(HEADERS, HAS_PRIORITY | END_HEADERS, ATTACKED, b"\0\0"), "closed"),
        lambda: Case(frame(HEADERS, END_HEADERS | END_STREAM, ATTACKED, block(*pseudo()), length=chooser.choice([1, 5, 16_000, (1 << 24) - 1])), "any"),
    ])()


def places(chooser, number):
    """Frames on streams where they may not be."""
    closed = get(ATTACKED)
    return chooser.choice([
        lambda: Case(frame(DATA, 0, 0, b"x"), "closed"), lambda: Case(frame(HEADERS, 5, 0, block(*pseudo())), "closed"), lambda: Case(get(2), "closed"),
        lambda: Case(get(9) + get(5), "closed"), lambda: Case(frame(DATA, 0, 7, b"x"), "closed"), lambda: Case(frame(RST_STREAM, 0, 7, bytes(4)), "closed"),
        lambda: Case(frame(RST_STREAM, 0, 0, bytes(4)), "closed"), lambda: Case(frame(SETTINGS, 0, 1), "closed"), lambda: Case(frame(PING, 0, 1, bytes(8)), "closed"),
        lambda: Case(frame(GOAWAY, 0, 1, bytes(8)), "closed"), lambda: Case(window_update(7, 1), "closed"), lambda: Case(frame(PRIORITY, 0, 0, bytes(5)), "closed"),
        lambda: Case(frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2" + block(*pseudo())), "closed"), lambda: Case(closed + frame(DATA, 1, ATTACKED, b"x"), "any"),
        lambda: Case(closed + closed, "any"), lambda: Case(payment(ATTACKED, b"place-%d" % number) + payment(ATTACKED, b"again-%d" % number), "any", 1),
        lambda: Case(payment(ATTACKED, b"trail-%d" % number, ends=False) + frame(HEADERS, 5, ATTACKED, block((b":path", b"/"))), "rejected"),
        lambda: Case(payment(ATTACKED, b"trail-%d" % number, ends=False) + frame(HEADERS, 4, ATTACKED, block((b"x", b"y"))), "rejected"),
        lambda: Case(payment(ATTACKED, b"trail-%d" % number, ends=False) + frame(HEADERS, 5, ATTACKED, block((b"x", b"y"))), "alive", 1),
        lambda: Case(payment(ATTACKED, b"cut-%d" % number, ends=False) + frame(RST_STREAM, 0, ATTACKED, bytes(4)), "alive"),
        lambda: Case(payment(ATTACKED, b"good-%d" % number), "alive", 1),
    ])()


def halves(chooser, number):
    """A payment that never ends: its body, half of it, or nothing."""
    body = chooser.choice([penny(), penny()[:40], b""])
    return Case(payment(ATTACKED, b"half-%d" % number, body=body, ends=False), "any")


def values(chooser, _number):
    """Settings, windows and codes at and beyond their bounds."""
    number = chooser.choice([0, 1, 16_383, (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
    return chooser.choice([
        lambda: Case(settings((2, 2)), "closed"), lambda: Case(settings((4, 1 << 31)), "closed"), lambda: Case(settings((5, chooser.choice([0, 1, 1 << 24]))), "closed"),
        lambda: Case(settings((chooser.randrange(1, 9), number)), "any"), lambda: Case(settings((chooser.randrange(100, 65_536), number)), "alive"),
        lambda: Case(window_update(0, 0), "closed"), lambda: Case(get(ATTACKED) + window_update(ATTACKED, 0), "any"),
        lambda: Case(window_update(0, (1 << 31) - 1), "closed"), lambda: Case(get(ATTACKED, flags=4) + window_update(ATTACKED, (1 << 31) - 1) * 2, "any"),
        lambda: Case(settings((4, 0)) + get(ATTACKED) + settings((4, 1 << 20)), "alive"), lambda: Case(frame(RST_STREAM, 0, 1, b"\xff" * 4), "any"),
        lambda: Case(frame(GOAWAY, 0, 0, b"\xff" * 8 + b"debug" * 100), "any"), lambda: Case(frame(chooser.randrange(10, 256), 255, chooser.choice([0, 3]), bytes(50)), "alive"),
        lambda: Case(frame(PRIORITY, 0, ATTACKED, ATTACKED.to_bytes(4, "big") + b"\1"), "any"),
        lambda: Case(b"".join(frame(PRIORITY, 0, 2 * n + 3, (2 * n + 5).to_bytes(4, "big") + b"\1") for n in range(200)), "alive"),
    ])()


def floods(chooser, number):
    """Right frames, far too many of them."""
    times = chooser.choice([20, 50, 50, 100, 100, 300, 1000])
    reset = lambda n: get(2 * n + 3) + frame(RST_STREAM, 0, 2 * n + 3, b"\0\0\0\x08")  # noqa: E731
    return chooser.choice([
        lambda: Case(ping(b"flood") * times, "any"), lambda: Case(settings() * times, "any"), lambda: Case(b"".join(reset(n) for n in range(times)), "any"),
        lambda: Case(b"".join(get(2 * n + 3) for n in range(times)), "any"), lambda: Case(window_update(0, 1) * times, "any"),
        lambda: Case(frame(PRIORITY, 0, ATTACKED, b"\0\0\0\1\1") * times, "any"), lambda: Case(get(ATTACKED, flags=4) + frame(DATA, 0, ATTACKED) * times, "any"),
        lambda: Case(payment(ATTACKED, b"large-%d" % number, body=b" " * 16_000, ends=False) + frame(DATA, 0, ATTACKED, bytes(16_000)) * 70, "any"),
        lambda: Case(b"".join(get(2 * n + 3, flags=4) for n in range(times)), "any"), lambda: Case(frame(DATA, PADDED, ATTACKED, b"\xff" + bytes(255)) * times, "closed"),
    ])()


def prefaces(chooser, number):
    """Bytes that are no beginning of HTTP/2, or half of one."""
    right = begin() + get(1)
    return Case(b"", "any", start=chooser.choice([
        PREFACE[:chooser.randrange(1, 24)], PREFACE + chooser.randbytes(200), PREFACE + get(1), PREFACE * 2, PREFACE[:-1] + b"\0" + right[24:],
        PREFACE + frame(SETTINGS, ACK), right[:chooser.randrange(24, len(right))], PREFACE + b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", PREFACE + frame(0xEE, 1, 2, b"x" * 90)]))


def mutated(chooser, number):
    """A right conversation with a few bytes wrong; its first bytes stay, or it would be HTTP/1.1."""
    right = settings((1, 0), (4, 1 << 30)) + window_update(0, 1 << 30) + get(1) + payment(ATTACKED, b"mutant-%d" % number) + get(5) + ping(b"between")
    return Case(PREFACE[24:], "any", 4, start=PREFACE + mutate(right, chooser))


SHAPES = [(fields, 16), (compression, 10), (continuations, 8), (lengths, 10), (places, 14), (halves, 4), (values, 10), (floods, 4), (prefaces, 6), (mutated, 22)]


def case(chooser, number, token):
    secrets["token"] = token
    shape = chooser.choices([shape for shape, _ in SHAPES], [weight for _, weight in SHAPES])[0]
    return shape(chooser, number)
