"""webhooks_receiver READY: receives the bank's webhooks and checks them with stripe and joserfc: genuine ones are accepted, copies that
were forged, altered, signed with an unknown key or too long ago are rejected."""
import hashlib
import hmac
import http.server
import json
import queue
import sys
import threading
import urllib.request

import stripe
from joserfc import jws, jwt
from joserfc.jwk import KeySet

ready = json.loads(open(sys.argv[1]).readline())
admin, bank = ready["admin"], ready["bank"]
received = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.put((self.path, body, self.headers["Counterfoil-Signature"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *ignored):
        pass


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{admin}/__admin/sessions/default{path}", data, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read()
        return json.loads(text) if text else None


def stripe_accepts(body, signature, secret):
    try:
        return stripe.Webhook.construct_event(body, signature, secret)["id"] == json.loads(body)["id"]
    except stripe.SignatureVerificationError:
        return False


def jws_accepts(body, signature, keys):
    try:
        jws.deserialize_compact(signature, keys, payload=body)
        return True
    except Exception:  # joserfc has a type for each way in which a signature is wrong.
        return False


def jwt_accepts(body, signature, keys):
    try:
        return signature is None and "id" in jwt.decode(body, keys).claims
    except Exception:  # as above
        return False


def body_accepts(body, signature, secret):
    return hmac.compare_digest(hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(), signature)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{server.server_port}"
hooks = {sign: call("POST", "/webhooks", {"url": f"{origin}/{sign}", "sign": sign}) for sign in ("timestamped", "body", "jws", "jwt")}
keys = KeySet.import_key_set(call("GET", "/webhooks")["keys"])


def accepts(path, body, signature):
    sign = path[1:]
    if sign in ("jws", "jwt"):
        return (jws_accepts if sign == "jws" else jwt_accepts)(body, signature, keys)
    return (stripe_accepts if sign == "timestamped" else body_accepts)(body, signature, hooks[sign]["secret"])


def accepted_next(count):
    """The next deliveries by receiver: for each whether it is accepted, in order."""
    found = {sign: [] for sign in hooks}
    for _ in range(count):
        path, body, signature = received.get(timeout=120)
        found[path[1:]].append(accepts(path, body, signature))
    return found


salary = {"event": "payment-in", "account": "ava-gbp", "amount": "5.00"}
call("POST", "/events", salary)
wrong = []


def expect(what, found, wanted):
    print(f"{what}: {found}")
    if found != wanted:
        wrong.append(f"{what}: found {found}, expected {wanted}")


expect("genuine", accepted_next(len(hooks)), {sign: [True] for sign in hooks})
# A time stamp is part of one signature only, and a body's code, a JWS and a JWT are as good later.
for fault, of_time in (("forged", False), ("altered", False), ("unknown-key", False), ("stale", True)):
    for hook in hooks.values():
        call("POST", f"/webhooks/{hook['id']}/faults", {"fault": fault})
    call("POST", "/events", salary)
    expect(fault, accepted_next(2 * len(hooks)), {sign: [of_time and sign != "timestamped", True] for sign in hooks})
old = hooks["timestamped"]
hooks["timestamped"] = call("POST", f"/webhooks/{old['id']}/secret")
call("POST", "/events", salary)
deliveries = {path: rest for path, *rest in [received.get(timeout=120) for _ in hooks]}
body, signature = deliveries["/timestamped"]
expect("the new secret", stripe_accepts(body, signature, hooks["timestamped"]["secret"]), True)
expect("the old secret, for a day", stripe_accepts(body, signature, old["secret"]), True)

# A bank lives: salary arrives, a payment settles a day later, a direct debit is taken and returns; each is checked by Stripe's library.
for sign in ("body", "jws", "jwt"):
    call("DELETE", f"/webhooks/{hooks[sign]['id']}")
token = call("POST", "/tokens", {"login": "ava"})["token"]
call("POST", "/events", {"event": "payment-in", "account": "ava-gbp", "amount": "1200.00", "name": "Acme Payroll", "reference": "salary"})
order = {"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "10.00", "currency": "GBP"}}
headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "rent-1", "Content-Type": "application/json"}
with urllib.request.urlopen(urllib.request.Request(f"{bank}/v1/payments", json.dumps(order).encode(), headers), timeout=60) as response:
    payment = json.load(response)
call("POST", "/clock/advance", {"by": "1d"})
call("POST", "/events", {"event": "direct-debit", "account": "ava-gbp", "amount": "40.00", "name": "Power"})
call("POST", "/events", {"event": "payment-returns"})
story, objects = [], {}
for _ in range(6):
    _, body, signature = received.get(timeout=120)
    event = stripe.Webhook.construct_event(body, signature, hooks["timestamped"]["secret"])
    story.append((event["type"], json.loads(body)["data"]["object"]["amount"]))
    objects[event["type"]] = json.loads(body)["data"]["object"]
# Deliveries about one payment come in order, others beside them.
expect("the story", sorted(story), sorted([
    ("transaction.created", "1200.00"), ("transaction.created", "10.00"), ("payment.settled", "10.00"), ("transaction.created", "40.00"),
    ("payment.returned", "40.00"), ("transaction.created", "40.00")]))
expect("the payment's id", objects["payment.settled"]["id"], payment["id"])
sys.exit("\n".join(wrong) if wrong else 0)
