"""The parts that the tests share: one server, and requests to its banks."""

import os
import threading
import unittest
import urllib.error
import urllib.request

import counterfoil

PROGRAM = os.environ["COUNTERFOIL"]
STUBS = os.environ["COUNTERFOIL_STUBS"]


def request(address, token=None, body=None):
    """The status of a GET, or of a POST with that body; None if no response came."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers.update({"Content-Type": "application/json", "Idempotency-Key": "tea-1"})
    try:
        asked = urllib.request.Request(address, data=body, headers=headers)
        with urllib.request.urlopen(asked, timeout=120) as response:
            response.read()
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            error.read()
        return error.code
    except OSError:
        return None


def in_background(work):
    """Runs it in a thread, which is to be joined."""
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def serve(*banks, **options):
    return counterfoil.serve(*banks, **{"program": PROGRAM, "stubs": STUBS, "seed": 7, **options})


class BankTest(unittest.TestCase):
    """A test with a server, and a session of its own whose clock stands."""

    @classmethod
    def setUpClass(cls):
        cls.server = serve("counterfoil", "roundup")
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.bank = self.server.new_session("counterfoil", seed=9, clock="2026-01-12T09:15:00Z")
        self.addCleanup(self.bank.__exit__)

    def accounts(self, token=None):
        """The status of a read of the accounts."""
        return request(f"{self.bank.base_url}/v1/accounts", token)
