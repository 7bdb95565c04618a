"""faulty_http2: the HTTP/2 of faulty_server, as strict as it can be, but for its defect."""
import socket

from http2 import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HAS_PRIORITY, HEADERS, PADDED, PING, PREFACE, PRIORITY, RST_STREAM, SETTINGS,
                   WINDOW_UPDATE, frame, settings)

LONGEST = 16_384
STATUSES = {200: b"\x88", 400: b"\x8c", 404: b"\x8d", 500: b"\x8e"}
FORBIDDEN = {b"connection", b"transfer-encoding", b"upgrade", b"keep-alive", b"proxy-connection"}


class Wrong(Exception):
    """The connection's error."""


def end(raw):
    """FIN, and what still comes is read for a while: a close before would be a reset."""
    try:
        raw.shutdown(socket.SHUT_WR)
        raw.settimeout(2)
        while raw.recv(1 << 16):
            pass
    except OSError:
        pass


def converse(raw, data, bank):
    """One connection, from its preface on."""
    streams, last, block, first = {}, 0, None, True
    raw.sendall(settings() + settings(flags=ACK))
    data = data[len(PREFACE):]
    try:
        while True:
            while len(data) < 9 or len(data) < 9 + int.from_bytes(data[:3], "big"):
                if len(data) >= 9 and int.from_bytes(data[:3], "big") > LONGEST:
                    raise Wrong
                more = raw.recv(1 << 16)
                if not more:
                    if bank.defect == "pays-half" and any(not stream["ended"] and stream["data"] for stream in streams.values()):
                        bank.movements.append({"key": "half"})
                    return
                data += more
            length, kind, flags, stream = int.from_bytes(data[:3], "big"), data[3], data[4], int.from_bytes(data[5:9], "big") & 0x7FFFFFFF
            payload, data = data[9:9 + length], data[9 + length:]
            if length > LONGEST or first and kind != SETTINGS or block and (kind != CONTINUATION or stream != block[0]):
                raise Wrong
            first = False
            if bank.defect == "closes-all" and kind > CONTINUATION or bank.defect == "closes-all" and kind == PRIORITY:
                raise Wrong
            if kind in (HEADERS, DATA) and flags & PADDED:
                if not payload or payload[0] >= len(payload):
                    raise Wrong
                payload = payload[1:len(payload) - payload[0]]
            if kind == HEADERS and flags & HAS_PRIORITY:
                if len(payload) < 5:
                    raise Wrong
                payload = payload[5:]
            if kind in (HEADERS, CONTINUATION):
                if kind == CONTINUATION and block is None or stream % 2 == 0:
                    raise Wrong
                block = (stream, (block[1] if kind == CONTINUATION else b"") + payload, block[2] if kind == CONTINUATION else flags & END_STREAM)
                if len(block[1]) > 200_000:
                    raise Wrong
                if flags & END_HEADERS:
                    (stream, text, ends), block = block, None
                    if stream not in streams and stream <= last:
                        raise Wrong
                    last = max(last, stream)
                    take(raw, bank, streams, stream, fields(text), ends)
            elif kind == DATA:
                if stream not in streams:
                    raise Wrong
                if streams[stream]["ended"]:
                    raise Wrong
                streams[stream]["data"] += payload
                if flags & END_STREAM:
                    finish(raw, bank, streams[stream], stream)
            elif kind == RST_STREAM:
                if length != 4 or stream not in streams:
                    raise Wrong
                streams[stream]["ended"] = True
            else:
                control(raw, kind, flags, stream, payload)
    except Wrong:
        status = bank.reject()
        if bank.defect == "goes-on" or status == 500:
            raw.sendall(response(2147483645, status if status == 500 else 200))
        if bank.defect == "garbage":
            raw.sendall(b"\xff" * 20)
        raw.sendall(frame(GOAWAY, 0, 0, bytes(4) + b"\0\0\0\1"))


