"""slowness: connections that send too little, and how they end."""
import os
import selectors
import socket
import time

from soaking import BOUND, Failure, shown

HASTE = float(os.environ.get("SOAK_HASTE", "1"))  # the stand-in of the self-test has shorter times than a server
HEAD, BODY, IDLE = 30 * HASTE, 60 * HASTE, 60 * HASTE  # seconds
CHUNKED = b"POST /v1/payments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


class Slow:
    """One kind: what is sent at once, what follows byte by byte, for ever; and how it must end.

    - Parameters: seconds until the end; statuses, of which the response before it has one; none if there need be no response.
    """

    def __init__(self, name, begin, drip, seconds, statuses):
        self.name, self.begin, self.drip, self.seconds, self.statuses = name, begin, drip, seconds, statuses


KINDS = [
    Slow("one byte", b"G", b"", HEAD, (408,)),
    Slow("a dripped head", b"GET /v1/atms HTTP/1.1\r\nHost: localhost\r\nX: ", b"x", HEAD, (408,)),
    Slow("headers that drip", b"GET /v1/atms HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n", HEAD, (408, 431)),
    Slow("no byte", b"", b"", IDLE, ()),
    Slow("silence after a response", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", b"", IDLE, ()),
    Slow("a dripped chunk", CHUNKED + b"fffff\r\n{", b" ", BODY, (408,)),
    Slow("one-byte chunks", CHUNKED, b"1\r\n \r\n", BODY, (408,)),
    Slow("a dripped chunk extension", CHUNKED + b"1;", b"x", BODY, (408, 400, 431)),
    Slow("a dripped trailer", CHUNKED + b"1\r\n \r\n0\r\nX: ", b"y", BODY, (408, 400, 431)),
]

HANDSHAKE = Slow("a handshake that does not go on", b"\x16", b"", HEAD, ())


class Line:
    """One connection of a kind, to a port with a name; it sends when it is asked to."""

    def __init__(self, kind, name, port):
        self.kind, self.name, self.heard, self.ended, self.place = kind, name, b"", None, 0
        self.socket = socket.socket()
        self.socket.setblocking(False)
        # The other side may be full: then the system connects later, or never.
        self.socket.connect_ex(("127.0.0.1", port))
        self.waiting, self.began = kind.begin, time.monotonic()

    def send(self):
        """Sends what is due: the beginning at first, then a byte."""
        try:
            if self.waiting:
                self.waiting = self.waiting[self.socket.send(self.waiting):]
            elif self.kind.drip:
                self.place += self.socket.send(self.kind.drip[self.place % len(self.kind.drip):][:1])
        except (BlockingIOError, ConnectionError, OSError):
            pass  # the end is heard by `hear`

    def hear(self):
        try:
            more = self.socket.recv(1 << 16)
            self.heard += more
            if not more:
                self.ended = time.monotonic() - self.began
        except BlockingIOError:
            pass
        except OSError:
            self.ended = time.monotonic() - self.began

    def look(self):
        """It ended in time, and as it must.

        - Throws: Failure if not.
        """
        if self.ended is None:
            raise Failure(f"{self.kind.name} on the port {self.name}: found the connection open after {time.monotonic() - self.began:.0f} s, expected an end after {self.kind.seconds:g} s")
        status = self.heard.rpartition(b"HTTP/1.1 ")[2][:3]
        may_be_silent = self.name == "admin" and self.kind.seconds == HEAD and not self.heard
        if self.kind.statuses and not may_be_silent and status not in [str(one).encode() for one in self.kind.statuses]:
            raise Failure(f"{self.kind.name} on the port {self.name}: found the end {shown(self.heard[-200:])} after {self.ended:.1f} s, expected one of {self.kind.statuses}")

    def close(self):
        self.socket.close()


def drip(lines, seconds, stops=lambda: False):
    """Lets all lines send, each some bytes a second, and hear, for that long, or until all have ended."""
    until = time.monotonic() + seconds
    turn = min(1, HASTE * 4)
    with selectors.DefaultSelector() as waiting:
        for line in lines:
            waiting.register(line.socket, selectors.EVENT_READ, line)
        sends = 0
        while time.monotonic() < until and not stops() and not all(line.ended is not None for line in lines):
            if time.monotonic() >= sends:
                sends = time.monotonic() + turn
                for line in lines:
                    if line.ended is None:
                        line.send()
            for key, _ in waiting.select(max(0, min(until, sends) - time.monotonic())):
                key.data.hear()
                if key.data.ended is not None:
                    waiting.unregister(key.fileobj)


def latest(lines):
    """Seconds from now until the last line must have ended, with the bound for the server to do it."""
    return max(line.kind.seconds for line in lines) + BOUND
