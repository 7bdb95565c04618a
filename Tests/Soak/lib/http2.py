"""http2: frames of HTTP/2 written and read by hand (RFC 9113), and so much of HPACK (RFC 7541) as a status needs."""
from soaking import Failure, shown

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, HAS_PRIORITY = 1, 1, 4, 8, 32
STATIC_STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}
HUFFMAN_DIGITS = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6", "011101": "7",
                  "011110": "8", "011111": "9"}


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    """One frame; its length is that of its payload unless another is given."""
    length = len(payload) if length is None else length
    return length.to_bytes(3, "big") + bytes([kind, flags]) + (stream & 0xFFFFFFFF).to_bytes(4, "big") + payload


def settings(*pairs, flags=0, stream=0):
    return frame(SETTINGS, flags, stream, b"".join(key.to_bytes(2, "big") + value.to_bytes(4, "big") for key, value in pairs))


def begin(window=1 << 30):
    """The first bytes of a client; no dynamic table for the responses, so that each can be read by itself."""
    return PREFACE + settings((1, 0), (4, window)) + window_update(0, window)


def window_update(stream, by):
    return frame(WINDOW_UPDATE, 0, stream, (by & 0xFFFFFFFF).to_bytes(4, "big"))


def ping(text):
    return frame(PING, 0, 0, text.ljust(8)[:8])


def integer(value, prefix, first):
    """RFC 7541 §5.1."""
    limit = (1 << prefix) - 1
    if value < limit:
        return bytes([first | value])
    out, value = bytearray([first | limit]), value - limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out) + bytes([value])


def block(*fields):
    """A header block of literals that are not indexed."""
    return b"".join(b"\0" + integer(len(name), 7, 0) + name + integer(len(value), 7, 0) + value for name, value in fields)


def pseudo(method=b"GET", path=b"/v1/atms"):
    return [(b":method", method), (b":scheme", b"http"), (b":path", path), (b":authority", b"127.0.0.1")]


def get(stream, extra=(), path=b"/v1/atms", flags=END_STREAM | END_HEADERS):
    return frame(HEADERS, flags, stream, block(*pseudo(path=path), *extra))


class Heard:
    """The frames of a server: responses by stream, resets by stream, goodbye, pings that came back."""

    def __init__(self, data, is_whole=True):
        self.statuses, self.resets, self.goodbye, self.pings, self.ended = {}, {}, None, [], set()
        while len(data) >= 9:
            length, kind, flags = int.from_bytes(data[:3], "big"), data[3], data[4]
            stream, payload = int.from_bytes(data[5:9], "big") & 0x7FFFFFFF, data[9:9 + length]
            if len(payload) < length:
                break
            if length > 16384 or kind > CONTINUATION:
                raise Failure(f"found a frame of kind {kind} with {length} bytes from the server, expected one of RFC 9113, at most 16,384 long")
            self._take(kind, flags, stream, payload)
            data = data[9 + length:]
        if data and is_whole:
            raise Failure(f"found {shown(data)} at the end of what the server sent, expected whole frames")

    def _take(self, kind, flags, stream, payload):
        if kind == HEADERS:
            status = status_of(payload)
            if status is not None and status >= 200:
                if stream in self.statuses:
                    raise Failure(f"found two responses on stream {stream}, expected one")
                self.statuses[stream] = status
        elif kind == RST_STREAM:
            self.resets[stream] = int.from_bytes(payload, "big")
        elif kind == GOAWAY:
            self.goodbye = int.from_bytes(payload[4:8], "big")
        elif kind == PING and flags & ACK:
            self.pings.append(payload)
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.ended.add(stream)

    def __repr__(self):
        return f"statuses {shown(self.statuses)}, resets {shown(self.resets)}, goodbye {self.goodbye}, {len(self.pings)} pings"


def status_of(block):
    """The status that a response's header block begins with; nil for trailers."""
    while block and block[0] & 0xE0 == 0x20:  # a new size of the table
        block = block[1:]
    if not block:
        return None
    if block[0] & 0x80:
        return STATIC_STATUSES.get(block[0] & 0x7F)
    if block[0] & (0x3F if block[0] & 0x40 else 0x0F) not in range(8, 15):
        return None
    length = block[1] & 0x7F
    text = block[2:2 + length]
    if not block[1] & 0x80:
        return int(text)
    bits, digits, code = "".join(f"{byte:08b}" for byte in text), "", ""
    for bit in bits:
        code += bit
        if code in HUFFMAN_DIGITS:
            digits, code = digits + HUFFMAN_DIGITS[code], ""
    return int(digits[:3]) if len(digits) >= 3 else None
