#!/usr/bin/env python3
"""A driver: Counterfoil operates your client through it. README.md beside it has the commands."""

import http.client
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

sys.dont_write_bytecode = True  # a client writes nowhere but in its state_dir

from counterfoil_driver import Driver, Failure


def member(response, name, kind=str):
    """The member of that name and kind; a response without it is not what was agreed."""
    value = response.get(name) if isinstance(response, dict) else None
    if not isinstance(value, kind):
        raise Failure("decode", "no `%s` in the response" % name)
    return value


def paid(response):
    """What the user is shown of a payment that the bank has accepted."""
    state = member(response, "state")
    if state not in ("accepted", "pending-authorisation", "settled"):
        raise Failure("rejected" if state == "rejected" else "decode")
    return {"payment": member(response, "id"), "state": state}


def reason(error):
    """The bank's own words, which the user is shown; empty if the error has none that can be read."""
    try:
        problem = json.loads(error.read(65536))
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return ""
    words = (problem.get("detail"), problem.get("error_description")) if isinstance(problem, dict) else ()
    return next((text for text in words if isinstance(text, str)), "")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # the token stays at this bank


class Client:
    """Signs in, reads a balance and pays at the bank `counterfoil`. Your own client takes its place."""

    def __init__(self, case):
        self.case, self.user, self.token, self.payments = case, None, None, {}
        self.opener = urllib.request.build_opener(NoRedirects)

    def login(self, user, password):
        form = urllib.parse.urlencode({"grant_type": "password", "username": user, "password": password})
        self.user = self.token = None
        self.token = member(self.send("/oauth/token", form.encode()), "access_token")
        self.user = user

    def balance(self, account):
        return member(self.send("/v1/accounts/" + urllib.parse.quote(account, "")), "balance", dict)

    def pay(self, intent, order):
        name = (self.user, intent)  # one payment order of one customer, one key
        payment = self.payments.setdefault(name, {"key": str(uuid.uuid4()), "body": json.dumps(order).encode()})
        if "receipt" in payment:
            return payment["receipt"]  # paid: not sent again, because the bank may answer otherwise now
        headers = {"Content-Type": "application/json", "Idempotency-Key": payment["key"]}
        try:
            receipt = paid(self.send("/v1/payments", payment["body"], headers))
        except Failure as failure:
            if failure.name in ("rejected", "not_found"):
                del self.payments[name]  # rejected: the payment order, corrected, is another payment
            raise
        self.payments[name] = {"receipt": receipt}
        return receipt

    def send(self, path, body=None, headers=None):
        if path != "/oauth/token":
            if not self.token:
                raise Failure("unauthorized", "not signed in", sent=False)
            headers = {**(headers or {}), "Authorization": "Bearer " + self.token}
        request = urllib.request.Request(self.case.base_url + path, body, headers or {})
        try:
            with self.opener.open(request, timeout=self.case.total_seconds) as response:
                if response.status not in (200, 201):
                    raise Failure("decode", "status %d" % response.status)
                return json.load(response)  # the kit knows the errors of urllib and of JSON
        except urllib.error.HTTPError as error:
            if error.code == 401:
                self.token = None
            with error:
                raise Failure.of_status(error.code, reason(error)) from None


driver = Driver("my-client 1.0", banks=["counterfoil"], open=Client)


@driver.operation
def login(client, step):
    client.login(step["user"], step["password"])
    return {"signed_in": True}


@driver.operation
def balance(client, step):
    found = client.balance(step["account"])
    return {"balance": member(found, "amount"), "currency": member(found, "currency")}


@driver.operation
def pay(client, step):
    amount = {"amount": step["amount"], "currency": step["currency"]}
    return client.pay(step["intent"], {"from": step["from"], "to": step["to"], "amount": amount})


driver.run()
