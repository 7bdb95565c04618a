"""probe_proxy.py MODE UPSTREAM-PORT: a proxy on a free port of this machine, whose number is its first line; ends when it is killed.

pass    every byte and every end as it comes
date    the same, with a second Date in each head
resets  502 instead of a reset
retry   a request that gets no response is sent again, once
buffer  a response is sent when all of it has come
own     answers every request but the first itself
"""
import select
import socket
import struct
import sys
import threading

mode, upstream_port = sys.argv[1], int(sys.argv[2])
own_response = b"HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
requests = 0


def read_request(client):
    """The bytes of one request, by its Content-Length; None if the client leaves before."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        if end:
            lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            if len(body) >= sum(lengths):
                return data
        piece = client.recv(65536)
        if not piece:
            return None
        data += piece


def exchange(client, request):
    """Sends the request, and what comes back as it comes; returns how many bytes came, and the end: fin, rst or gone."""
    upstream = socket.create_connection(("127.0.0.1", upstream_port))
    count, held, end = 0, b"", None
    upstream.sendall(request)
    while end is None:
        ready = select.select([upstream, client], [], [])[0]
        if upstream not in ready:
            end = "gone"
            break
        try:
            piece = upstream.recv(1 << 20)
        except ConnectionResetError:
            end = "rst"
            break
        if not piece:
            end = "fin"
        elif mode == "buffer":
            held += piece
        elif mode == "date" and count == 0 and piece.startswith(b"HTTP/1.1 "):
            client.sendall(piece.replace(b"\r\n", b"\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n", 1))
        else:
            client.sendall(piece)
        count += len(piece)
    upstream.close()
    if held:
        client.sendall(held)
    return count, end


def serve(client, number):
    try:
        request = read_request(client)
        if request is None:
            return
        if mode == "own" and number > 1:
            return client.sendall(own_response % b"503 Service Unavailable")
        count, end = exchange(client, request)
        if mode == "retry" and count == 0 and end != "gone":
            count, end = exchange(client, request)
        if end == "rst" and count == 0 and mode == "resets":
            client.sendall(own_response % b"502 Bad Gateway")
        elif end == "rst":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    finally:
        client.close()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    requests += 1
    threading.Thread(target=serve, args=(connection, requests), daemon=True).start()
