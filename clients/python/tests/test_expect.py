import unittest

from counterfoil import ExpectationError, InconclusiveWarning
from counterfoil.session import Session


class Answers:
    """An admin API whose journal is at rest and whose verdict is this."""

    def __init__(self, *rules, dropped=0):
        self.verdict = {"exchanges": 3, "under_way": 0, "dropped": dropped, "rules": [
            {"id": id, "level": level, "verdict": verdict, "why": "why", "violations": [], "timeline": [], "cannot_tell": []}
            for id, level, verdict in rules]}

    def get(self, *path, query=None, longer=0.0):
        return self.verdict if path[-1] == "verdict" else {"entries": [], "revision": 1}


def expect(*rules, suites=(), dropped=0):
    session = Session(Answers(*rules, dropped=dropped), {"id": "s", "bank": "counterfoil", "base_url": "http://127.0.0.1:1", "seed": 7})
    return session.expect(*suites)


class ExpectTest(unittest.TestCase):
    def test_a_rule_that_the_app_only_should_comply_with_fails_no_test(self):
        self.assertEqual(len(expect(("retry.a", "should", "fail"))["rules"]), 1)
        with self.assertRaisesRegex(ExpectationError, "^retry.b\n"):
            expect(("retry.a", "should", "fail"), ("retry.b", "must", "fail"))

    def test_nothing_passes_without_the_exchanges_that_the_journal_dropped(self):
        with self.assertRaisesRegex(ExpectationError, "the journal dropped 2 requests"):
            expect(("retry.a", "must", "pass"), dropped=2)

    def test_a_rule_must_have_been_exercised(self):
        with self.assertRaisesRegex(ExpectationError, "found no rule of any suite exercised in 3 requests"):
            expect(("retry.a", "must", "not-exercised"))

    def test_each_suite_must_have_been_exercised(self):
        rules = ("auth.a", "must", "pass"), ("pay.a", "must", "not-exercised"), ("retry.a", "must", "inconclusive")
        with self.assertWarns(InconclusiveWarning):
            self.assertEqual(len(expect(*rules, suites=["auth"])["rules"]), 3)
        with self.assertRaisesRegex(ExpectationError, "^found no rule of pay exercised in 3 requests, expected at least one of each$"):
            expect(*rules, suites=["auth", "pay"])
        with self.assertWarns(InconclusiveWarning):
            self.assertEqual(len(expect(*rules, suites=["invariant", "auth"])["rules"]), 3)
        with self.assertRaisesRegex(ExpectationError, "no rule of pay and no rule of retry exercised .*\nretry.a is inconclusive: "):
            expect(*rules, suites=["pay", "auth", "retry"])


if __name__ == "__main__":
    unittest.main()
