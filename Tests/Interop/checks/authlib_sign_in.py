"""authlib_sign_in.py BANK: signs in at the bank with Authlib."""
import html.parser
import sys
import urllib.parse

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

bank = sys.argv[1]


class Form(html.parser.HTMLParser):
    """The fields of a page's form and its action."""

    def __init__(self, page):
        super().__init__()
        self.fields, self.action, self.buttons = {}, None, set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.action = found["action"]
        elif tag == "input":
            self.fields[found["name"]] = found.get("value", "")
        elif tag == "button":
            self.buttons.add((found["name"], found["value"]))


def browse(address, decision="approve", **fields):
    """What a browser with a user does: returns the address to which the bank redirects."""
    page = requests.get(address, allow_redirects=False)
    assert page.status_code == 200, (page.status_code, page.text)
    form = Form(page.text)
    assert {"username", "password"} <= set(form.fields) and form.buttons == {("decision", "approve"), ("decision", "deny")}, vars(form)
    filled = form.fields | {"username": "ava", "password": "correct-horse", "decision": decision} | fields
    reply = requests.post(urllib.parse.urljoin(address, form.action), data=filled, allow_redirects=False)
    assert reply.status_code == 303, (reply.status_code, reply.text)
    return reply.headers["Location"]


def client(name, redirect, **options):
    return OAuth2Session(
        name, redirect_uri=redirect, scope="openid accounts offline_access", code_challenge_method="S256",
        token_endpoint=f"{bank}/oauth/token", **options)


def refused(error, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OAuthError as found:
        assert found.error == error, (found.error, error)
    else:
        raise AssertionError(f"expected {error}")


for session in [
    client("app", "http://127.0.0.1:51004/callback", token_endpoint_auth_method="none"),
    client("web", "https://web.example/callback", client_secret="web-secret", token_endpoint_auth_method="client_secret_basic"),
]:
    verifier = generate_token(48)
    address, state = session.create_authorization_url(f"{bank}/oauth/authorize", code_verifier=verifier)
    answer = browse(address)
    assert answer.startswith(session.redirect_uri + "?"), answer
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(answer).query)["iss"] == [bank], answer
    token = session.fetch_token(authorization_response=answer, state=state, code_verifier=verifier)
    assert token["expires_in"] == 900 and token["scope"] == "openid accounts offline_access", token
    assert session.get(f"{bank}/v1/accounts").status_code == 200
    assert session.refresh_token()["access_token"] != token["access_token"]
    assert session.get(f"{bank}/v1/accounts").status_code == 200

    # Another verifier, a code twice, and a customer who denies.
    address, state = session.create_authorization_url(f"{bank}/oauth/authorize", code_verifier=verifier)
    answer = browse(address)
    refused("invalid_grant", session.fetch_token, authorization_response=answer, state=state, code_verifier=generate_token(48))
    session.fetch_token(authorization_response=answer, state=state, code_verifier=verifier)
    refused("invalid_grant", session.fetch_token, authorization_response=answer, state=state, code_verifier=verifier)
    address, state = session.create_authorization_url(f"{bank}/oauth/authorize", code_verifier=verifier)
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(browse(address, "deny")).query)["error"] == ["access_denied"]

# A pushed request (RFC 9126).
verifier = generate_token(48)
session = client("web", "https://web.example/callback", client_secret="web-secret")
address, state = session.create_authorization_url(f"{bank}/oauth/authorize", code_verifier=verifier)
asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
pushed = requests.post(f"{bank}/oauth/par", data=asked, auth=("web", "web-secret"))
assert pushed.status_code == 201, pushed.text
query = urllib.parse.urlencode({"client_id": "web", "request_uri": pushed.json()["request_uri"]})
answer = browse(f"{bank}/oauth/authorize?{query}")
assert session.fetch_token(authorization_response=answer, state=state, code_verifier=verifier)["access_token"]
print("Authlib signs in")
