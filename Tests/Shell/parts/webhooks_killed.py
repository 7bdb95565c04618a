"""webhooks_killed PROGRAM STUBS KILLS SEED: kills a server that delivers webhooks again and again; each event that it has acknowledged is
delivered, however often it was killed, and every copy of one has one id."""
import http.client
import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request

program, stubs, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(seed)
EVENT = {"event": "payment-in", "account": "ava-gbp", "amount": "1.00"}
copies = {}
lock = threading.Lock()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            copies.setdefault(event["id"], []).append(event["data"]["object"])
        # Now and then it does not like what it gets, so that deliveries wait when the server dies.
        self.send_response(500 if chance.random() < 0.1 else 204)
        self.end_headers()

    def log_message(self, *ignored):
        pass


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()


class Server:
    def __enter__(self):
        if os.path.exists("ready"):
            os.remove("ready")
        self.process = subprocess.Popen(
            [program, "serve", "counterfoil", "--stubs", stubs, "--port", "0", "--admin-port", "0", "--state", "state.sqlite",
             "--ready-file", "ready", "--seed", "7"], stdout=subprocess.DEVNULL, stderr=open("served", "w"))
        end = time.monotonic() + 120
        while not (os.path.exists("ready") and os.path.getsize("ready")):
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the server did not start: {open('served').read()}")
            time.sleep(0.01)
        self.admin = json.loads(open("ready").readline())["admin"]
        return self

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.admin}/__admin/sessions/default{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.loads(response.read() or b"null")

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()


acknowledged = 0
with Server() as server:
    server.call("POST", "/webhooks", {"url": f"http://127.0.0.1:{receiver.server_port}/hook", "events": ["transaction.created"]})
for _ in range(kills):
    with Server() as server:
        killer = threading.Timer(chance.uniform(0.005, 0.15), server.process.kill)
        # On a slow machine nothing is acknowledged in such a time: it begins with the first event that is.
        server.call("POST", "/events", EVENT)
        acknowledged += 1
        killer.start()
        try:
            while True:
                server.call("POST", "/events", EVENT)
                acknowledged += 1
        except (OSError, http.client.HTTPException, ValueError):
            pass
        killer.join()
with Server() as server:
    end = time.monotonic() + 300
    while True:
        server.call("POST", "/clock/advance", {"by": "1d"})
        hook = server.call("GET", "/webhooks")["webhooks"][0]
        if hook["waiting"] == 0 or time.monotonic() > end:
            break
        time.sleep(0.2)
    movements = server.call("GET", "/ledger")["movements"]
    shown = server.call("GET", "/webhooks/webhook-1")["deliveries"]
print(f"{kills} kills, {acknowledged} acknowledged events, {len(movements)} in the ledger, {len(copies)} delivered in "
      f"{sum(map(len, copies.values()))} copies, {hook['waiting']} wait, {hook['failed']} failed")
wrong = []
if hook["waiting"] or hook["failed"]:
    wrong.append("found deliveries that wait or have failed, expected none")
if acknowledged > len(movements):
    wrong.append(f"found {len(movements)} movements, expected each of {acknowledged} acknowledged events")
if len(copies) != len(movements):
    wrong.append(f"found {len(copies)} events delivered, expected {len(movements)}, one for each movement")
rows = {}
for event, objects in copies.items():
    if any(object != objects[0] for object in objects):
        wrong.append(f"found copies of {event} that differ: {objects}")
    rows.setdefault(objects[0]["id"], set()).add(event)
for row, events in rows.items():
    if len(events) > 1:
        wrong.append(f"found {len(events)} events about {row}, expected copies of one: {sorted(events)}")
if acknowledged <= kills:
    wrong.append(f"found {acknowledged} acknowledged events in {kills} runs, expected more: the test has shown little")
sys.exit("\n".join(wrong) if wrong else 0)
