"""http1: responses of HTTP/1.1, read strictly (RFC 9112)."""
import re

from soaking import Failure, shown

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]*")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*")
REJECTIONS = {501, 505}  # of the 5xx, those that are the client's fault


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def is_fresh(self):
        """Whether it acknowledges a payment that was made now."""
        return self.status == 201 and "idempotent-replayed" not in self.headers

    def __repr__(self):
        return f"{self.status} {shown(self.body, 100)}"


def responses(data, is_whole=True):
    """All final responses of a connection's bytes.

    - Parameter is_whole: false if the connection was reset: then the last may be cut.
    - Throws: Failure at bytes that are no response.
    """
    found = []
    while data:
        head, separator, rest = data.partition(b"\r\n\r\n")
        if not separator:
            if not is_whole:
                return found
            raise Failure(f"found {shown(data)} behind {len(found)} responses, expected a response")
        status, headers = _head(head)
        if status < 200:
            data = rest
            continue
        # A response to HEAD has the length and not the bytes: another response, or nothing, follows at once.
        if status in (204, 304) or (b"HTTP/1.1 " == rest[:9] or not rest) and headers.get("content-length", "0") != "0":
            length = 0
        elif headers.get("transfer-encoding") == "chunked":
            body, data = _chunks(rest, is_whole)
            found.append(Response(status, headers, body))
            continue
        else:
            if not headers.get("content-length", "").isdecimal():
                raise Failure(f"found {shown(head, 300)}, expected a response with a length")
            length = int(headers["content-length"])
        if len(rest) < length and is_whole:
            raise Failure(f"found {len(rest)} bytes of a body, expected {length}: {shown(head)}")
        found.append(Response(status, headers, rest[:length]))
        data = rest[length:]
    return found


def _head(head):
    line, *fields = head.split(b"\r\n")
    match = STATUS_LINE.fullmatch(line)
    if not match:
        raise Failure(f"found {shown(line)}, expected the status line of a response")
    headers = {}
    for field in fields:
        named = FIELD.fullmatch(field)
        if not named:
            raise Failure(f"found the header {shown(field)} in a response, expected name and value, printable")
        headers[named[1].decode().lower()] = named[2].decode()
    return int(match[1]), headers


def _chunks(data, is_whole):
    body = b""
    while True:
        size, separator, data = data.partition(b"\r\n")
        try:
            length = int(size, 16)
        except ValueError:
            if not is_whole:
                return body, b""
            raise Failure(f"found the chunk size {shown(size)} in a response, expected a number in hexadecimal") from None
        if length == 0:
            return body, data.partition(b"\r\n")[2] if data[:2] == b"\r\n" else data.partition(b"\r\n\r\n")[2]
        body, data = body + data[:length], data[length + 2:]


def look_at_statuses(found, allowed=frozenset()):
    """No 5xx but one for a fault of the request."""
    for response in found:
        if response.status >= 500 and response.status not in REJECTIONS | allowed:
            raise Failure(f"found {response}, expected no 5xx: no rule and no file demands one")
