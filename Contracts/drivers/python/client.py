"""The client under test: signs in, reads, and pays each payment order once, whatever the network does.

Replace this part with your own client. `Habits` sets how this one behaves where several ways conform.

Everything has an owner: tokens belong to the customer who signed in, and so does each payment order. Several customers may use one
device, one after the other, so every request asks whose token it carries, and no payment order is looked up without its customer.
"""

import json
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Callable

from banks import PENDING
from errors import Failure
from signin import SignIn
from store import Payments, Store
from waits import retry_after
from wire import Wire


@dataclass
class Habits:
    attempts: int = 3  # how often one request is sent at most; 1: never again
    retries: int = 20  # of all requests together while the bank fails; each success gives one back
    longest_wait: float = 4.0  # seconds; after a longer Retry-After the client gives up
    refresh_ahead: float = 0.0  # seconds before the end of a token at which it is refreshed unasked
    quoted_key: bool = True
    new_key: Callable[[], str] = field(default=lambda: str(uuid.uuid4()))
    keep_connections: bool = True
    extra_headers: dict = field(default_factory=dict)


class Budget:
    """The retries of all requests together while the bank fails: in an outage each request is soon sent once."""

    def __init__(self, most):
        self.most = self.left = most
        self.lock = threading.Lock()

    def spend(self):
        """Whether one more retry may be made."""
        with self.lock:
            if self.left == 0:
                return False
            self.left -= 1
            return True

    def earn(self):
        with self.lock:
            self.left = min(self.most, self.left + 1)


