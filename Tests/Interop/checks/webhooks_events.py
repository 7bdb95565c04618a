"""webhooks_events READY: subscribes to the event notifications of the bank `openbanking`, as a client by the bank's own API, and checks
them with joserfc: each is a Security Event Token (RFC 8417), a JWT that one of the bank's keys verifies; an altered copy is rejected."""
import base64
import http.server
import json
import queue
import sys
import threading
import urllib.parse
import urllib.request

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

ready = json.loads(open(sys.argv[1]).readline())
admin, bank = f"{ready['admin']}/__admin/sessions/default", ready["bank"]
api, events = f"{bank}/open-banking/v4.0", "urn:uk:org:openbanking:events:"
received = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.put((body.decode(), self.headers["Content-Type"], self.headers["Counterfoil-Signature"]))
        self.send_response(202)
        self.end_headers()

    def log_message(self, *ignored):
        pass


def call(method, url, body=None, **headers):
    data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    kind = "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
    request = urllib.request.Request(url, data, {"Content-Type": kind, **headers}, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read()
        return json.loads(text) if text.startswith(b"{") else None


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

basic = "Basic " + base64.b64encode(b"tpp:tpp-secret").decode()
form = "grant_type=client_credentials&scope=accounts"
bearer = "Bearer " + call("POST", f"{bank}/oauth/token", form, Authorization=basic)["access_token"]
callback = f"http://127.0.0.1:{server.server_port}/event-notifications"
call("POST", f"{api}/event-subscriptions", {"Data": {"CallbackUrl": callback, "Version": "4.0"}}, Authorization=bearer)
asked = {"Data": {"Permissions": ["ReadAccountsDetail", "ReadBalances"]}, "Risk": {}}
consent = call("POST", f"{api}/aisp/account-access-consents", asked, Authorization=bearer)["Data"]["ConsentId"]
address = f"{api}/aisp/account-access-consents/{consent}"
keys = KeySet.import_key_set(call("GET", f"{admin}/webhooks")["keys"])
wrong = []


def expect(what, found, wanted):
    print(f"{what}: {found}")
    if found != wanted:
        wrong.append(f"{what}: found {found}, expected {wanted}")


def expect_event(name):
    body, kind, signature = received.get(timeout=120)
    claims = jwt.decode(body, keys).claims
    expect(f"{name}: Content-Type and Counterfoil-Signature", (kind, signature), ("application/jwt", None))
    expect(f"{name}: claims", sorted(claims), ["aud", "events", "iat", "iss", "jti", "sub", "toe", "txn"])
    expect(f"{name}: iss, aud and sub", (claims["iss"], claims["aud"], claims["sub"]), (bank, "tpp", address))
    subject = claims["events"][events + name]["subject"]
    expect(f"{name}: resource", (subject["http://openbanking.org.uk/rid"], subject["http://openbanking.org.uk/rty"]),
           (consent, "account-access-consent"))


# RFC 7636, appendix B, has the challenge; no code is exchanged here.
call("GET", f"{bank}/oauth/authorize?" + urllib.parse.urlencode({
    "response_type": "code", "client_id": "tpp", "redirect_uri": "http://127.0.0.1/callback", "scope": "accounts", "state": "s1",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256", "openbanking_intent_id": consent}))
call("POST", f"{admin}/authorizations/1", {"decision": "approve", "login": "ava"})
expect_event("resource-update")

call("POST", f"{admin}/webhooks/webhook-1/faults", {"fault": "altered"})
call("DELETE", address, Authorization=bearer)
altered, _, _ = received.get(timeout=120)
try:
    jwt.decode(altered, keys)
    wrong.append("an altered token: found it accepted, expected a wrong signature")
except JoseError as error:
    print(f"an altered token: {error}")
expect_event("consent-authorization-revoked")
sys.exit("\n".join(wrong) if wrong else 0)
