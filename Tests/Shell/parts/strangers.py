"""Opens pages that other ports of this machine serve, and lets them try to steer the server at COUNTERFOIL_ADMIN: nothing may change."""
import http.server
import json
import os
import sys
import threading
import urllib.request

from browser import Browser

admin = os.environ["COUNTERFOIL_ADMIN"]
session = f"{admin}/__admin/sessions/roundup"

# All ways in which a page can send what changes something: with and without leave to read the answer, and as forms do.
PAGE = """<!doctype html><title>A stranger's page</title><body><script>
window.tried = (async () => {
  const target = (name) => new URLSearchParams(location.search).get(name);
  const send = (url, options) => fetch(url, options).then((response) => response.status || response.type, () => 'refused');
  const session = target('session'), admin = target('admin'), responses = [];
  for (const mode of ['no-cors', 'cors']) {
    responses.push(await send(`${session}/reset`, { method: 'POST', mode }));
    responses.push(await send(`${session}/faults`, { method: 'POST', mode, body: '{"fault": "hang"}' }));
    responses.push(await send(`${session}/tokens`, { method: 'POST', mode, body: '{}' }));
    responses.push(await send(`${admin}/__admin/shutdown`, { method: 'POST', mode }));
  }
  responses.push(await send(`${session}/faults`, { method: 'DELETE', mode: 'cors' }));
  responses.push(navigator.sendBeacon(`${admin}/__admin/shutdown`, ''));
  for (const url of [`${session}/reset`, `${admin}/__admin/shutdown`]) {
    const frame = document.body.appendChild(Object.assign(document.createElement('iframe'), { name: `f${responses.length}` }));
    const form = document.body.appendChild(Object.assign(document.createElement('form'), { method: 'post', action: url, target: frame.name }));
    const loaded = new Promise((done) => frame.addEventListener('load', done));
    form.submit();
    await loaded;
    responses.push('form');
  }
  return responses;
})();
</script>"""


class Stranger(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def api(path, body=None, method="GET"):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{session}{path}", data, method=method), timeout=60) as response:
        return json.loads(response.read() or b"null")


api("/faults", {"fault": "hang", "nth": 1000}, "POST")
before = api("/faults"), api("/tokens")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
threading.Thread(target=server.serve_forever, daemon=True).start()
port = admin.rsplit(":", 1)[1]
browser = Browser()
try:
    for page in ("localhost", "127.0.0.1"):
        for asked in ("localhost", "127.0.0.1"):
            own = f"http://{asked}:{port}"
            browser.open(f"http://{page}:{server.server_port}/?admin={own}&session={own}/__admin/sessions/roundup")
            browser.wait("window.tried")
            responses = browser.run("window.tried")
            if len(responses) != 12 or any(isinstance(each, int) and each < 300 and each is not True for each in responses):
                sys.exit(f"a page of {page}, asking {asked}: {responses}")
            now = api("/faults"), api("/tokens")
            if now != before:
                sys.exit(f"a page of {page}, asking {asked}, has changed the server: found {now}, expected {before}; its responses are {responses}")
finally:
    browser.end()
    server.shutdown()
api("/faults", method="DELETE")
print("no page of another port has changed anything")
