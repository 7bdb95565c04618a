"""The receiver of webhooks in the Python driver: signatures, copies, order, and what survives the end of the process."""

import hashlib
import hmac
import json
import os
import shutil
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))
from receiver import Receiver


def event(name, type="payment.settled", state="settled", created=1):
    return {"id": name, "type": type, "created": created, "data": {"object": {"id": "pay-1", "state": state, "amount": "12.00"}}}


class ReceiverTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.receiver = Receiver(self.folder)

    def tearDown(self):
        self.receiver.close()
        shutil.rmtree(self.folder)

    def post(self, sent, secret="secret", age=0, before=""):
        body = json.dumps(sent).encode()
        seconds = str(int(time.time()) - age)
        code = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
        signature = "t=%s,%sv1=%s" % (seconds, before, code)
        url = self.receiver.report(None, self.receiver.held)["url"]
        try:
            return urllib.request.urlopen(urllib.request.Request(url, body, {"Counterfoil-Signature": signature})).status
        except urllib.error.HTTPError as error:
            return error.code

    def shown(self):
        return [row["id"] for row in self.receiver.report(None, self.receiver.held)["events"]]

    def test_rejects_what_it_cannot_verify(self):
        self.assertEqual(self.post(event("a")), 400, "it has no secret yet")
        self.receiver.report("secret", False)
        self.assertEqual([self.post(event("a"), "other"), self.post(event("a"), age=600), self.post([1])], [400, 400, 400])
        self.assertEqual(self.shown(), [])
        self.assertEqual(self.post(event("a"), before="v1=00,"), 204, "one of two codes is enough")

    def test_acts_once_and_on_known_types(self):
        self.receiver.report("secret", False)
        statuses = [self.post(event("a")), self.post(event("a")), self.post(event("b", "payment.reviewed"))]
        self.assertEqual(statuses, [204, 204, 204])
        self.assertEqual(self.shown(), ["a"])

    def test_goes_by_the_time_of_events(self):
        self.receiver.report("secret", False)
        self.post(event("b", "payment.returned", "returned", created=2))
        self.post(event("a", created=1))
        self.assertEqual(self.receiver.report(None, False)["payments"], [{"id": "pay-1", "state": "returned"}])

    def test_keeps_what_it_has_answered(self):
        self.receiver.report("secret", True)
        self.assertEqual(self.post(event("a")), 204)
        self.assertEqual(self.shown(), [], "it is held")
        self.receiver.close()
        with open(os.path.join(self.folder, "webhooks.jsonl"), "a", encoding="utf-8") as file:
            file.write('\n{"id": "b')
        self.receiver = Receiver(self.folder)
        self.receiver.report("secret", False)
        self.assertEqual(self.shown(), ["a"])
        self.assertEqual([self.post(event("a")), self.post(event("c"))], [204, 204])
        self.assertEqual(self.shown(), ["a", "c"])


if __name__ == "__main__":
    unittest.main()
