import unittest

import counterfoil
from counterfoil.admin import AdminAPI
from counterfoil.session import Session


class ArgumentsTest(unittest.TestCase):
    """Arguments as another language's client takes them are rejected with the form that this one takes, without a server."""

    def setUp(self):
        self.session = Session(None, {"id": "s", "bank": "counterfoil", "base_url": "http://127.0.0.1:1", "seed": 7})

    def rejects(self, message, call):
        with self.assertRaises(counterfoil.CounterfoilError) as raised:
            call()
        self.assertEqual(str(raised.exception), message)

    def test_each_suite_is_its_own_argument(self):
        self.rejects("""found ['auth', 'pay'], expected each suite as its own argument, such as "auth", "pay\"""",
                     lambda: self.session.verdict(["auth", "pay"]))
        self.rejects("""found 'auth,pay', expected each suite as its own argument, such as "auth", "pay\"""",
                     lambda: self.session.verdict("auth,pay"))

    def test_each_bank_is_its_own_argument(self):
        self.rejects("""found ['counterfoil'], expected each bank as its own argument, such as "counterfoil", "roundup\"""",
                     lambda: counterfoil.serve(["counterfoil"]))

    def test_a_role_has_its_name(self):
        self.rejects("found 'pay', expected a function of an exchange, or a keyword such as role='pay'",
                     lambda: self.session.journal.wait_for_exchange("pay"))

    def test_a_wanted_exchange_has_values_of_its_types(self):
        journal = self.session.journal
        for status in ["200", True, 200.5]:
            self.rejects(f"found status={status!r}, expected a number, such as status=200",
                         lambda: journal.wait_for_exchange(status=status))
        self.rejects("found path=['/v1'], expected a string, such as path='/v1/payments'",
                     lambda: journal.wait_for_exchange(path=["/v1"]))
        self.rejects("found role=1, expected a string, such as role='pay'", lambda: journal.wait_for_exchange(role=1))

    def test_a_name_is_not_empty(self):
        server = counterfoil.Server(AdminAPI("http://127.0.0.1:1"))
        self.rejects("GET /__admin/sessions/: found an empty name, expected the id of a session, a rule or the like",
                     lambda: server.session(""))
        self.rejects("GET /__admin/sessions/..: found the name '..', expected the id of a session, a rule or the like",
                     lambda: server.session(".."))


if __name__ == "__main__":
    unittest.main()
