"""redirects: Python's own http.server, which redirects the client as the request's path demands; prints its port.

/hop/N leads to /hop/N-1 and so on to /hop/0, /to/URL (percent-encoded) to that URL. /seen gives what has been asked, a line
each: method, path, Authorization or a dash, bytes of the body.
"""
import http.server
import urllib.parse

seen = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/seen":
            return self.respond(200, "\n".join(seen))
        seen.append(f"{self.command} {self.path} {self.headers.get('Authorization', '-')} {len(body)}")
        kind, _, rest = self.path[1:].partition("/")
        if kind == "hop" and rest != "0":
            return self.respond(302, "", f"/hop/{int(rest) - 1}")
        if kind == "to":
            return self.respond(307, "", urllib.parse.unquote(rest))
        self.respond(200, "{}")

    do_GET = do_POST = do_PUT = answer

    def respond(self, status, text, location=None):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
