"""A client of the bank `counterfoil` on httpx and tenacity, as a driver: written from the documents, to find accusations that are wrong.

    counterfoil test --client "python3 Tests/Drivers/libraries/httpx_driver.py" --bank counterfoil

It keeps everything in memory. What its libraries get wrong is in httpx.known-failing.
"""

import email.utils
import json
import os
import random
import ssl
import sys
import threading
import time
import uuid
from datetime import timezone
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../clients/python/src"))

import httpx
import tenacity
from counterfoil_driver import Driver, Failure, day, instant, major, minor

LARGEST_BODY = 8 << 20
LONGEST_WAIT = 4.0  # seconds; if the bank asks for more, the user tries again later
TOKEN_PROBLEMS = ("token-rejected", "token-expired")


class Rejected(Failure):
    """A failure with what decides about another attempt."""

    def __init__(self, name, detail="", sent=True, retryable=False, wait=None, problem=None):
        super().__init__(name, detail, sent)
        self.retryable, self.wait, self.problem = retryable, wait, problem


def retried(attempts, pause):
    """Repeats what may do better later: after the pause that the bank asks for, or a growing one of the client's own, with jitter."""
    def wait(state):
        asked = state.outcome.exception().wait
        own = pause * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1)
        return own if asked is None else max(own, asked + 0.05)

    def worth_it(error):
        return isinstance(error, Rejected) and error.retryable and (error.wait or 0) <= LONGEST_WAIT

    return tenacity.Retrying(
        stop=tenacity.stop_after_attempt(attempts), wait=wait, retry=tenacity.retry_if_exception(worth_it), reraise=True)


