import http.client
import unittest
import urllib.parse

from counterfoil import AdminError, CounterfoilError, ExpectationError, session_name
from bank import BankTest, request


class SessionTest(BankTest):
    def test_a_session_is_made_as_it_is_wanted(self):
        with self.server.new_session("roundup", name="mine-1", seed=2**64 - 1, listen=True, clock={"mode": "frozen"}) as bank:
            self.assertEqual((bank.id, bank.bank, bank.seed), ("mine-1", "roundup", 2**64 - 1))
            self.assertEqual(bank.base_url, f"http://127.0.0.1:{bank.port}")
            self.assertEqual(bank.clock.show()["mode"], "frozen")
            self.assertEqual(self.server.session("mine-1").port, bank.port)
        with self.assertRaises(AdminError) as gone:
            bank.info()
        self.assertEqual((gone.exception.status, gone.exception.title), (404, "Not Found"))
        self.assertIsNone(gone.exception.place)

    def test_a_session_has_labels_and_a_time_to_live(self):
        with self.server.new_session("roundup", labels={"team": "ios", "build": "71"}, ttl="5m") as bank:
            self.assertEqual(bank.info()["labels"], {"team": "ios", "build": "71"})
            self.assertEqual(bank.info()["ttl"], "5m")

    def test_a_test_names_its_session(self):
        ids = ["tests/test_pay.py::TestPay::test_twice[EUR]", "tests/test_pay.py::TestPay::test_twice[eur]", "円口座", "x" * 300, "a"]
        names = [session_name(id) for id in ids]
        self.assertEqual(names[0], "tests-test-pay-py-testpay-test-twice-eur-13459141")
        self.assertEqual(names, [session_name(id) for id in ids])
        self.assertEqual(names[-1], "a")
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, "^[a-z0-9-]{1,63}$")
            with self.server.new_session("roundup", name=name) as bank:
                self.assertEqual(bank.id, name)

    def test_the_frames_of_expect_are_hidden_from_pytest(self):
        frames = []
        trace = None
        try:
            self.bank.expect("auth", timeout=0.1)
        except ExpectationError as empty:
            trace = empty.__traceback__
        while trace is not None:
            frames.append((trace.tb_frame.f_code.co_name, trace.tb_frame.f_locals.get("__tracebackhide__", False)))
            trace = trace.tb_next
        self.assertEqual(frames[-1], ("expect", True))

    def test_an_id_may_hold_any_character(self):
        with self.assertRaises(AdminError) as unknown:
            self.server.session("a b/c#1?é")
        self.assertEqual(unknown.exception.detail, "there is no session a b/c#1?é")
        self.assertEqual(unknown.exception.call, "GET /__admin/sessions/a%20b%2Fc%231%3F%C3%A9")

    def test_a_refusal_says_what_where_and_why(self):
        with self.assertRaises(AdminError) as rejected:
            self.bank.faults.set({"lose-reply": {"by": "clsoe"}})
        error = rejected.exception
        self.assertEqual((error.status, error.title, error.place), (400, "Bad Request", "fault.lose-reply.by"))
        self.assertIn("clsoe", error.detail)
        self.assertEqual(error.call, f"POST /__admin/sessions/{self.bank.id}/faults")
        self.assertIn(error.detail, str(error))

    def test_state_is_kept_and_put_back(self):
        with self.assertRaises(AdminError) as none:
            self.bank.restore()
        self.assertEqual(none.exception.status, 409)
        self.bank.snapshot()
        token = self.bank.tokens.issue()["token"]
        self.assertEqual(self.accounts(token), 200)
        self.bank.restore()
        self.assertEqual(self.accounts(token), 401)
        self.bank.reset()
        self.assertEqual(self.bank.journal.exchanges(), [])

    def test_a_standing_session_stays(self):
        with self.server.session("roundup"):
            pass
        standing = self.server.session("roundup")
        with self.assertRaises(AdminError) as rejected:
            standing.remove()
        self.assertEqual(rejected.exception.status, 409)

    def test_the_clock_is_set_and_moved(self):
        self.assertEqual(self.bank.clock.advance("45s")["now"], "2026-01-12T09:15:45.000Z")
        self.assertEqual(self.bank.clock.set("2026-01-12T10:00:00Z", skew="-90s")["skew"], "-90s")
        self.assertEqual(self.bank.clock.set(mode="running")["mode"], "running")

    def test_a_sign_in_on_the_page_is_decided(self):
        asked = "/oauth/authorize?response_type=code&client_id=web&state=s1"
        for _ in range(4):
            self.assertEqual(request(self.bank.base_url + asked), 200)
        self.assertIn("https://web.example/callback?code=", self.bank.authorizations.approve(1, login="ben"))
        self.assertIn("error=access_denied", self.bank.authorizations.deny())
        self.assertIn("The%20customer%20has%20cancelled", self.bank.authorizations.cancel())
        self.bank.authorizations.abandon(2)
        states = [(attempt["state"], attempt.get("login")) for attempt in self.bank.authorizations.list()]
        self.assertEqual(states, [("approved", "ben"), ("abandoned", None), ("abandoned", None), ("denied", None)])
        with self.assertRaisesRegex(CounterfoilError, "found no pending sign-in"):
            self.bank.authorizations.approve()

    def test_a_challenge_is_decided(self):
        body = b'{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "1.00", "currency": "GBP"}}'
        with self.server.new_session("counterfoil", challenges="decoupled") as bank:
            token = bank.tokens.issue("ava")["token"]
            self.assertEqual(request(bank.base_url + "/v1/payments", token, body), 403)
            self.assertEqual(bank.challenges.approve()["state"], "approved")
            self.assertEqual(request(bank.base_url + "/v1/payments", token, body), 201)
            self.assertEqual([challenge["kind"] for challenge in bank.challenges.list()], ["decoupled"])
            with self.assertRaisesRegex(CounterfoilError, "found no pending challenge"):
                bank.challenges.deny()

    def test_events_move_money(self):
        arrived = self.bank.happen("payment-in", account="ava-gbp", amount="1200.00", name="Acme")
        self.assertEqual((arrived["from"], arrived["to"]), ("outside/Acme", "accounts/ava-gbp"))
        reserved = self.bank.happen("card-authorised", account="ava-gbp", amount="20.00")
        self.assertEqual(reserved["state"], "accepted")
        self.assertEqual(self.bank.happen("card-reversed", payment=reserved["id"])["state"], "rejected")
        with self.assertRaisesRegex(AdminError, "found the payment unknown"):
            self.bank.happen("payment-returns", payment="unknown")
        self.assertEqual(self.bank.schedule("payment-in", "3d", every="month", account="ava-gbp", amount="1.00")["every"], "month")

    def test_webhooks_are_registered_and_broken(self):
        made = self.bank.add_webhook("http://127.0.0.1:9/hook", events=["payment.settled"])
        self.assertTrue(made["secret"].startswith("whsec_"))
        self.bank.break_webhook(made["id"], "forged", times=2)
        shown = self.bank.webhook(made["id"])
        self.assertEqual((shown["events"], shown["faults"], shown["deliveries"]), (["payment.settled"], ["forged", "forged"], []))
        with self.assertRaisesRegex(AdminError, "--webhooks-to 192.0.2.1"):
            self.bank.add_webhook("http://192.0.2.1/hook")

    def test_tokens_are_issued_and_ended(self):
        issued = self.bank.tokens.issue("ben", scopes=["accounts"], lifetime="5m")
        listed = {token["id"]: token for token in self.bank.tokens.list()}
        self.assertEqual((listed[issued["id"]]["login"], listed[issued["id"]]["scopes"]), ("ben", ["accounts"]))
        self.assertEqual(self.accounts(issued["token"]), 200)
        self.bank.tokens.downscope(issued["id"])
        self.assertEqual(self.accounts(issued["token"]), 403)
        self.bank.tokens.expire()
        self.assertEqual(self.accounts(issued["token"]), 401)
        other = self.bank.tokens.issue()
        self.bank.tokens.revoke(other["id"])
        self.assertEqual(self.accounts(other["token"]), 401)

    def test_faults_are_set_listed_and_removed_whatever_their_ids_look_like(self):
        rule = self.bank.faults.set({"status": {"status": 503}}, on={"role": "atms"}, times=2)
        atms = f"{self.bank.base_url}/v1/atms"
        self.assertEqual(request(atms), 503)
        self.assertEqual([(listed["id"], listed["fired"]) for listed in self.bank.faults.list()], [(rule, 1)])
        self.bank.faults.remove(rule)
        self.assertEqual(request(atms), 200)
        self.bank.faults.set("close", first=1, ttl="1h")
        self.bank.faults.clear()
        self.assertEqual(self.bank.faults.list(), [])

    def test_every_part_of_a_rule_reaches_the_server(self):
        rules = [
            {"on": {"role": "atms", "method": "GET"}, "nth": 3}, {"every": 2, "ttl": "1h"}, {"first": 4, "probability": 0.25},
            {"skip": 5, "times": 6},
        ]
        for rule in rules:
            self.bank.faults.set({"status": {"status": 503}}, **rule)
        listed = self.bank.faults.list()
        self.assertEqual([{key: value for key, value in rule.items() if key not in ("id", "fault", "matched", "fired")} for rule in listed], rules)
        self.assertEqual([rule["fault"] for rule in listed], [{"status": {"status": 503}}] * 4)

    def test_an_outage_is_started_shown_and_ended(self):
        self.bank.outage.start("maintenance", for_="5m", seed=3)
        self.assertEqual(request(f"{self.bank.base_url}/v1/atms"), 503)
        shown = self.bank.outage.show()
        self.assertEqual((shown["running"], shown["left_ms"], shown["seed"]), (True, 300_000, 3))
        with self.assertRaises(AdminError) as running:
            self.bank.outage.start("slow")
        self.assertEqual(running.exception.status, 409)
        self.bank.outage.start("slow", replace=True)
        self.assertEqual(self.bank.outage.show()["name"], "slow")
        self.bank.outage.stop()
        self.bank.outage.start(plan={"about": "Teapots.", "entries": [{"rules": [{"fault": {"status": {"status": 418}}}]}]})
        self.assertEqual(request(f"{self.bank.base_url}/v1/atms"), 418)

    def test_money_is_in_the_ledger(self):
        token = self.bank.tokens.issue("ava")["token"]
        payment = b'{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}'
        before = {row["account"]: row["balance"] for row in self.bank.balances()}
        self.bank.faults.set({"lose-reply": {"by": "close"}}, on={"role": "pay"}, times=1)
        self.assertIsNone(request(f"{self.bank.base_url}/v1/payments", token, payment))
        self.assertEqual(request(f"{self.bank.base_url}/v1/payments", token, payment), 201)
        self.assertEqual([movement["key"] for movement in self.bank.ledger()["movements"]], ["tea-1"])
        self.assertTrue(self.bank.ledger(last=1)["balanced"])
        after = {row["account"]: row["balance"] for row in self.bank.balances()}
        self.assertEqual((before["accounts/ava-gbp"], after["accounts/ava-gbp"]), ("24915.55", "24910.55"))

    def test_a_provider_state_is_made_so(self):
        self.assertEqual(self.bank.provider_state("customer ava is signed in")["accounts"], "ava-gbp")
        with self.assertRaises(AdminError) as unknown:
            self.bank.provider_state("pigs fly")
        self.assertEqual(unknown.exception.status, 422)

    def test_idle_connections_are_closed(self):
        # Sooner than the server does by itself, after a minute.
        place = urllib.parse.urlsplit(self.bank.base_url)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("GET", f"{place.path}/v1/atms")
        connection.getresponse().read()
        self.bank.close_connections()
        self.assertEqual(connection.sock.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
