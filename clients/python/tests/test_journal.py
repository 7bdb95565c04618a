import http.client
import threading
import time
import unittest
import urllib.parse

import counterfoil.journal
from counterfoil import ExpectationError, InconclusiveWarning, NoExchangeError
from bank import BankTest, in_background, request


class JournalTest(BankTest):
    def test_the_journal_has_what_was_asked(self):
        self.accounts("wrong")
        request(f"{self.bank.base_url}/v1/nothing")
        self.assertEqual([exchange["status"] for exchange in self.bank.journal.exchanges()], [401, 404])
        self.assertEqual(len(self.bank.journal.exchanges(operation="accounts", status=401)), 1)
        first = self.bank.journal.exchanges()[0]["seq"]
        self.assertIn("curl -i ", self.bank.journal.exchange(first)["curl"]["line"])
        self.assertEqual([exchange["path"] for exchange in self.bank.journal.unmatched()], ["/v1/nothing"])
        self.assertEqual(len(self.bank.journal.har()["log"]["entries"]), 2)
        self.assertNotIn("request_headers", self.bank.journal.page(last=1, brief=True)["entries"][0])
        self.bank.journal.clear()
        self.assertEqual(self.bank.journal.exchanges(), [])

    def test_an_exchange_that_is_there_is_returned_at_once(self):
        request(f"{self.bank.base_url}/v1/atms")
        self.accounts("wrong")
        self.assertEqual(self.bank.journal.wait_for_exchange(timeout=0)["path"], "/v1/atms")
        for selection in ({"status": 401}, {"role": "accounts"}, {"operation": "accounts"}, {"method": "GET", "path": "/v1/accounts"}):
            self.assertEqual(self.bank.journal.wait_for_exchange(timeout=0, **selection)["reply"], "token-rejected")
        found = self.bank.journal.wait_for_exchange(lambda exchange: exchange["token"] == "unknown", timeout=0)
        self.assertEqual(found["status"], 401)
        with self.assertRaises(NoExchangeError):
            self.bank.journal.wait_for_exchange(status=401, after=self.bank.journal.last_seq(), timeout=0)

    def test_an_exchange_that_comes_later_is_waited_for(self):
        waiting, pages = threading.Event(), []
        page = self.bank.journal.page

        def watched(**query):
            pages.append(query)
            if query.get("wait"):
                waiting.set()
            return page(**query)

        self.bank.journal.page = watched

        def ask():
            waiting.wait(120)
            request(f"{self.bank.base_url}/v1/atms")
            self.accounts("wrong")

        asking = in_background(ask)
        self.assertEqual(self.bank.journal.wait_for_exchange(path="/v1/accounts", timeout=120)["operation"], "accounts")
        asking.join()
        # Once without waiting, then once a change: an exchange changes the journal when it comes and when it ends.
        self.assertLessEqual(len(pages), 6)
        self.assertTrue(all("revision" in query for query in pages))

    def test_an_exchange_in_progress_is_looked_at_again(self):
        self.bank.faults.set({"delay": {"at_point": "head", "until": "released"}}, on={"role": "atms"})
        asking = in_background(lambda: request(f"{self.bank.base_url}/v1/atms"))
        started = self.bank.journal.wait_for_exchange(role="atms", timeout=120)
        self.assertIsNone(started["duration_us"])
        self.accounts("wrong")

        def release():
            self.bank.journal.wait_for_exchange(status=401, after=started["seq"])
            self.bank.faults.release()

        releasing = in_background(release)
        ended = self.bank.journal.wait_for_exchange(lambda exchange: exchange["duration_us"] is not None, path="/v1/atms", timeout=120)
        self.assertEqual((ended["seq"], ended["status"]), (started["seq"], 200))
        releasing.join()
        asking.join()

    def test_pages_are_read_one_after_the_other(self):
        for _ in range(5):
            request(f"{self.bank.base_url}/v1/atms")
        self.accounts("wrong")
        self.addCleanup(setattr, counterfoil.journal, "PAGE", counterfoil.journal.PAGE)
        counterfoil.journal.PAGE = 2
        self.assertEqual(self.bank.journal.wait_for_exchange(status=401, timeout=0)["operation"], "accounts")

    def test_a_wait_that_times_out_reports_what_came(self):
        request(f"{self.bank.base_url}/v1/atms")
        began = time.monotonic()
        with self.assertRaises(NoExchangeError) as none:
            self.bank.journal.wait_for_exchange(role="pay", status=201, timeout=0.2)
        self.assertGreaterEqual(time.monotonic() - began, 0.2)
        self.assertRegex(str(none.exception), r"found no exchange with role pay, status 201 after 0.2 s(.|\n)*GET /v1/atms → 200")
        self.assertIsInstance(none.exception, TimeoutError)
        self.bank.journal.clear()
        with self.assertRaisesRegex(NoExchangeError, "received no request"):
            self.bank.journal.wait_for_exchange(timeout=0)

    def test_a_reset_while_waiting_is_no_end(self):
        request(f"{self.bank.base_url}/v1/atms")

        def ask():
            self.bank.reset()
            request(f"{self.bank.base_url}/v1/nothing")

        asking = in_background(ask)
        self.assertEqual(self.bank.journal.wait_for_exchange(status=404, timeout=120)["path"], "/v1/nothing")
        asking.join()


