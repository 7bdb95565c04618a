"""tlspeer CERTIFICATE KEY ANSWER: a server of HTTP/1.1 over TLS that writes ANSWER as it stands to each request, then says
by TLS that it has ended, so that to the reader nothing looks cut. Prints its port, then a line for each connection: how the
handshake went (stood, failed) and how many bytes were read after it.
"""
import socket
import ssl
import sys
import threading


def request(connection):
    """A head and the body that its Content-Length states; what there is of it if the client goes away."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        lengths = [int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if end and len(body) >= sum(lengths):
            return data
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece


def serve(plain, context, answer):
    data, handshake = b"", "failed"
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            handshake = "stood"
            data = request(connection)
            print(f"{handshake} {len(data)}", flush=True)
            connection.sendall(answer)
            connection.unwrap()
    except OSError:
        if handshake == "failed":
            print(f"{handshake} {len(data)}", flush=True)


certificate, key, answer = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["http/1.1"])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0], context, answer.encode()), daemon=True).start()
