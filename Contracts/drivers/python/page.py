"""The sign-in on the bank's page: authorization code with PKCE (RFC 6749 §4.1, RFC 7636, RFC 8252). Standard library only.

It asks for no ID token: the standard library cannot verify one.
"""

import base64
import hashlib
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

from errors import Failure

CLIENT, REDIRECT = "app", "counterfoil-app:/callback"
SCOPES = "accounts payments offline_access"


class Page:
    """The attempts of one client to sign in, one at a time. A verifier is in memory only, and no other attempt has it."""

    def __init__(self, base_url):
        self.base_url = base_url.rstrip("/")
        self.verifier = self.state = None

    def begin(self, path):
        """The address of the page for a new attempt; one in progress ends."""
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": SCOPES, "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), "code_challenge_method": "S256",
        }
        return "%s%s?%s" % (self.base_url, path, urlencode(asked))

    def answer(self, url):
        """What the bank has answered to the attempt, by name, and the attempt's verifier. The attempt has ended then.

        An address that is no answer to it changes nothing: somebody else may have made it.
        """
        given = parse_qs(urlsplit(url).query, keep_blank_values=True)
        one = {name: values[0] for name, values in given.items() if len(values) == 1}
        if self.state is None or url.split("?")[0] != REDIRECT:
            raise Failure("rejected", "this address is no answer to a sign-in", sent=False)
        if not secrets.compare_digest(one.get("state", "").encode(), self.state.encode()):
            raise Failure("rejected", "another state than that of the sign-in", sent=False)
        if one.get("iss", self.base_url) != self.base_url:
            raise Failure("rejected", "the answer of another bank", sent=False)  # RFC 9207 §2.4
        verifier, self.verifier, self.state = self.verifier, None, None
        return one, verifier


def code(answer):
    """The code in an answer. Raises the failure that stands there instead."""
    error = answer.get("error")
    if error == "access_denied":
        raise Failure("cancelled", "access denied", sent=False)
    if error in ("server_error", "temporarily_unavailable"):
        raise Failure("unavailable", error, sent=False)
    if error or not answer.get("code"):
        raise Failure("rejected", error or "no code in the answer", sent=False)
    return answer["code"]