class Bank:
    """The app's networking: one httpx.Client for each case."""

    def __init__(self, case):
        self.zone, self.total, self.pause = case.time_zone, case.total_seconds, case.backoff_seconds or 0.2
        tls = ssl.create_default_context(cafile=case.ca_file) if case.ca_file else True
        limits = httpx.Timeout(case.total_seconds, connect=case.connect_seconds)
        self.http = httpx.Client(base_url=case.base_url, verify=tls, timeout=limits, follow_redirects=False, trust_env=False)
        self.http.headers["Accept-Encoding"] = "gzip"
        self.lock, self.renewing = threading.RLock(), threading.Lock()
        self.user, self.tokens, self.prompts, self.turn = None, None, 0, 0
        self.payments, self.paying = {}, {}
        self.left = 20  # attempts that may be repeated while the bank fails

    def close(self):
        self.http.close()

    # -- one request ---------------------------------------------------------------------------------------------------

    def once(self, method, path, token=None, body=None, headers=None):
        """Sends a request once, and returns the JSON of a 200 or 201."""
        # A cookie is none of this client's business: each request begins without any.
        self.http.cookies.clear()
        headers = {**(headers or {}), "Accept": "application/json", **({"Authorization": "Bearer " + token} if token else {})}
        until, content = time.monotonic() + self.total, b""
        try:
            with self.http.stream(method, path, content=body, headers=headers) as response:
                for part in response.iter_bytes():
                    content += part
                    if len(content) > LARGEST_BODY:
                        raise Rejected("too_large", "more than 8 MiB")
                    if time.monotonic() > until:
                        raise Rejected("timeout", "the response came too slowly", retryable=True)
        except httpx.ConnectTimeout:
            raise Rejected("timeout", "no connection in time", sent=False, retryable=True) from None
        except httpx.ConnectError as error:
            is_tls = isinstance(error.__context__.__context__ if error.__context__ else None, ssl.SSLError) or "SSL" in str(error)
            raise Rejected("tls" if is_tls else "offline", str(error), sent=False, retryable=not is_tls) from None
        except httpx.TimeoutException as error:
            raise Rejected("timeout", type(error).__name__, retryable=True) from None
        except (httpx.DecodingError, httpx.LocalProtocolError) as error:
            raise Rejected("decode", type(error).__name__) from None
        except httpx.RemoteProtocolError as error:
            is_gone = "disconnected" in str(error) or "closed" in str(error)
            raise Rejected("offline" if is_gone else "decode", str(error), retryable=is_gone) from None
        except httpx.TransportError as error:
            raise Rejected("offline", type(error).__name__, retryable=True) from None
        if time.monotonic() > until:
            raise Rejected("timeout", "the response came too late", retryable=True)
        if response.status_code not in (200, 201):
            raise rejection(response, content)
        with self.lock:
            self.left = min(20, self.left + 1)
        return whole_json(response, content)

    def patiently(self, send):
        """Repeats the sending of a read, within the budget of all requests together."""
        def attempt():
            try:
                return send()
            except Rejected as failure:
                with self.lock:
                    failure.retryable = failure.retryable and self.left > 0
                    self.left -= failure.retryable
                raise
        return retried(3, self.pause)(attempt)

    # -- signing in ----------------------------------------------------------------------------------------------------

    def login(self, user, password):
        with self.lock:
            self.turn += 1
            turn = self.turn
            if user != self.user:
                self.user = self.tokens = None
        try:
            form = {"grant_type": "password", "username": user, "password": password}
            tokens = self.granted(form)
        except Failure:
            with self.lock:
                if turn == self.turn:
                    self.tokens = None
            raise
        with self.lock:
            if turn != self.turn:
                raise Failure("cancelled", "somebody signed in or out meanwhile")
            self.user, self.tokens = user, tokens

    def granted(self, form):
        body = str(httpx.QueryParams(form)).encode()
        found = self.once("POST", "/oauth/token", body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
        access, refresh = found.get("access_token"), found.get("refresh_token")
        if not isinstance(access, str) or not access or refresh is not None and not (isinstance(refresh, str) and refresh):
            raise Rejected("decode", "no token in the response")
        return {"access": access, "refresh": refresh or form.get("refresh_token")}

    def logout(self):
        with self.lock:
            tokens, self.tokens, self.user = self.tokens, None, None
            self.turn += 1
        if tokens and tokens["refresh"]:
            self.revoke(tokens["refresh"])

    def revoke(self, refresh):
        try:
            body = str(httpx.QueryParams({"token": refresh})).encode()
            self.once("POST", "/oauth/revoke", body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
        except Failure:
            pass  # the tokens are gone here, whatever the bank answers

    def current(self, user):
        with self.lock:
            if not self.tokens or user is None or self.user != user:
                raise Failure("unauthorized", "not signed in", sent=False)
            return self.tokens

    def renewed(self, rejected, user):
        """Tokens other than the rejected ones. One refresh serves all who ask at once."""
        with self.renewing:
            tokens = self.current(user)
            if tokens is not rejected:
                return tokens
            try:
                if not tokens["refresh"]:
                    raise Rejected("unauthorized", "nothing to renew with")
                new = self.granted({"grant_type": "refresh_token", "refresh_token": tokens["refresh"]})
            except Rejected as failure:
                if failure.name in ("unauthorized", "rejected"):
                    self.forget(tokens)
                    raise Failure("unauthorized", "the bank rejects the refresh token", sent=False) from None
                failure.sent = False  # the request that needs the token was not carried out
                raise
            with self.lock:
                is_current = self.tokens is tokens
                if is_current:
                    self.tokens = new
            if not is_current and new["refresh"]:
                self.revoke(new["refresh"])
            return self.current(user)

    def forget(self, tokens):
        with self.lock:
            if self.tokens is tokens:
                self.tokens, self.prompts = None, self.prompts + 1

    def authorised(self, user, method, path, body=None, headers=None):
        """Sends with the token, and once more with a new one if the bank rejects it."""
        tokens = self.current(user)
        try:
            return self.once(method, path, tokens["access"], body, headers)
        except Rejected as failure:
            if failure.name != "unauthorized":
                raise
        tokens = self.renewed(tokens, user)
        try:
            return self.once(method, path, tokens["access"], body, headers)
        except Rejected as failure:
            if failure.name == "unauthorized":
                self.forget(tokens)
            raise

    def get(self, path, **query):
        user = self.user
        path = path + ("?" + str(httpx.QueryParams(query)) if query else "")
        found = self.patiently(lambda: self.authorised(user, "GET", path))
        self.current(user)  # what comes late is not shown to the next customer
        return found

    # -- reading -------------------------------------------------------------------------------------------------------

    def accounts(self):
        def row(account):
            shown = {name: text(account[name]) for name in ("id", "name", "currency")}
            if account.get("balance") is not None:
                shown["balance"] = money(account["balance"])
            return shown
        return rows(self.get("/v1/accounts"), "accounts", row)

    def balance(self, account):
        found = self.get("/v1/accounts/" + quote(account, ""))
        try:
            return money(found["balance"]), found["balance"]["currency"]
        except (KeyError, TypeError, ValueError):
            raise Failure("decode", "no balance in the response") from None

    def transactions(self, account, period):
        path = "/v1/accounts/%s/transactions" % quote(account, "")
        for last in (False, True):
            found, seen, cursor = [], set(), {}
            try:
                while len(seen) < 1000:
                    page = self.get(path, **period, **cursor)
                    found += rows(page, "transactions", lambda row: row)
                    following = page.get("next_cursor")
                    if following is None:
                        return self.shown(found)
                    if not isinstance(following, str) or not following or following in seen:
                        raise Failure("decode", "a cursor that leads nowhere")
                    seen.add(following)
                    cursor = {"cursor": following}
                raise Failure("too_large", "more than 1,000 pages")
            except Rejected as failure:
                if failure.problem != "cursor-expired" or not cursor or last:
                    raise

    def shown(self, found):
        """The rows to show: the newest of each id, the latest day first, pending before booked, without what a booked row replaces."""
        def read(row):
            at = instant(row["booked_at"])
            amount = money(row["amount"])
            sign = {"credit": "", "debit": "-"}[row["direction"]] if amount.strip("0.") else ""
            note = row.get("description")
            view = {"id": text(row["id"]), "date": day(row["booked_at"], self.zone), "description": "" if note is None else text(note),
                    "amount": sign + amount, "currency": row["amount"]["currency"]}
            if row.get("status") in ("pending", "booked"):
                view["pending"] = row["status"] == "pending"
            return at, view, row.get("replaces")
        read_rows = rows({"found": found}, "found", read)
        newest = {}
        for place, (at, view, _) in enumerate(read_rows):
            if view["id"] not in newest or at >= newest[view["id"]][0]:
                newest[view["id"]] = (at, place, view)
        replaced = {replaces for _, _, replaces in read_rows}
        kept = [each for each in newest.values() if not (each[2].get("pending") and each[2]["id"] in replaced)]
        kept.sort(key=lambda each: each[1])
        kept.sort(key=lambda each: each[0], reverse=True)
        return [view for _, _, view in kept]

    # -- paying --------------------------------------------------------------------------------------------------------

    def pay(self, intent, order):
        with self.lock:
            user = self.user
            turn = self.paying.setdefault((user, intent), threading.Lock())
        with turn:
            entry = self.payments.get((user, intent))
            if entry and entry["order"] != order:
                if entry["open"] or entry["result"]:
                    raise Failure("outcome_unknown", "this payment is open with another amount")
                entry = None  # rejected, and now corrected: another payment
            if not entry:
                body = {"from": order["from"], "to": order["to"], "amount": {"amount": order["amount"], "currency": order["currency"]}}
                entry = {"order": order, "key": str(uuid.uuid4()), "body": json.dumps(body).encode(), "open": False, "result": None,
                        "rejected": None}
                self.current(user)
                self.payments[user, intent] = entry
            return self.settle(user, entry)

    def resume(self, intent):
        with self.lock:
            user = self.user
            self.current(user)
            turn = self.paying.setdefault((user, intent), threading.Lock())
        with turn:
            entry = self.payments.get((user, intent))
            if not entry:
                raise Failure("nothing_to_do", "no such payment")
            return self.settle(user, entry)

    def settle(self, user, entry):
        """Sends the payment under its key until there is a final answer."""
        if entry["result"]:
            return entry["result"]
        if entry["rejected"]:
            raise Failure("rejected", entry["rejected"])
        headers = {"Content-Type": "application/json", "Idempotency-Key": entry["key"]}

        def attempt():
            was_open = entry["open"]
            try:
                found = self.authorised(user, "POST", "/v1/payments", entry["body"], headers)
                state = found.get("state")
                if state == "rejected":
                    raise Rejected("rejected", "the bank rejected the payment", problem="rejected")
                if state not in ("accepted", "settled") or not isinstance(found.get("id"), str):
                    raise Rejected("decode", "no payment in the response")
                entry.update(open=False, result={"payment": found["id"], "state": state})
                return entry["result"]
            except Failure as failure:
                raise self.unpaid(entry, failure, was_open)

        try:
            return retried(3, self.pause)(lambda: self.counted(attempt))
        except Failure as failure:
            if entry["open"]:
                raise Failure("outcome_unknown", failure.detail) from None
            raise

    def counted(self, attempt):
        try:
            return attempt()
        except Rejected as failure:
            with self.lock:
                failure.retryable = failure.retryable and self.left > 0
                self.left -= failure.retryable
            raise

    @staticmethod
    def unpaid(entry, failure, was_open):
        """The meaning of a failure for the money: rejected for good, untouched, or open."""
        problem = getattr(failure, "problem", None)
        if failure.name == "conflict":
            failure.retryable = problem in (None, "key-in-flight")
        final = failure.name in ("rejected", "not_found") or failure.name == "conflict" and not failure.retryable
        if final and (not was_open or problem not in (None, "key-mismatch")):
            entry.update(open=False, rejected=failure.detail)
            return Rejected("rejected", failure.detail)
        untouched = not failure.sent or failure.name in ("unauthorized", "forbidden", "consent_expired", "rate_limited")
        entry["open"] = was_open or not untouched
        if failure.name == "decode":
            failure.retryable = True  # under its key the bank may say it better
        return failure


def rejection(response, content):
    """The meaning of a status other than success."""
    try:
        body = whole_json(response, content)
    except Failure:
        body = {}
    kind = body.get("type")
    problem = kind.rsplit(":", 1)[-1] if isinstance(kind, str) and kind.startswith("urn:") else body.get("error")
    problem = problem if isinstance(problem, str) else None
    said = next((body[name] for name in ("detail", "title", "error_description") if isinstance(body.get(name), str)), problem)
    status, wait = response.status_code, retry_after(response)
    detail = "status %d%s" % (status, ": " + said if said else "")
    if status == 401 or problem in TOKEN_PROBLEMS or problem in ("invalid_token", "invalid_grant"):
        return Rejected("unauthorized", detail, problem=problem)
    if problem == "consent-expired":
        return Rejected("consent_expired", detail, problem=problem)
    if status == 429:
        return Rejected("rate_limited", detail, retryable=True, wait=wait, problem=problem)
    if status >= 500:
        return Rejected("unavailable", detail, retryable=True, wait=wait, problem=problem)
    name = {403: "forbidden", 404: "not_found", 409: "conflict", 410: "not_found"}.get(status, "rejected" if status >= 400 else "decode")
    return Rejected(name, detail, problem=problem)


def retry_after(response):
    """Seconds, from a number or a date by the bank's own clock; None without one that can be read."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        until = email.utils.parsedate_to_datetime(text).astimezone(timezone.utc)
        now = email.utils.parsedate_to_datetime(response.headers.get("Date") or email.utils.formatdate(usegmt=True)).astimezone(timezone.utc)
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def whole_json(response, content):
    """An object, exactly: no number becomes a float, no name comes twice."""
    kind = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise Rejected("decode", "the body is %s, not JSON" % (kind or "of no type"))

    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a name comes twice")
        return dict(pairs)

    def never(word):
        raise ValueError("%s is not JSON" % word)

    try:
        found = json.loads(content.decode(), parse_float=str, parse_constant=never, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Rejected("decode", "not JSON: %s" % type(error).__name__) from None
    if not isinstance(found, dict):
        raise Rejected("decode", "not an object")
    return found


def rows(found, name, read):
    """The rows of a list that can be read; if there are rows and none can be read, that is an error."""
    if not isinstance(found.get(name), list):
        raise Failure("decode", "found no list %s" % name)
    readable = []
    for row in found[name]:
        try:
            readable.append(read(row))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue
    if found[name] and not readable:
        raise Failure("decode", "no row of %s can be read" % name)
    return readable


def text(value):
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def money(amount):
    return major(minor(amount["amount"], amount["currency"]), amount["currency"])


driver = Driver("httpx-client 1.0", ["counterfoil"], ["together", "parallel", "refresh", "ca"], Bank)


@driver.operation
def login(bank, step):
    bank.login(step["user"], step["password"])
    return {"signed_in": True}


@driver.operation
def logout(bank, step):
    bank.logout()
    return {"signed_in": False}


@driver.operation
def status(bank, step):
    return {"signed_in": bank.tokens is not None, "prompts": bank.prompts}


@driver.operation
def accounts(bank, step):
    return {"accounts": bank.accounts()}


@driver.operation
def balance(bank, step):
    amount, currency = bank.balance(step["account"])
    return {"balance": amount, "currency": currency}


@driver.operation
def transactions(bank, step):
    return {"transactions": bank.transactions(step["account"], {name: step[name] for name in ("from", "to") if name in step}), "complete": True}


@driver.operation
def pay(bank, step):
    return bank.pay(step["intent"], {name: step[name] for name in ("from", "to", "amount", "currency")})


@driver.operation
def resume(bank, step):
    return bank.resume(step["intent"])


driver.run()
