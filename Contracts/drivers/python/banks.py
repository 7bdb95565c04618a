"""The differences between the banks: addresses, shapes and words. One class a bank."""

import json
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

import values
from errors import Failure

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
MOST_PAGES = 200
PENDING = ("accepted", "pending-authorisation")  # the second waits for another person; neither is paid yet, nor has failed


def _needed(read):
    """The result of `read`; a `decode` failure where the answer is not what was agreed."""
    try:
        return read()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure("decode", "%s: %s" % (type(error).__name__, error)) from None


def _first_text(*candidates):
    return next((text for text in candidates if isinstance(text, str) and text), None)


def _newest_first(found):
    """One row of each id, the latest first. Each row carries its instant under `at`, which is not shown."""
    kept = {}
    for place, row in enumerate(found):
        if row["id"] not in kept or row["at"] >= kept[row["id"]][1]["at"]:
            kept[row["id"]] = (place, row)
    return [row for _, row in sorted(kept.values(), key=lambda each: (-each[1]["at"].timestamp(), each[0]))]


class Counterfoil:
    """The model bank: OAuth tokens, pages with a cursor, `Idempotency-Key`, problems of RFC 9457."""

    name = "counterfoil"
    operations = [
        "login", "authorize_begin", "authorize_finish", "logout", "status", "accounts", "balance", "transactions", "atms", "goals", "pay",
        "resume", "payment_status", "events", "quote"]
    has_login = True
    page_path, logout_path = "/oauth/authorize", "/oauth/revoke"
    token_problems = ("token-rejected", "token-expired", "invalid_token", "invalid_grant")
    consent_problem, in_flight_problem, mismatch_problem = "consent-expired", "key-in-flight", "key-mismatch"

    def __init__(self, time_zone):
        self.zone = ZoneInfo(time_zone)

    @staticmethod
    def problem(body):
        kind = body.get("type") if isinstance(body.get("type"), str) else ""
        word = kind.rsplit(":", 1)[-1] if kind.startswith("urn:") else body.get("error")
        return word if isinstance(word, str) else None

    @staticmethod
    def said(body):
        """The bank's message for the user."""
        return _first_text(body.get("detail"), body.get("title"), body.get("error_description"))

    def login_call(self, user, password):
        return "POST", "/oauth/token", FORM, urlencode({"grant_type": "password", "username": user, "password": password}).encode()

    def code_call(self, code, page, verifier):
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": page.REDIRECT, "client_id": page.CLIENT, "code_verifier": verifier}
        return "POST", "/oauth/token", FORM, urlencode(form).encode()

    def refresh_call(self, token):
        return "POST", "/oauth/token", FORM, urlencode({"grant_type": "refresh_token", "refresh_token": token}).encode()

    def logout_call(self, token):
        return "POST", self.logout_path, FORM, urlencode({"token": token}).encode()

    @staticmethod
    def tokens(answer):
        def read():
            access, refresh = values.text(answer["access_token"]), answer.get("refresh_token")
            if not access or refresh is not None and not values.text(refresh):
                raise ValueError("an empty token")
            return {"access": access, "refresh": refresh, "seconds": float(answer.get("expires_in", 0))}
        return _needed(read)

    def accounts(self, client):
        def row(account):
            shown = {"id": values.text(account["id"]), "name": values.text(account["name"]), "currency": values.text(account["currency"])}
            if account.get("balance") is not None:
                shown["balance"] = self._money(account["balance"])
            return shown
        return {"accounts": values.rows(client.get("/v1/accounts"), "accounts", row)}

    def balance(self, client, account):
        found = client.get("/v1/accounts/" + quote(account, ""))
        def read():
            shown = {"balance": self._money(found["balance"]), "currency": found["balance"]["currency"]}
            if found.get("available") is not None:
                shown["available"] = self._money(found["available"])
            return shown
        return _needed(read)

    def transactions(self, client, account, period):
        found, whole = self._all_pages(client, account, period)
        read = values.rows({"transactions": found}, "transactions", self._transaction)
        known = self._known_atms(client) if any(row["atm"] for row in read) else set()
        replaced = {row["replaces"] for row in read}
        shown = []
        for row in _newest_first(read):
            if row["pending"] and row["id"] in replaced:
                continue
            view = {name: row[name] for name in ("id", "date", "description", "amount", "currency")}
            if row["pending"] is not None:
                view["pending"] = row["pending"]
            if row["atm"] in known:
                view["atm"] = row["atm"]
            shown.append(view)
        return {"transactions": shown, "complete": whole}

    def payment_status(self, client, payment):
        state = client.get("/v1/payments/" + quote(payment, "")).get("state")
        if state not in PENDING + ("settled", "rejected", "returned", "cancelled"):
            raise Failure("outcome_unknown", "an unknown state of the payment")
        return {"payment": payment, "state": state}

    @staticmethod
    def quote_call(amount, currency, target):
        return "POST", "/v1/quotes", JSON, json.dumps({"amount": {"amount": amount, "currency": currency}, "target": target})

    @staticmethod
    def quote(answer):
        """The bank's id of a quote, and the quote as it is shown."""
        return _needed(lambda: (values.text(answer["id"]), {"rate": values.text(answer["rate"]), "expires_at": values.text(answer["expires_at"])}))

    def _transaction(self, row):
        at = values.instant(row["booked_at"])
        sign = {"credit": "", "debit": "-"}[row["direction"]]
        amount = self._money(row["amount"])
        return {
            "id": values.text(row["id"]), "at": at, "date": at.astimezone(self.zone).date().isoformat(),
            "description": values.text(row["description"]) if row.get("description") is not None else "", "amount": sign + amount if amount.strip("0.") else amount,
            "currency": row["amount"]["currency"], "pending": {"pending": True, "booked": False}.get(row.get("status")),
            "atm": row.get("atm_id"), "replaces": row.get("replaces")}

    def _all_pages(self, client, account, period):
        """Every row, and whether that is all of them. A cursor that has expired means to begin again, once."""
        for last_try in (False, True):
            found, cursors, cursor = [], set(), None
            try:
                while len(cursors) < MOST_PAGES:
                    query = {name: value for name, value in {**period, "cursor": cursor}.items() if value}
                    page = client.get("/v1/accounts/%s/transactions?%s" % (quote(account, ""), urlencode(query)))
                    found += values.rows(page, "transactions", lambda row: row)
                    cursor = page.get("next_cursor")
                    if cursor is None:
                        return found, True
                    if not isinstance(cursor, str) or not cursor or cursor in cursors:
                        raise Failure("decode", "a cursor that leads nowhere")
                    cursors.add(cursor)
                return found, False
            except Failure as failure:
                if failure.problem != "cursor-expired" or cursor is None or last_try:
                    raise

    def _known_atms(self, client):
        try:
            return {atm["id"] for atm in self.atms(client)["atms"]}
        except Failure:
            return set()  # rows without links are better than no rows

    def atms(self, client):
        def row(atm):
            place = atm["location"]
            return {"id": values.text(atm["id"]), "name": values.text(atm["name"]), "lat": _degrees(place["lat"]), "lng": _degrees(place["lng"])}
        return {"atms": values.rows(client.get("/v1/atms", open_to_all=True), "atms", row)}

    def goals(self, client, account):
        def row(goal):
            return {"id": values.text(goal["id"]), "name": values.text(goal["name"]), "saved": self._money(goal["saved"]),
                    "currency": goal["saved"]["currency"]}
        return {"goals": values.rows(client.get("/v1/accounts/%s/goals" % quote(account, "")), "goals", row)}

    @staticmethod
    def _money(money):
        return values.major(values.minor(money["amount"], money["currency"]), money["currency"])

    def pay_call(self, key, order, quoted):
        body = {"from": order["from"], "to": order["to"], "amount": {"amount": order["amount"], "currency": order["currency"]}}
        if order.get("quote"):
            body["quote"] = order["quote"]
        return "POST", "/v1/payments", {**JSON, "Idempotency-Key": '"%s"' % key if quoted else key}, json.dumps(body)

    @staticmethod
    def paid(answer):
        state = answer.get("state") if isinstance(answer, dict) else None
        if state == "rejected":
            raise Failure("rejected", "the bank rejected the payment", problem="rejected")
        if state not in PENDING + ("settled",) or not isinstance(answer.get("id"), str):
            raise Failure("decode", "no payment in the response")
        return {"payment": answer["id"], "state": state}



