"""One HTTP exchange: connections, time limits, and the ways in which they fail. Standard library only."""

import http.client
import json
import socket
import ssl
import threading
import zlib
from urllib.parse import urlsplit

from errors import Failure

LARGEST_BODY = 8 << 20  # no list of a bank is longer; of a compressed one the text counts


class Response:
    """A whole answer: `status`, `headers` (any case of name), `body` (bytes)."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        """The body as JSON, with numbers such as 12.30 kept as exact text. Raises ValueError if it is not JSON."""
        media_type = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if not (media_type == "application/json" or media_type.endswith("+json")):
            raise ValueError("the body calls itself %r, not JSON" % media_type)
        try:
            return json.loads(
                self.body.decode("utf-8"), parse_float=str, parse_constant=_no_number, object_pairs_hook=_object)
        except RecursionError:
            raise ValueError("the JSON is nested too deep") from None


def _no_number(text):
    raise ValueError("%s is no JSON" % text)


def _object(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice in one object")
    return found


class _Response(http.client.HTTPResponse):
    """A response of http.client that reads past every interim one (1xx): by itself it reads past 100 only, and takes 103 for the answer."""

    def _read_status(self):
        while True:
            version, status, reason = super()._read_status()
            if status >= 200 or status in (100, 101):
                return version, status, reason
            http.client.parse_headers(self.fp)


class Wire:
    """Sends requests to one bank. Safe to use from several threads: each takes an idle connection or opens its own."""

    def __init__(self, base_url, ca_file=None, connect_seconds=5.0, total_seconds=10.0, keep_connections=True, extra_headers=None):
        self.url = urlsplit(base_url)
        self.connect_seconds, self.total_seconds = connect_seconds, total_seconds
        self.keep_connections, self.extra_headers = keep_connections, extra_headers or {}
        self.tls = ssl.create_default_context(cafile=ca_file) if self.url.scheme == "https" else None
        if self.tls:
            self.tls.minimum_version = ssl.TLSVersion.TLSv1_2  # Python before 3.10 took TLS 1.0 as well
        self.idle, self.lock = [], threading.Lock()

    def exchange(self, method, path, headers, body=None):
        """Sends one request once and returns its Response. Raises Failure if there is no whole answer within the limits."""
        connection = self._connection()
        timer = _Deadline(connection.sock, self.total_seconds)
        try:
            headers = {"Accept-Encoding": "gzip", **self.extra_headers, **headers}
            if not self.keep_connections:
                headers["Connection"] = "close"
            connection.request(method, self.url.path + path, body=body, headers=headers)
            response = connection.getresponse()
            content = self._read(response)
        except Failure:
            connection.close()
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise _torn(error, timer.expired) from None
        finally:
            timer.stop()
        if timer.expired:
            connection.close()
            raise Failure("timeout", "the answer came too late", retryable=True)
        if self.keep_connections and not response.will_close:
            with self.lock:
                self.idle.append(connection)
        else:
            connection.close()
        return Response(response.status, response.headers, content)

    def close(self):
        with self.lock:
            idle, self.idle = self.idle, []
        for connection in idle:
            connection.close()

    def _connection(self):
        """An idle connection that is still good, or a new one. Nothing has been sent if this fails."""
        while True:
            with self.lock:
                if not self.idle:
                    break
                connection = self.idle.pop()
            if not _ended(connection.sock):
                connection.sock.settimeout(self.total_seconds)
                return connection
            connection.close()
        kind, extra = (http.client.HTTPSConnection, {"context": self.tls}) if self.tls else (http.client.HTTPConnection, {})
        connection = kind(self.url.hostname, self.url.port, timeout=self.connect_seconds, **extra)
        connection.response_class = _Response
        try:
            connection.connect()
        except ssl.SSLError as error:
            raise Failure("tls", str(error), sent=False) from None
        except TimeoutError:
            raise Failure("timeout", "no connection in time", sent=False, retryable=True) from None
        except OSError as error:  # rejected, unreachable, name not found
            raise Failure("tls" if self.tls and connection.sock else "offline", str(error), sent=False, retryable=True) from None
        connection.sock.settimeout(self.total_seconds)
        return connection

    @staticmethod
    def _read(response):
        """The body, given up where it grows beyond any use. A body without a length ends with its connection."""
        encoding = response.headers.get("Content-Encoding", "identity").lower()
        if encoding not in ("identity", "gzip"):
            raise Failure("decode", "an encoding that was not asked for: %s" % encoding)
        content = response.read(LARGEST_BODY + 1)
        if len(content) > LARGEST_BODY:
            raise Failure("too_large", "more than %d bytes" % LARGEST_BODY)
        if response.length:  # read(n) does not complain of a body that ends too soon
            raise http.client.IncompleteRead(content, response.length)
        return _unpacked(content) if encoding == "gzip" and content else content


def _unpacked(content):
    """The text of a gzip stream, given up where it grows beyond any use: 250 kB can become 256 MiB."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(content, LARGEST_BODY + 1)
    except zlib.error as error:
        raise Failure("decode", "no gzip: %s" % error) from None
    if len(text) > LARGEST_BODY:
        raise Failure("too_large", "more than %d bytes" % LARGEST_BODY)
    if not unpacker.eof or unpacker.unused_data:
        raise Failure("decode", "a gzip stream that does not end where the body ends")
    return text


class _Deadline:
    """Ends a connection when the time for one attempt is over, however slowly its bytes drip."""

    def __init__(self, sock, seconds):
        self.sock, self.expired = sock, False
        self.timer = threading.Timer(seconds, self._end)
        self.timer.daemon = True
        self.timer.start()

    def _end(self):
        self.expired = True
        try:
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)  # of the socket itself, beneath TLS
        except OSError:
            pass

    def stop(self):
        self.timer.cancel()


def _ended(sock):
    """Whether the bank has closed an idle connection, or sent something nobody asked for."""
    sock.setblocking(False)
    try:
        socket.socket.recv(sock, 1, socket.MSG_PEEK)
        return True
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True


def _torn(error, expired):
    if expired or isinstance(error, TimeoutError):
        return Failure("timeout", "no complete response in time", retryable=True)
    if isinstance(error, ConnectionError) or isinstance(error, (http.client.RemoteDisconnected, http.client.IncompleteRead)):
        return Failure("offline", "the connection broke: %s" % type(error).__name__, retryable=True)
    if isinstance(error, OSError):  # TLS errors in the middle of a connection
        return Failure("offline", str(error), retryable=True)
    return Failure("decode", "no HTTP: %s" % type(error).__name__, retryable=True)
