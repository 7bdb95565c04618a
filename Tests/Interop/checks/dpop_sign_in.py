"""dpop_sign_in.py BANK ADMIN OPTION: signs in at the bank with DPoP. Authlib makes the requests of OAuth, joserfc the proofs."""
import base64
import hashlib
import html
import re
import sys
import time
import urllib.parse
import uuid

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey

bank, admin, option = sys.argv[1:]
demands_nonce = "nonce" in option


class Proofs(requests.auth.AuthBase):
    """Sends a fresh proof with each request, with the bank's last nonce, and the token in the scheme DPoP if there is one."""

    def __init__(self, key, algorithm):
        self.key, self.algorithm, self.token, self.nonce = key, algorithm, None, None

    def proof(self, method, address):
        claims = {"jti": str(uuid.uuid4()), "htm": method, "htu": address.split("?")[0], "iat": int(time.time())}
        if self.nonce:
            claims["nonce"] = self.nonce
        if self.token:
            digest = hashlib.sha256(self.token.encode()).digest()
            claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        header = {"typ": "dpop+jwt", "alg": self.algorithm, "jwk": self.key.as_dict(private=False)}
        return jwt.encode(header, claims, self.key, algorithms=[self.algorithm])

    def __call__(self, request):
        request.headers["DPoP"] = self.proof(request.method, request.url)
        if self.token:
            request.headers["Authorization"] = f"DPoP {self.token}"
        request.register_hook("response", self.remember)
        return request

    def remember(self, response, **_):
        self.nonce = response.headers.get("DPoP-Nonce", self.nonce)


def browse(address):
    """What a browser with a user does: returns the address to which the bank redirects."""
    page = requests.get(address)
    assert page.status_code == 200, page.text
    value = html.unescape(re.search(r'name="csrf_token" value="([^"]+)"', page.text)[1])
    form = {"csrf_token": value, "username": "ava", "password": "correct-horse", "decision": "approve"}
    response = requests.post(f"{bank}/oauth/authorize", data=form, allow_redirects=False)
    assert response.status_code == 303, response.text
    return response.headers["Location"]


def posted(proofs, form, status, error=None):
    response = requests.post(f"{bank}/oauth/token", data=form, auth=proofs)
    assert response.status_code == status and response.json().get("error") == error, (response.status_code, response.text)
    return response


def read(proofs, status, challenge=""):
    response = requests.get(f"{bank}/v1/accounts?a=b", auth=proofs)
    assert response.status_code == status and response.headers.get("WWW-Authenticate", "").startswith(challenge), (response.text, response.headers)
    return response


metadata = requests.get(f"{bank}/.well-known/openid-configuration").json()
assert metadata["dpop_signing_alg_values_supported"] == ["ES256", "ES384", "EdDSA"], metadata
for key, algorithm in [(ECKey.generate_key("P-256"), "ES256"), (ECKey.generate_key("P-384"), "ES384"), (OKPKey.generate_key("Ed25519"), "EdDSA")]:
    proofs = Proofs(key, algorithm)
    session = OAuth2Session(
        "app", redirect_uri="http://127.0.0.1:51004/callback", scope="accounts offline_access", code_challenge_method="S256")
    verifier = generate_token(48)
    # joserfc computes the thumbprint of RFC 7638, which the bank compares with its own.
    address, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, dpop_jkt=key.thumbprint())
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browse(address)).query))
    assert answer["state"] == state
    form = {
        "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": session.redirect_uri, "client_id": "app",
        "code_verifier": verifier,
    }
    if demands_nonce:
        # Sent without a nonce first: the code stays valid (RFC 9449 §8).
        assert posted(proofs, form, 400, "use_dpop_nonce").headers["DPoP-Nonce"] == proofs.nonce
    token = posted(proofs, form, 200).json()
    assert token["token_type"] == "DPoP", token

    proofs.token = token["access_token"]
    assert read(proofs, 200).json()["accounts"]
    if demands_nonce:
        nonce, proofs.nonce = proofs.nonce, None
        assert read(proofs, 401, 'DPoP error="use_dpop_nonce"').headers["DPoP-Nonce"] == nonce
        read(proofs, 200)

    # A thief has the token, and perhaps a proof, but not the key.
    bearer = requests.get(f"{bank}/v1/accounts", headers={"Authorization": f"Bearer {proofs.token}"})
    assert bearer.status_code == 401 and bearer.headers["WWW-Authenticate"].startswith('DPoP error="invalid_token"'), bearer.headers
    thief = Proofs(ECKey.generate_key("P-256"), "ES256")
    thief.token, thief.nonce = proofs.token, proofs.nonce
    read(thief, 401, 'DPoP error="invalid_token"')
    caught = {"DPoP": proofs.proof("GET", f"{bank}/v1/accounts"), "Authorization": f"DPoP {proofs.token}"}
    statuses = [requests.get(f"{bank}/v1/accounts", headers=caught).status_code for _ in range(2)]
    assert statuses == [200, 401], statuses

    # The refresh token is bound too, as the client is public.
    refresh = {"grant_type": "refresh_token", "refresh_token": token["refresh_token"], "client_id": "app"}
    thief.token = proofs.token = None
    posted(thief, refresh, 400, "invalid_grant")
    proofs.token = posted(proofs, refresh, 200).json()["access_token"]
    read(proofs, 200)

journal = requests.get(f"{admin}/__admin/sessions/counterfoil/journal").text
assert "DPoP token#" in journal and caught["DPoP"] not in journal and "eyJ" not in journal
print(f"a client signs in with DPoP: {option}")
