"""A plain client of the bank `counterfoil` with five common mistakes, as a driver. newcomer.sh tests that each is found and named:

1. a new idempotency key for each attempt of a payment,
2. the token is kept after a 401,
3. amounts by `int(price * 100)`,
4. no time limit,
5. the first page only.

    counterfoil test --client "python3 Tests/Drivers/newcomer.py" --bank counterfoil
"""

import http.client
import json
import os
import random
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python/src"))

from counterfoil_driver import Driver, Failure, day, instant

LARGEST = 8 << 20


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Responses(http.client.HTTPResponse):
    """http.client takes every 1xx but 100 for the final response."""

    def _read_status(self):
        version, status, reason = super()._read_status()
        while 100 < status < 200:
            http.client.parse_headers(self.fp)
            version, status, reason = super()._read_status()
        return version, status, reason


http.client.HTTPConnection.response_class = Responses


class Lost(Failure):
    """No usable response came: another attempt may do better."""


class Rejected(Failure):
    """The bank sent an error response."""

    def __init__(self, name, detail, status):
        super().__init__(name, detail)
        self.status = status


def nothing(name):
    raise ValueError("%s is not JSON" % name)


def cents(money):
    return int(float(money["amount"]) * 100)  # mistake 3


def sent(amount):
    whole, _, fraction = amount.partition(".")
    return "%.2f" % (int(float(amount) * 100) / 100) if len(fraction) == 2 else amount  # mistake 3


def shown(money):
    number = cents(money)
    return "%s%d.%02d" % ("-" if number < 0 else "", abs(number) // 100, abs(number) % 100)


class Client:
    def __init__(self, case):
        self.case, self.token, self.user = case, None, None
        self.results, self.left = {}, 15  # payments that may be sent again while the bank fails
        context = ssl.create_default_context(cafile=case.ca_file) if case.ca_file else None
        handlers = [NoRedirects] + ([urllib.request.HTTPSHandler(context=context)] if context else [])
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)

    def send(self, path, body=None, headers=None):
        headers = dict(headers or {})
        if self.token and path != "/oauth/token":
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.case.base_url + path, body, headers)
        try:
            with self.opener.open(request) as response:  # mistake 4: no timeout
                content = response.read(LARGEST + 1)
                length = response.headers.get("Content-Length", "")
                if length.isdigit() and len(content) < min(int(length), LARGEST):
                    raise Failure("decode", "cut short")
                if len(content) > LARGEST:
                    raise Failure("too_large", "more than 8 MiB")
                if response.status not in (200, 201) or "json" not in response.headers.get("Content-Type", "").lower():
                    raise Failure("decode", "no JSON of a success")
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise Failure("decode", "a coding that nobody asked for")
                return json.loads(content.decode(), parse_constant=nothing)
        except urllib.error.HTTPError as error:
            raise rejection(error) from None
        except urllib.error.URLError as error:
            name = "tls" if isinstance(error.reason, ssl.SSLError) else "offline"
            raise (Failure if name == "tls" else Lost)(name, str(error.reason), sent=name != "tls") from None
        except http.client.IncompleteRead:
            raise Failure("decode", "cut short") from None
        except (http.client.HTTPException, OSError) as error:
            raise Lost("offline", type(error).__name__) from None
        except (ValueError, RecursionError) as error:
            raise Failure("decode", str(error)) from None

    def login(self, user, password):
        self.token, self.user = None, None
        form = urllib.parse.urlencode({"grant_type": "password", "username": user, "password": password})
        found = self.send("/oauth/token", form.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
        self.token, self.user = text(found, "access_token"), user

    def get(self, path):
        if not self.token:
            raise Failure("unauthorized", "not signed in", sent=False)
        for attempt in range(3):
            try:
                return self.send(path)
            except (Lost, Rejected) as failure:
                if attempt == 2 or isinstance(failure, Rejected) and failure.status < 500:
                    raise
                if isinstance(failure, Rejected) and failure.detail == "maintenance":
                    raise
            time.sleep((self.case.backoff_seconds or 0.2) * 2 ** attempt * random.uniform(0.5, 1))

    def pay(self, intent, order):
        if not self.token:
            raise Failure("unauthorized", "not signed in", sent=False)
        if (self.user, intent) in self.results:
            return self.results[self.user, intent]
        body = json.dumps({
            "from": order["from"], "to": order["to"],
            "amount": {"amount": sent(order["amount"]), "currency": order["currency"]},
        }).encode()
        for attempt in range(3):
            try:
                headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}  # mistake 1
                found = self.send("/v1/payments", body, headers)
                view = {"payment": text(found, "id"), "state": text(found, "state")}
                if view["state"] == "rejected":
                    raise Failure("rejected", "the bank rejected it")
                if view["state"] not in ("accepted", "settled"):
                    raise Failure("outcome_unknown", "a state that nobody agreed on")
                self.results[self.user, intent] = view
                return view
            except Rejected as failure:
                if failure.name == "conflict" or failure.detail == "maintenance":
                    raise Failure("outcome_unknown", failure.detail) from None
                if failure.status < 500:
                    raise
            except Lost:
                pass
            except Failure as failure:
                raise Failure("outcome_unknown", failure.detail) if failure.name in ("decode", "too_large") else failure from None
            if self.left == 0:
                break
            self.left -= 1
            time.sleep((self.case.backoff_seconds or 0.2) * 2 ** attempt * random.uniform(0.5, 1))
        raise Failure("outcome_unknown", "no response")


