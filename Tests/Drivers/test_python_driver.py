"""Owners of tokens, keys and data: the Python driver of Contracts/drivers with a bank that is a function.

    python3 -m unittest discover -s Tests/Drivers
"""

import json
import os
import sys
import tempfile
import unittest
from unittest import mock
from urllib.parse import parse_qs

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))

import driver
from client import Habits
from errors import Failure
from wire import Response

ORDER = {"from": "ava-gbp", "to": "payee-lark", "amount": "10.00", "currency": "GBP"}


def response(body, status=200):
    return Response(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


class Bank:
    """Answers as the bank `counterfoil` does, notes each request, and lets a test step in before the answer."""

    def __init__(self):
        self.requests, self.before, self.issued = [], {}, 0

    def exchange(self, method, path, headers, body=None):
        text = body.decode() if isinstance(body, bytes) else body or ""
        self.requests.append((path, headers.get("Authorization", ""), headers.get("Idempotency-Key"), text))
        answer = self.before.pop(path, lambda: None)()
        if answer:
            return answer
        if path == "/oauth/token":
            return self.tokens(parse_qs(text))
        if path == "/v1/accounts":
            return response({"accounts": [{"id": headers["Authorization"], "name": "Everyday", "currency": "GBP"}]})
        if path == "/v1/payments":
            return response({"id": "pay-1", "state": "accepted"}, 201)
        return response({})

    def tokens(self, form):
        owner = form["username"][0] if "username" in form else form["refresh_token"][0].split()[1]
        self.issued += 1
        token = "%s %d" % (owner, self.issued)
        return response({"access_token": "access " + token, "refresh_token": "refresh " + token, "expires_in": 900})

    def payments(self):
        return [(token.split()[2], key) for path, token, key, _ in self.requests if path == "/v1/payments"]

    def close(self):
        pass


def lost():
    raise Failure("offline", "the connection broke", retryable=True)


class PythonDriverTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bank = Bank()
        self.case = self.start()

    def rows(self, *rows):
        """The rows that the list of transactions shows, of these that the bank sends."""
        whole = {"booked_at": "2026-01-20T10:30:00Z", "status": "booked", "direction": "credit", "amount": {"amount": "1.00", "currency": "GBP"}}
        found = {"transactions": [{**whole, "id": str(number), **row} for number, row in enumerate(rows)]}
        self.bank.before["/v1/accounts/ava-gbp/transactions?"] = lambda: response(found)
        self.ask("login")
        return self.ask("transactions", account="ava-gbp")["transactions"]

    def start(self, bank="counterfoil", habits=None):
        """The restarted driver process, on the same folder."""
        message = {"base_url": "http://127.0.0.1:1", "state_dir": self.folder.name, "bank": bank,
                   "login": {"user": "ava", "password": "correct-horse"}}
        case = driver.Case(message, habits or Habits(attempts=1))
        case.client.wire = self.bank
        return case

    def ask(self, operation, **args):
        """The view, or the name of the error."""
        result = self.case.result(operation, args)
        return result["view"] if result["outcome"] == "ok" else result["error"]

    def on_disk(self):
        text = ""
        for name in os.listdir(self.folder.name):
            with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
                text += file.read()
        return text

    def test_an_open_payment_is_neither_sent_nor_seen_by_the_next_customer(self):
        self.bank.before["/v1/payments"] = lost
        self.ask("login")
        self.assertEqual(self.ask("pay", intent="A", **ORDER), "outcome_unknown")
        self.ask("logout")
        self.ask("login", user="ben")

        self.assertEqual(self.ask("resume", intent="A"), "nothing_to_do")
        self.assertEqual(self.ask("pay", intent="A", **ORDER), {"payment": "pay-1", "state": "accepted"})

        (ava, avas_key), (ben, bens_key) = self.bank.payments()
        self.assertEqual((ava, ben), ("ava", "ben"))
        self.assertNotEqual(avas_key, bens_key)

    def test_a_payment_that_waits_for_a_second_person_is_shown_and_not_sent_again(self):
        waiting = {"payment": "pay-1", "state": "pending-authorisation"}
        self.bank.before["/v1/payments"] = lambda: response({"id": "pay-1", "state": "pending-authorisation"}, 201)
        self.bank.before["/v1/payments/pay-1"] = lambda: response({"state": "pending-authorisation"})
        self.ask("login")

        self.assertEqual(self.ask("pay", intent="A", **ORDER), waiting)
        self.assertEqual(self.ask("payment_status", intent="A"), waiting)
        self.assertEqual(self.ask("pay", intent="A", **ORDER), waiting)

        self.assertEqual(len(self.bank.payments()), 1)

    def test_an_open_payment_is_finished_under_its_key_when_its_customer_is_back(self):
        self.bank.before["/v1/payments"] = lost
        self.ask("login")
        self.ask("pay", intent="A", **ORDER)
        self.ask("login", user="ben")
        self.bank.before["/v1/payments"] = lambda: response({"type": "urn:problem:not-your-account"}, 422)
        self.ask("pay", intent="A", **ORDER)
        self.case = self.start()
        self.ask("login", user="ava")

        self.assertEqual(self.ask("resume", intent="A"), {"payment": "pay-1", "state": "accepted"})

        self.assertEqual([name for name, _ in self.bank.payments()], ["ava", "ben", "ava"])
        self.assertEqual(self.bank.payments()[0], self.bank.payments()[2])

    def test_nobody_signed_in_sends_and_learns_nothing(self):
        self.bank.before["/v1/payments"] = lost
        self.ask("login")
        self.ask("pay", intent="A", **ORDER)
        self.ask("logout")

        self.assertEqual(self.ask("pay", intent="A", **ORDER), "unauthorized")
        self.assertEqual(self.ask("resume", intent="A"), "unauthorized")
        self.assertEqual(len(self.bank.payments()), 1)

    def test_a_retry_does_not_go_out_with_the_token_of_who_signed_in_meanwhile(self):
        self.case = self.start(habits=Habits(attempts=3))
        self.ask("login")
        self.bank.before["/v1/payments"] = lost

        with mock.patch("client.time.sleep", lambda seconds: self.ask("login", user="ben")):
            self.assertEqual(self.ask("pay", intent="A", **ORDER), "outcome_unknown")

        self.assertEqual([name for name, _ in self.bank.payments()], ["ava"])

    def test_an_answer_that_comes_after_another_has_signed_in_is_not_shown(self):
        self.ask("login")
        self.bank.before["/v1/accounts"] = lambda: self.ask("login", user="ben") and None

        self.assertEqual(self.ask("accounts"), "unauthorized")

    def test_a_refresh_that_ends_after_the_sign_out_signs_nobody_in(self):
        self.ask("login")
        self.bank.before["/v1/accounts"] = lambda: response({"type": "urn:problem:token-expired"}, 401)
        self.bank.before["/oauth/token"] = lambda: self.ask("logout") and None

        self.assertEqual(self.ask("accounts"), "unauthorized")
        self.assertEqual(self.ask("status")["signed_in"], False)
        self.assertEqual([path for path, token, _, _ in self.bank.requests if "ava 2" in token], [])
        self.assertIn("refresh+ava+2", self.bank.requests[-1][3])

    def test_a_sign_in_that_is_overtaken_does_not_come_back(self):
        self.bank.before["/oauth/token"] = lambda: self.ask("login", user="ben") and None

        self.assertEqual(self.ask("login"), "cancelled")
        self.assertEqual(self.ask("accounts")["accounts"][0]["id"].split()[2], "ben")

    def test_a_refused_sign_in_leaves_nobody_signed_in(self):
        self.ask("login")
        self.bank.before["/oauth/token"] = lambda: response({"error": "invalid_grant"}, 400)

        self.assertEqual(self.ask("login", user="ben"), "unauthorized")

        self.assertEqual(self.ask("status")["signed_in"], False)
        self.assertEqual(self.ask("accounts"), "unauthorized")

    def test_a_sign_in_that_fails_in_any_way_leaves_nobody_signed_in(self):
        for name in ("ava", "ben"):
            for failing in (lambda: response({}, 503), lost):
                self.ask("login")
                self.bank.before["/oauth/token"] = failing

                self.assertIn(self.ask("login", user=name), ("unavailable", "offline"))

                self.assertEqual(self.ask("status")["signed_in"], False)

    def test_a_refresh_without_a_new_refresh_token_keeps_the_old_one(self):
        self.ask("login")
        for number in (1, 2):
            self.bank.before["/v1/accounts"] = lambda: response({"type": "urn:problem:token-expired"}, 401)
            self.bank.before["/oauth/token"] = lambda: response({"access_token": "access ava %d0" % number, "expires_in": 900})

            self.assertEqual(self.ask("accounts")["accounts"][0]["id"], "Bearer access ava %d0" % number)

        self.assertIn("refresh+ava+1", self.bank.requests[-2][3])

    def test_a_row_without_a_description_is_shown_without_it(self):
        rows = self.rows({"description": None}, {}, {"description": 7}, {"description": "Tea"})

        self.assertEqual([(row["id"], row["description"]) for row in rows], [("0", ""), ("1", ""), ("3", "Tea")])

    def test_signing_out_leaves_no_token_on_the_disk(self):
        self.ask("login")
        self.assertIn("access ava", self.on_disk())

        self.ask("logout")

        self.assertNotIn("access ava", self.on_disk())
        self.assertNotIn("refresh ava", self.on_disk())

    def test_one_bank_gets_nothing_of_another(self):
        self.ask("login")
        self.bank.before["/v1/payments"] = lost
        self.ask("pay", intent="A", **ORDER)

        self.case = self.start("roundup")

        self.assertEqual(self.ask("status")["signed_in"], False)
        self.ask("login", token="token ava 7")
        self.assertEqual(self.ask("resume", intent="A"), "nothing_to_do")

    def test_a_bank_without_a_sign_in_needs_a_token(self):
        self.case = self.start("roundup")

        self.assertEqual(self.ask("login"), "unauthorized")
        self.assertEqual(self.ask("status")["signed_in"], False)

    def test_a_finished_payment_leaves_nothing_to_send_and_is_not_paid_again(self):
        self.ask("login")
        self.ask("pay", intent="A", **ORDER)
        (_, key), = self.bank.payments()

        self.assertNotIn(key.strip('"'), self.on_disk())
        self.case = self.start()
        self.assertEqual(self.ask("pay", intent="A", **ORDER), {"payment": "pay-1", "state": "accepted"})
        self.assertEqual(len(self.bank.payments()), 1)

    def test_a_payment_whose_token_was_refused_is_not_unknown_when_the_refresh_fails(self):
        self.ask("login")
        self.bank.before["/v1/payments"] = lambda: response({"type": "urn:problem:token-expired"}, 401)
        self.bank.before["/oauth/token"] = lambda: response({}, 503)

        self.assertEqual(self.ask("pay", intent="A", **ORDER), "unavailable")

    def test_a_payment_that_never_left_may_be_corrected(self):
        def unreachable():
            raise Failure("offline", "refused", sent=False)

        self.ask("login")
        self.bank.before["/v1/payments"] = unreachable
        self.assertEqual(self.ask("pay", intent="A", **ORDER), "offline")

        self.ask("pay", intent="A", **{**ORDER, "amount": "11.00"})

        keys = [key for _, key in self.bank.payments()]
        self.assertEqual(len(set(keys)), 2)
        self.assertIn("11.00", self.bank.requests[-1][3])

    def test_an_invalid_amount_is_reported_and_not_sent(self):
        self.case = self.start("roundup")
        self.ask("login", token="token ava 7")

        self.assertEqual(self.ask("pay", intent="A", **{**ORDER, "amount": "10,00"}), "rejected")
        self.assertEqual(self.bank.requests, [])

    def damage(self, name):
        """Changes the first byte of a file; returns its new content."""
        path = os.path.join(self.folder.name, name)
        with open(path, "r+b") as file:
            file.write(b"!")
        with open(path, "rb") as file:
            return file.read()

    def test_after_damage_to_the_sign_in_the_customer_signs_in_again_and_pays_on(self):
        self.ask("login")
        self.bank.before["/v1/payments"] = lost
        self.ask("pay", intent="A", **ORDER)
        self.damage("counterfoil.json")
        self.case = self.start()

        self.assertEqual(self.ask("status")["signed_in"], False)
        self.assertEqual(self.ask("accounts"), "unauthorized")
        self.assertEqual(self.ask("login"), {"signed_in": True})
        self.assertEqual(self.ask("resume", intent="A"), {"payment": "pay-1", "state": "accepted"})
        (_, first), (_, second) = self.bank.payments()
        self.assertEqual(first, second)

    def test_damaged_payments_are_reported_and_stay_as_they_are(self):
        self.ask("login")
        self.bank.before["/v1/payments"] = lost
        self.ask("pay", intent="A", **ORDER)
        damaged = self.damage("counterfoil.payments.json")
        self.case = self.start()

        for operation, args in (("pay", ORDER), ("resume", {}), ("payment_status", {}), ("pay", ORDER)):
            self.assertEqual(self.ask(operation, intent="A", **args), "unavailable")
        self.assertEqual(self.ask("logout"), {"signed_in": False})
        self.assertEqual(self.ask("login"), {"signed_in": True})
        self.assertEqual(len(self.ask("accounts")["accounts"]), 1)

        self.assertEqual(len(self.bank.payments()), 1)
        with open(os.path.join(self.folder.name, "counterfoil.payments.json"), "rb") as file:
            self.assertEqual(file.read(), damaged)

    def test_the_person_is_asked_once_and_that_is_remembered(self):
        self.ask("login")
        self.bank.before["/v1/accounts"] = lambda: response({"type": "urn:problem:token-expired"}, 401)
        self.bank.before["/oauth/token"] = lambda: response({"error": "invalid_grant"}, 400)
        self.ask("accounts")
        self.ask("accounts")

        self.case = self.start()

        self.assertEqual(self.ask("status"), {"signed_in": False, "prompts": 1})


if __name__ == "__main__":
    unittest.main()