class Client(SignIn):
    """The client of one bank on one device, for the customer who is signed in. Safe to use from several threads."""

    def __init__(self, bank, case, habits):
        limits = case.get("timeouts", {})
        super().__init__(bank, Store(case["state_dir"], bank.name), habits, case["base_url"])  # what one bank gave, no other gets
        self.payments = Payments(case["state_dir"], bank.name + ".payments")
        self.wire = Wire(
            case["base_url"], case.get("ca_file"), limits.get("connect_ms", 5000) / 1000, limits.get("total_ms", 10000) / 1000,
            habits.keep_connections, habits.extra_headers)
        self.intents, self.intents_lock = {}, threading.Lock()
        self.budget = Budget(habits.retries)

    # -- requests ------------------------------------------------------------------------------------------------------

    def get(self, path, open_to_all=False):
        """The JSON of a read, which may be sent again without harm."""
        answer = self._send("GET", path, {}, None, not open_to_all)
        if not open_to_all:
            self._check_customer()  # what comes late is not shown to the next customer
        return answer

    def _send(self, method, path, headers, body, authorised=False):
        began = 0
        while True:
            began += 1
            try:
                send = self._send_authorised if authorised else self._send_once
                return send(method, path, headers, body)
            except Failure as failure:
                pause = self._pause(failure, began)
                if pause is None:
                    raise
            time.sleep(pause)

    def _send_authorised(self, method, path, headers, body):
        """Sends once with the token, and once more if that was no longer good: never a third time."""
        token = self._token()
        try:
            return self._send_once(method, path, {**headers, "Authorization": "Bearer " + token}, body)
        except Failure as failure:
            if failure.name != "unauthorized":
                raise
        token = self._renewed(token)
        try:
            return self._send_once(method, path, {**headers, "Authorization": "Bearer " + token}, body)
        except Failure as failure:
            if failure.name == "unauthorized":
                with self.store.lock:
                    tokens = self.store.get("tokens")
                    if tokens and tokens["access"] == token:
                        self._forget(tokens)
            raise

    def _send_once(self, method, path, headers, body):
        response = self.wire.exchange(method, path, {"Accept": "application/json", **headers}, body)
        if response.status not in (200, 201):
            raise self._refusal(response)
        self.budget.earn()
        try:
            return response.json()
        except ValueError as error:
            if path == self.bank.logout_path:
                return None
            raise Failure("decode", str(error)) from None

    def _refusal(self, response):
        """The meaning of a status other than success."""
        try:
            body = response.json()
        except ValueError:
            body = None
        problem = self.bank.problem(body) if isinstance(body, dict) else None
        wait = retry_after(response)
        said = self.bank.said(body) if isinstance(body, dict) else None
        detail = "status %d%s" % (response.status, ": " + (said or problem) if said or problem else "")
        if response.status == 401 or problem in self.bank.token_problems:
            return Failure("unauthorized", detail, problem=problem)
        if problem == self.bank.consent_problem:
            return Failure("consent_expired", detail, problem=problem)
        by_status = {403: "forbidden", 404: "not_found", 410: "not_found", 409: "conflict"}
        if response.status == 429:
            return Failure("rate_limited", detail, retryable=True, retry_after=wait, problem=problem)
        if response.status >= 500:
            return Failure("unavailable", detail, retryable=response.status < 600, retry_after=wait, problem=problem)
        if response.status >= 400:
            return Failure(by_status.get(response.status, "rejected"), detail, problem=problem)
        return Failure("decode", "an unexpected " + detail)

    def _pause(self, failure, attempts):
        """How many seconds to wait before the next attempt; None if there should be none."""
        if not failure.retryable or attempts >= self.habits.attempts:
            return None
        own = 0.2 * 2 ** (attempts - 1) * (0.5 + random.random() / 2)  # grows, and no two clients come back together
        if failure.retry_after is not None and failure.retry_after > self.habits.longest_wait:
            return None
        if not self.budget.spend():
            return None
        if failure.retry_after is None:
            return own
        return max(own, failure.retry_after + 0.05)

    # -- paying --------------------------------------------------------------------------------------------------------

    def pay(self, intent, order):
        """Pays a payment order. Asked again for the same payment order it goes on with the same key and bytes, until there is a final answer."""
        quote = self.payments.get(self._name(intent) + "quote")
        if quote:
            order = {**order, "quote": quote}
        with self._one_at_a_time(intent):
            return self._settle(intent, self._begun(intent, order))

    def _begun(self, intent, order):
        """The payment order with its key, on disk when this returns: another process of the app that is asked for it finds it."""
        with self.payments.lock:
            entry = self._entry(intent)
            if entry and entry["order"] != order:
                if entry["state"] == "done" or (entry["state"] == "open" and entry["sent"]):
                    raise Failure("outcome_unknown", "this payment order is open with another amount", sent=True)
                entry = None  # rejected for good or never carried out, and now corrected: another payment
            if not entry:
                try:
                    method, path, headers, body = self.bank.pay_call(self.habits.new_key(), order, self.habits.quoted_key)
                except ValueError as error:
                    raise Failure("rejected", "no payment: %s" % error, sent=False) from None
                entry = {"order": order, "state": "open", "sent": False, "method": method, "path": path, "headers": headers,
                        "body": body}
                self._keep(intent, entry)
            return entry

    def quote(self, intent, amount, currency, target):
        """Shows the rate of a payment. The payment names this quote until another is shown; on disk, so that it does after a restart too."""
        quote, shown = self.bank.quote(self._send(*self.bank.quote_call(amount, currency, target), authorised=True))
        self._check_customer()
        self.payments.change(**{self._name(intent) + "quote": quote})
        return shown

    def resume(self, intent):
        with self._one_at_a_time(intent):
            entry = self._entry(intent)
            if not entry:
                raise Failure("nothing_to_do", "no such payment order", sent=False)
            return self._settle(intent, entry)

    def payment_status(self, intent, until_ended=False):
        """How a payment stands that the bank has accepted. It is not sent again, whatever the answer is."""
        entry = self._entry(intent)
        if not entry:
            raise Failure("nothing_to_do", "no such payment order", sent=False)
        if entry["state"] == "rejected":
            raise Failure("rejected", "the bank has rejected this payment")
        payment = entry.get("result", {}).get("payment")
        if not payment:
            raise Failure("outcome_unknown", "the bank has not confirmed this payment")
        for pause in (0.25, 0.5, 1.0):
            shown = self.bank.payment_status(self, payment)
            if shown["state"] not in PENDING or not until_ended:
                return shown
            time.sleep(pause)
        return self.bank.payment_status(self, payment)

    def _name(self, intent):
        """The name of a payment order in the store of this bank: an intent alone is not unique: two customers may use the same."""
        return json.dumps(["wish", self.customer, intent])

    def _entry(self, intent):
        self._check_customer()
        return self.payments.get(self._name(intent))

    def _keep(self, intent, entry):
        """Writes the payment order down, before it is sent. It is on disk when this returns; a failure means that nothing is sent."""
        self.payments.change(**{self._name(intent): entry})

    def _learn(self, intent, entry):
        """Writes down what came of the payment order, which is so whether it can be stored or not. A finished payment order is stored without its body."""
        finished = entry["state"] != "open"
        kept = {name: entry[name] for name in entry if not finished or name in ("order", "state", "sent", "result")}
        self.payments.remember(**{self._name(intent): kept})

    def bytes_to_send(self, entry):
        return entry["body"].encode()

    def _settle(self, intent, entry):
        if entry["state"] == "done":
            return entry["result"]
        if entry["state"] == "rejected":
            raise Failure("rejected", "the bank has rejected this payment")
        attempts = 0
        while True:
            attempts += 1
            first = not entry["sent"]
            if first:
                self.before_sending(entry)
            elif self.has_arrived(entry):
                return self._done(intent, entry, {"state": "accepted"})
            if first:
                self._keep(intent, {**entry, "sent": True})  # before the first byte leaves
            try:
                answer = self._send_authorised(entry["method"], entry["path"], entry["headers"], self.bytes_to_send(entry))
                result = self.bank.paid(answer)
                return self._done(intent, entry, result)
            except Failure as failure:
                reported = self._unpaid(intent, entry, failure, first)
                pause = self._pause(failure, attempts) if entry["state"] == "open" else None
                if pause is None:
                    raise reported from None
            time.sleep(pause)

    def _done(self, intent, entry, result):
        self._learn(intent, {**entry, "sent": True, "state": "done", "result": result})
        return result

    def _unpaid(self, intent, entry, failure, first):
        """Stores the effect of a failure on the payment, and returns the error to show to the user.

        Rejected: a final no. Not sent: no byte left, or the bank looked at it no further than the token or the rate.
        All else may have been paid.
        """
        if failure.name == "conflict":  # the key is in flight: the first attempt may yet pay
            failure.retryable = failure.problem in (None, self.bank.in_flight_problem)
        final = failure.name in ("rejected", "not_found") or (failure.name == "conflict" and not failure.retryable)
        if final and (first or failure.problem not in (None, self.bank.mismatch_problem)):
            entry["state"] = "rejected"
            self._learn(intent, {**entry, "sent": True})
            return Failure("rejected", failure.detail)
        untouched = not failure.sent or failure.name in ("unauthorized", "forbidden", "consent_expired", "rate_limited")
        entry["sent"] = not (first and untouched)
        self._learn(intent, entry)
        if failure.name == "decode":
            failure.retryable = True  # asked again under its key the bank may report it better
        return Failure("outcome_unknown", failure.detail) if entry["sent"] else failure

    def before_sending(self, entry):
        """A client that looks before it sends again may note here what it will compare; this one need not look."""

    def has_arrived(self, entry):
        """Whether a payment that may have been paid is known to be. False: it is sent again, under its key."""
        return False

    def _one_at_a_time(self, intent):
        """Two taps on one button are one payment order: the second waits for the first and gets its result."""
        with self.intents_lock:
            return self.intents.setdefault(self._name(intent), threading.Lock())