def control(raw, kind, flags, stream, payload):
    """Frames of the connection, and those that do nothing."""
    number = int.from_bytes(payload[:4], "big")
    if kind in (SETTINGS, PING, GOAWAY) and stream or kind == PING and len(payload) != 8 or kind == GOAWAY and len(payload) < 8:
        raise Wrong
    if kind == SETTINGS:
        if len(payload) % 6 or flags & ACK and payload:
            raise Wrong
        for place in range(0, len(payload), 6):
            key, value = int.from_bytes(payload[place:place + 2], "big"), int.from_bytes(payload[place + 2:place + 6], "big")
            if key == 2 and value > 1 or key == 4 and value >= 1 << 31 or key == 5 and not LONGEST <= value < 1 << 24:
                raise Wrong
        raw.sendall(b"" if flags & ACK else settings(flags=ACK))
    elif kind == PING:
        raw.sendall(frame(PING, ACK, 0, payload))
    elif kind == PRIORITY and (len(payload) != 5 or stream == 0):
        raise Wrong
    elif kind == WINDOW_UPDATE and (len(payload) != 4 or number == 0 or number == (1 << 31) - 1 or stream > 5):
        raise Wrong
    elif kind == 5:
        raise Wrong


def fields(text):
    """The literals of a header block; anything else is wrong, as nobody here writes it."""
    found = []
    while text:
        if text[0]:
            raise Wrong
        text, pair = text[1:], []
        for _ in range(2):
            if not text or text[0] & 0x80:
                raise Wrong
            length, text = text[0], text[1:]
            shift = 0
            while length >= 127:
                if not text:
                    raise Wrong
                length, text, shift, more = length + ((text[0] & 0x7F) << shift), text[1:], shift + 7, text[0] & 0x80
                if not more:
                    break
            if len(text) < length:
                raise Wrong
            pair.append(text[:length])
            text = text[length:]
        found.append(tuple(pair))
    return found


def is_request(pairs):
    """RFC 9113 §8."""
    names = [name for name, _ in pairs]
    pseudo = dict(pairs)
    if sorted(name for name in names if name[:1] == b":") != [b":authority", b":method", b":path", b":scheme"] or names[:4] != [name for name in names if name[:1] == b":"]:
        return False
    if pseudo[b":method"] not in (b"GET", b"POST") or pseudo[b":path"][:1] != b"/" or any(byte <= 32 or byte > 126 for byte in pseudo[b":path"]):
        return False
    plain = pairs[4:]
    return not any(not name or name != name.lower() or not name.replace(b"-", b"").isalnum() or name in FORBIDDEN or name == b"te" or min(value, default=33) < 32
                   for name, value in plain) and sum(len(name) + len(value) + 32 for name, value in pairs) < 32_768 and names.count(b"content-length") < 2


def take(raw, bank, streams, stream, pairs, ends):
    """A header block: a request's, or its trailers."""
    if stream in streams:
        if streams[stream]["ended"]:
            raise Wrong
        if not ends or any(name[:1] == b":" for name, _ in pairs):
            streams[stream]["ended"] = True
            return raw.sendall(frame(RST_STREAM, 0, stream, b"\0\0\0\1"))
        return finish(raw, bank, streams[stream], stream)
    streams[stream] = {"pairs": pairs, "data": b"", "ended": False}
    if not is_request(pairs) and bank.defect != "answers-malformed":
        streams[stream]["ended"] = True
        bank.reject()
        return raw.sendall(frame(RST_STREAM, 0, stream, b"\0\0\0\1"))
    if ends:
        finish(raw, bank, streams[stream], stream)


def finish(raw, bank, state, stream):
    state["ended"] = True
    headers = dict(state["pairs"])
    length = headers.get(b"content-length", b"%d" % len(state["data"]))
    if length != b"%d" % len(state["data"]) and bank.defect != "answers-malformed":
        return raw.sendall(frame(RST_STREAM, 0, stream, b"\0\0\0\1"))
    if bank.defect == "answers-malformed" and b":path" not in headers:
        return raw.sendall(response(stream, 200))
    raw.sendall(response(stream, bank.answer(headers.get(b":method"), headers[b":path"], headers, state["data"])[0]))


def response(stream, status):
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, STATUSES.get(status) or b"\x08\x03%d" % status)
