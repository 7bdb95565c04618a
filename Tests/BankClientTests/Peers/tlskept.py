"""tlskept CERTIFICATE KEY: a server of HTTP/1.1 over TLS that keeps its connections. Each answer is the request's path; behind the
answer to /twice it sends another one, which nobody asked for. Prints its port, then a line for each request: the number of its
connection, and its path.
"""
import fcntl
import socket
import ssl
import struct
import sys
import termios
import threading
import time


def answer(status, body):
    return b"HTTP/1.1 %d Said\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


def wait_for_arrival(connection):
    """Waits until the other side's kernel has confirmed all that was sent: a write may return before it has arrived, on loopback too."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        waiting = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
        if struct.unpack("i", waiting)[0] == 0:
            return
        time.sleep(0.001)


def serve(plain, context, number):
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            data = b""
            while True:
                head, end, rest = data.partition(b"\r\n\r\n")
                if not end:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    data += piece
                    continue
                data = rest
                path = head.split(b" ")[1]
                connection.sendall(answer(200, path))
                if path == b"/twice":
                    connection.sendall(answer(201, b"left over"))
                    wait_for_arrival(connection)
                print(f"{number} {path.decode()}", flush=True)
    except OSError:
        pass


certificate, key = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["http/1.1"])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
number = 0
while True:
    plain = listener.accept()[0]
    number += 1
    threading.Thread(target=serve, args=(plain, context, number), daemon=True).start()