class Roundup:
    """Starling's shapes: minor units, the sign in `direction`, the key in the path; a rejected token is a 403."""

    name = "roundup"
    operations = ["login", "status", "accounts", "balance", "transactions", "goals", "pay", "resume"]
    has_login = False
    logout_path = None
    token_problems = ("invalid_token",)
    consent_problem, in_flight_problem, mismatch_problem = "consent_expired", "TRANSFER_IN_PROGRESS", "TRANSFER_UID_ALREADY_USED"

    def __init__(self, time_zone):
        self.zone = ZoneInfo(time_zone)

    @staticmethod
    def problem(body):
        if isinstance(body.get("error"), str):
            return body["error"]
        try:
            return values.text(body["errors"][0]["message"])
        except (LookupError, TypeError, ValueError):
            return None

    def said(self, body):
        return _first_text(body.get("error_description"), self.problem(body))

    def accounts(self, client):
        def row(account):
            return {"id": values.text(account["accountUid"]), "name": values.text(account["name"]), "currency": values.text(account["currency"])}
        return {"accounts": values.rows(client.get("/api/v2/accounts"), "accounts", row)}

    def balance(self, client, account):
        found = client.get("/api/v2/accounts/%s/balance" % quote(account, ""))
        def read():
            shown = {"balance": self._money(found["clearedBalance"]), "currency": found["clearedBalance"]["currency"]}
            if found.get("effectiveBalance") is not None:
                shown["available"] = self._money(found["effectiveBalance"])
            return shown
        return _needed(read)

    def transactions(self, client, account, period):
        query = urlencode({"minTransactionTimestamp": period["from"], "maxTransactionTimestamp": period["to"]})
        answer = client.get("/api/v2/feed/account/%s/settled-transactions-between?%s" % (quote(account, ""), query))
        found = _newest_first(values.rows(answer, "feedItems", self._item))
        return {"transactions": [{name: row[name] for name in row if name != "at"} for row in found]}

    def _item(self, item):
        at = values.instant(item["transactionTime"])
        sign = {"IN": "", "OUT": "-"}[item["direction"]]
        amount = self._money(item["amount"])
        return {
            "id": values.text(item["feedItemUid"]), "at": at, "date": at.astimezone(self.zone).date().isoformat(),
            "description": values.text(item.get("reference") or item.get("counterPartyName") or ""),
            "amount": sign + amount if amount.strip("0.") else amount, "currency": item["amount"]["currency"]}

    def goals(self, client, account):
        def row(goal):
            return {"id": values.text(goal["savingsGoalUid"]), "name": values.text(goal["name"]), "saved": self._money(goal["totalSaved"]),
                    "currency": goal["totalSaved"]["currency"]}
        return {"goals": values.rows(client.get("/api/v2/account/%s/spaces" % quote(account, "")), "savingsGoals", row)}

    @staticmethod
    def _money(money):
        return values.major(money["minorUnits"], money["currency"])

    def pay_call(self, key, order, quoted):
        path = "/api/v2/account/%s/savings-goals/%s/add-money/%s" % (quote(order["from"], ""), quote(order["to"], ""), key)
        amount = {"currency": order["currency"], "minorUnits": values.minor(order["amount"], order["currency"])}
        return "PUT", path, JSON, json.dumps({"amount": amount})

    @staticmethod
    def paid(answer):
        if not isinstance(answer, dict) or not isinstance(answer.get("success"), bool):
            raise Failure("decode", "no transfer in the response")
        if not answer["success"]:
            raise Failure("rejected", "the bank rejected it: success is false", problem="success-false")
        return {"payment": answer.get("transferUid"), "state": "accepted"}



def _degrees(value):
    """A number of degrees as text, as exact as it was sent (wire.py keeps the text of fractions)."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError("no number of degrees")
    return str(value)


ALL = {bank.name: bank for bank in (Counterfoil, Roundup)}
