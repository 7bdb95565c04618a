"""h2peer CERTIFICATE KEY KIND: a server of HTTP/2 over TLS that answers each request in one way; prints its port.

KIND: whole, unsized (whole, without a content-length), no-end (the connection ends before the stream), reset-stream, no-end-unsized, short (a stream that
ends before its content-length), goaway (the request was not taken), goaway-taken (it was, and the connection ends before the answer).
"""
import socket
import ssl
import struct
import sys
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY = 0, 1, 3, 4, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INTERNAL_ERROR = 2


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def head(length):
    """:status 200 and content-length, the second as a literal with an indexed name (RFC 7541, 6.1 and 6.2.2)."""
    text = str(length).encode()
    return b"\x88" + b"\x0f\x0d" + bytes([len(text)]) + text


def answer(kind, stream):
    begun = frame(HEADERS, END_HEADERS, stream, head(4))
    return {
        "whole": begun + frame(DATA, END_STREAM, stream, b"body"),
        "unsized": frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, END_STREAM, stream, b"body"),
        "no-end-unsized": frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, 0, stream, b"bo"),
        "no-end": begun + frame(DATA, 0, stream, b"bo"),
        "reset-stream": begun + frame(DATA, 0, stream, b"bo") + frame(RST_STREAM, 0, stream, struct.pack(">I", INTERNAL_ERROR)),
        "short": begun + frame(DATA, END_STREAM, stream, b"bo"),
        "goaway": frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)),
        "goaway-taken": begun + frame(GOAWAY, 0, 0, struct.pack(">II", stream, INTERNAL_ERROR)),
    }[kind]


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data


def serve(plain, context, kind):
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            exactly(connection, len(PREFACE))
            connection.sendall(frame(SETTINGS, 0, 0))
            while True:
                header = exactly(connection, 9)
                exactly(connection, int.from_bytes(header[:3], "big"))
                if header[3] == SETTINGS and not header[4] & ACK:
                    connection.sendall(frame(SETTINGS, ACK, 0))
                if header[3] == HEADERS:
                    connection.sendall(answer(kind, int.from_bytes(header[5:9], "big")))
                    if kind in ("no-end", "no-end-unsized", "goaway", "goaway-taken"):
                        connection.unwrap()
                        return
    except (OSError, ConnectionError):
        pass


certificate, key, kind = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2"])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0], context, kind), daemon=True).start()
