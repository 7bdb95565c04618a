"""names: a DNS server for the fleet, on a port of 127.0.0.1: the proxies of deploy/ find the nodes by name."""
import socket
import struct
import threading

A, NO_ERROR, NO_SUCH_NAME = 1, 0, 3


class Names:
    """Answers A queries (RFC 1035 §4) from `addresses`, a list of addresses by name; other types get no record."""

    def __init__(self):
        self.addresses = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            try:
                query, client = self.socket.recvfrom(4096)
                self.socket.sendto(self.respond(query), client)
            except (OSError, IndexError, struct.error):
                if self.socket.fileno() < 0:
                    return

    def respond(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
            at += 1 + query[at]
        kind, _ = struct.unpack("!HH", query[at + 1 : at + 5])
        found = self.addresses.get(".".join(labels).lower())
        records = [socket.inet_aton(address) for address in found or ()] if kind == A else []
        head = query[:2] + struct.pack("!HHHHH", 0x8180 | (NO_ERROR if found else NO_SUCH_NAME), 1, len(records), 0, 0)
        return head + query[12 : at + 5] + b"".join(b"\xc0\x0c" + struct.pack("!HHIH", A, 1, 1, 4) + record for record in records)

    def close(self):
        self.socket.close()