class VerdictTest(BankTest):
    def test_a_good_client_passes_and_a_bad_one_fails(self):
        token = self.bank.tokens.issue()["token"]
        self.accounts(token)
        self.assertEqual(self.bank.expect("auth")["exchanges"], 1)
        self.bank.tokens.revoke()
        self.bank.clock.set(mode="running")
        # On one connection, so that the second was sent after the first response.
        parts = urllib.parse.urlsplit(self.bank.base_url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=120)
        self.addCleanup(connection.close)
        for _ in range(2):
            connection.request("GET", f"{parts.path}/v1/accounts", headers={"Authorization": f"Bearer {token}"})
            connection.getresponse().read()
        with self.assertRaisesRegex(ExpectationError, r"^auth.token-cleared-on-rejection\n  Exchange \d+ .* sent token#1 again .*\n  why: .*\n +0.0 ms  #") as broken:
            self.bank.expect("auth")
        # By their order alone, too.
        self.assertRaises(ExpectationError, self.bank.expect, "auth", sequential=True)
        self.assertIsInstance(broken.exception, AssertionError)
        verdicts = {rule["id"]: rule["verdict"] for rule in broken.exception.verdict["rules"]}
        self.assertEqual(verdicts["auth.token-cleared-on-rejection"], "fail")
        self.assertEqual(self.bank.verdict("pay")["rules"][0]["verdict"], "not-exercised")

    def test_a_rule_that_the_journal_cannot_decide_is_a_warning_in_the_test(self):
        # The second request asks for something else: the user may have sent it before the time is over.
        self.bank.faults.set({"dialect": {"name": "rate-limited", "retry_after": 600}}, on={"role": "atms"}, times=1)
        request(f"{self.bank.base_url}/v1/atms?page=1")
        self.bank.journal.wait_for_exchange(lambda exchange: exchange["duration_us"] is not None, status=429, timeout=120)
        request(f"{self.bank.base_url}/v1/atms?page=2")
        with self.assertWarnsRegex(InconclusiveWarning, r"^retry.after-429-seconds is inconclusive: exchange 2 .*; to decide it, [a-z]+ ") as warned:
            self.bank.expect("retry")
        self.assertEqual(warned.filename, __file__)

    def test_nothing_to_judge_is_no_success(self):
        with self.assertRaisesRegex(ExpectationError, "found no rule of pay exercised in 0 requests"):
            self.bank.expect("pay")

    def test_the_verdict_waits_for_the_end_of_an_exchange(self):
        self.bank.faults.set({"delay": {"at_point": "head", "until": "released"}}, on={"role": "accounts"})
        token = self.bank.tokens.issue()["token"]
        asking = in_background(lambda: self.accounts(token))
        self.bank.journal.wait_for_exchange(role="accounts", timeout=120)
        self.assertEqual(self.bank.verdict("auth")["under_way"], 1)
        page = self.bank.journal.page

        def watched(**query):
            # Released only once it waits: a verdict that does not wait has an exchange in progress.
            if query.get("wait"):
                self.bank.faults.release()
            return page(**query)

        self.bank.journal.page = watched
        self.addCleanup(asking.join)
        self.addCleanup(self.bank.faults.release)
        self.assertEqual(self.bank.expect("auth", timeout=120)["under_way"], 0)


if __name__ == "__main__":
    unittest.main()