def rejection(error):
    status = error.code
    if status == 401:
        return Rejected("unauthorized", "401", status)  # mistake 2: the token stays
    if status == 503 and error.headers.get("Retry-After"):
        return Rejected("unavailable", "maintenance", status)
    if 300 <= status < 400:
        return Rejected("decode", "a redirect", status)
    try:
        problem = json.loads(error.read(LARGEST))
        kind, detail = problem.get("type", ""), str(problem.get("detail") or problem.get("error_description") or status)
    except (ValueError, OSError, http.client.HTTPException, AttributeError):
        kind, detail = "", str(status)
    if status == 403 and "consent" in str(kind):
        return Rejected("consent_expired", detail, status)
    known = {403: "forbidden", 404: "not_found", 409: "conflict", 410: "not_found", 429: "rate_limited"}
    return Rejected(known.get(status, "unavailable" if status >= 500 else "rejected"), detail, status)


def text(found, name):
    value = found.get(name) if isinstance(found, dict) else None
    if not isinstance(value, str) or not value:
        raise Failure("decode", "no text `%s`" % name)
    return value


driver = Driver("newcomer 1.0", banks=["counterfoil"], features=["tls"], open=Client)


@driver.operation
def login(client, step):
    client.login(step["user"], step["password"])
    return {"signed_in": True}


@driver.operation
def logout(client, step):
    token, client.token, client.user = client.token, None, None
    if token:
        try:
            form = urllib.parse.urlencode({"token": token}).encode()
            client.send("/oauth/revoke", form, {"Content-Type": "application/x-www-form-urlencoded"})
        except Failure:
            pass  # signed out here, whatever the bank answers
    return {}


@driver.operation
def status(client, step):
    return {"signed_in": client.token is not None}


def rows(found, name, row):
    """The rows that can be read."""
    listed = found.get(name) if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise Failure("decode", "no list `%s`" % name)
    shown = []
    for each in listed:
        try:
            shown.append(row(each))
        except (KeyError, TypeError, ValueError, AttributeError, Failure):
            pass
    if listed and not shown:
        raise Failure("decode", "no row of `%s` as agreed" % name)
    return shown


@driver.operation
def accounts(client, step):
    def row(account):
        view = {name: text(account, name) for name in ("id", "name", "currency")}
        return {**view, "balance": shown(account["balance"])} if account.get("balance") else view
    return {"accounts": rows(client.get("/v1/accounts"), "accounts", row)}


@driver.operation
def balance(client, step):
    found = client.get("/v1/accounts/" + urllib.parse.quote(step["account"], ""))
    try:
        return {"balance": shown(found["balance"]), "currency": text(found["balance"], "currency")}
    except (KeyError, TypeError, ValueError):
        raise Failure("decode", "no balance") from None


@driver.operation
def transactions(client, step):
    def row(each):
        amount = shown(each["amount"])
        sign = {"credit": "", "debit": "-"}[each["direction"]] if amount.strip("0.") else ""
        view = {"id": text(each, "id"), "date": day(each["booked_at"], client.case.time_zone), "description": each.get("description") or "",
                "amount": sign + amount, "currency": text(each["amount"], "currency"), "pending": each.get("status") == "pending"}
        return instant(each["booked_at"]), view, each.get("replaces")
    path = "/v1/accounts/%s/transactions" % urllib.parse.quote(step["account"], "")
    query = {name: step[name] for name in ("from", "to") if step.get(name)}
    found = client.get(path + ("?" + urllib.parse.urlencode(query) if query else ""))  # mistake 5: the first page
    read = rows(found, "transactions", row)
    replaced = {replaces for _, _, replaces in read}
    newest = {}
    for at, view, _ in read:
        if view["id"] not in newest or at >= newest[view["id"]][0]:
            newest[view["id"]] = (at, view)
    kept = [each for each in newest.values() if not (each[1]["pending"] and each[1]["id"] in replaced)]
    return {"transactions": [view for _, view in sorted(kept, key=lambda each: each[0], reverse=True)]}


@driver.operation
def pay(client, step):
    return client.pay(step["intent"], step)


driver.run()
