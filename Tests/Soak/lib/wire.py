"""wire: sending bytes as they are, in clear text or under TLS, and reading until the other side closes."""
import errno
import select
import socket
import ssl
import time

from soaking import BOUND, Failure


class Heard:
    """The answer: the bytes, how the other side ended (`fin` or `reset`), and whether it took all that was sent."""

    def __init__(self, data, end, took_all):
        self.data, self.end, self.took_all = data, end, took_all


def exchange(port, data, pieces=(), *, tls=None, bound=BOUND, until=None, leaves=False):
    """Sends the bytes, then FIN, and reads to the other side's end, both at once.

    - Parameters: pieces, where the bytes are cut into writes; tls, a context for a handshake before; until, a function of what was
      heard that shows that it is enough; leaves, whether the client is gone at once, without reading.
    - Throws: Failure if the other side has not ended within the bound.
    """
    raw = socket.create_connection(("127.0.0.1", port), bound)
    try:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = Secure(raw, tls, bound) if tls else Clear(raw)
        cuts = [0, *sorted({cut for cut in pieces if 0 < cut < len(data)}), len(data)]
        parts = [data[start:end] for start, end in zip(cuts, cuts[1:])]
        if leaves:
            for part in parts:
                line.send_all(part)
            return Heard(b"", "left", True)
        return _converse(raw, line, parts, bound, until)
    finally:
        raw.close()


def _converse(raw, line, parts, bound, until):
    raw.setblocking(False)
    heard, limit, sending = bytearray(), time.monotonic() + bound, True
    unsent = memoryview(b"")
    try:
        while True:
            if sending and not unsent:
                unsent = memoryview(line.wrap(parts.pop(0)) if parts else line.goodbye())
                if not unsent:
                    sending = False
                    raw.shutdown(socket.SHUT_WR)
            left = limit - time.monotonic()
            if left <= 0:
                raise Failure(f"found no end {bound:g} s after the last byte, with {len(heard)} bytes heard, expected an answer and a close")
            readable, writable, _ = select.select([raw], [raw] if unsent else [], [], left)
            if writable:
                try:
                    unsent = unsent[raw.send(unsent):]
                    limit = time.monotonic() + bound
                except BrokenPipeError:
                    unsent, parts, sending = memoryview(b""), [], False
            if readable:
                more = raw.recv(1 << 16)
                if not more:
                    return Heard(bytes(heard), "fin", not sending)
                heard += line.unwrap(more)
                if until and until(heard):
                    return Heard(bytes(heard), "enough", not sending)
    except ssl.SSLError as error:
        return Heard(bytes(heard), f"tls: {error.reason}", False)
    except OSError as error:
        if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
            raise
        return Heard(bytes(heard), "reset", False)


class Clear:
    def __init__(self, raw):
        self.raw = raw

    def send_all(self, data):
        try:
            self.raw.sendall(data)
        except OSError:
            pass

    def wrap(self, data):
        return data

    def unwrap(self, data):
        return data

    def goodbye(self):
        return b""


class Secure(Clear):
    """TLS by hand: its goodbye can be sent while the other side still writes, which Python's own sockets cannot."""

    def __init__(self, raw, context, bound):
        super().__init__(raw)
        self.said_goodbye = False
        self.coming, self.going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.coming, self.going, server_hostname="localhost")
        until = time.monotonic() + bound
        while True:
            try:
                self.tls.do_handshake()
                raw.sendall(self.going.read())
                return
            except ssl.SSLWantReadError:
                raw.sendall(self.going.read())
                more = raw.recv(1 << 16)
                if not more or time.monotonic() > until:
                    raise Failure("found the end of the connection in the handshake, expected one that ends well") from None
                self.coming.write(more)

    def send_all(self, data):
        super().send_all(self.wrap(data))

    def wrap(self, data):
        if data:
            self.tls.write(data)
        return self.going.read()

    def unwrap(self, data):
        self.coming.write(data)
        heard = bytearray()
        while True:
            try:
                more = self.tls.read(1 << 16)
            except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
                return bytes(heard)
            if not more:
                return bytes(heard)
            heard += more

    def goodbye(self):
        if self.said_goodbye:
            return b""
        self.said_goodbye = True
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass
        return self.going.read()


def trusting(protocol):
    """A context that takes any certificate and speaks this protocol alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context
