"""authlib_sign_in.py BANK ADMIN: signs in at the bank with Authlib."""
import datetime
import html.parser
import sys
import urllib.parse

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import BaseApp, OAuth2Mixin, OAuthError, OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import ECKey

bank, admin = sys.argv[1:]


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
    assert {"username", "password"} <= set(form.fields) and form.buttons == {("decision", "approve"), ("decision", "deny"), ("decision", "cancel")}, vars(form)
    filled = form.fields | {"username": "ava", "password": "correct-horse", "decision": decision} | fields
    response = requests.post(urllib.parse.urljoin(address, form.action), data=filled, allow_redirects=False)
    assert response.status_code == 303, (response.status_code, response.text)
    return response.headers["Location"]


def client(name, redirect, **options):
    return OAuth2Session(
        name, redirect_uri=redirect, scope="openid accounts offline_access", code_challenge_method="S256",
        token_endpoint=f"{bank}/oauth/token", **options)


def rejected(error, call, *arguments, **named):
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
    rejected("invalid_grant", session.fetch_token, authorization_response=answer, state=state, code_verifier=generate_token(48))
    session.fetch_token(authorization_response=answer, state=state, code_verifier=verifier)
    rejected("invalid_grant", session.fetch_token, authorization_response=answer, state=state, code_verifier=verifier)
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


# OpenID Connect: discovery, the token's signature and claims, and who has signed in.
class RelyingParty(OAuth2Mixin, OpenIDMixin, BaseApp):
    client_cls = OAuth2Session

    def sign_in(self, login="ava"):
        """Returns the token response, and the nonce that was sent."""
        asked = self.create_authorization_url("http://127.0.0.1:51004/callback", nonce=generate_token())
        answer = urllib.parse.parse_qs(urllib.parse.urlsplit(browse(asked["url"], username=login, password=PASSWORDS[login])).query)
        assert answer["state"] == [asked["state"]] and answer["iss"] == [self.load_server_metadata()["issuer"]], answer
        token = self.fetch_access_token(
            "http://127.0.0.1:51004/callback", code=answer["code"][0], code_verifier=asked["code_verifier"])
        return token, asked["nonce"]


PASSWORDS = {"ava": "correct-horse", "ben": "battery-staple"}


def relying_party(issuer):
    return RelyingParty(
        None, name="bank", client_id="app", server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={"scope": "openid accounts", "code_challenge_method": "S256", "token_endpoint_auth_method": "none"})


app = relying_party(bank)
for login in PASSWORDS:
    token, nonce = app.sign_in(login)
    who = app.parse_id_token(token, nonce)
    assert who["sub"] == login and who["iss"] == bank and who["aud"] == "app", who
    assert app.userinfo(token=token)["sub"] == login

# Each wrong part of a token is rejected.
for part in ["issuer", "audience", "nonce", "expiry", "issued-at", "algorithm", "key-id", "signature"]:
    rule = {"fault": {"wrong-id-token": {"part": part}}, "on": {"operation": "codeToken"}, "times": 1}
    assert requests.post(f"{admin}/__admin/sessions/counterfoil/faults", json=rule).status_code == 201
    token, nonce = app.sign_in()
    try:
        app.parse_id_token(token, nonce)
    except Exception as found:
        print(f"{part}: {type(found).__name__}")
    else:
        raise AssertionError(f"Authlib accepted a wrong {part}")

# A client that signs instead of presenting a secret (RFC 7523).
def signing(file):
    session = OAuth2Session(
        "partner", client_secret=ECKey.import_key(open(file).read()), redirect_uri="https://partner.example/callback", scope="accounts",
        token_endpoint_auth_method="private_key_jwt", token_endpoint=f"{bank}/oauth/token")
    session.register_client_auth_method(PrivateKeyJWT(f"{bank}/oauth/token", alg="ES256"))
    return session


session = signing("partner.pem")
address, state = session.create_authorization_url(f"{bank}/oauth/authorize")
answer = browse(address)
rejected("invalid_client", signing("other.pem").fetch_token, authorization_response=answer, state=state)
assert session.fetch_token(authorization_response=answer, state=state)["scope"] == "accounts"

# The key changes while the app has the old one.
past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=30)
made = requests.post(f"{admin}/__admin/sessions", json={"bank": "counterfoil", "name": "rotated", "clock": past.isoformat()})
assert made.status_code == 201, made.text
app = relying_party(f"{bank}/s/rotated")
kept = app.fetch_jwk_set()
assert requests.post(f"{admin}/__admin/sessions/rotated/clock/advance", json={"by": "30d"}).status_code == 200
token, nonce = app.sign_in()
assert app.parse_id_token(token, nonce)["sub"] == "ava"
assert app.fetch_jwk_set() != kept
print("Authlib signs in")
