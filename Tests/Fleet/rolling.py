"""rolling: payments on sessions of all nodes while one node after another is drained and started again."""
import collections
import threading
import time

from parts import Failure, call, expect
from sessions import pay

ATTEMPTS = 2000  # of one payment; a node is back within seconds


class Payer(threading.Thread):
    """Pays in one session through one proxy, each payment under a key of its own, sent again until it is acknowledged."""

    def __init__(self, session, proxy, ending):
        super().__init__(daemon=True)
        self.session, self.proxy, self.ending = session, proxy, ending
        self.acknowledged, self.again, self.rejected = [], 0, collections.Counter()
        self.failure = None

    def run(self):
        number = 0
        while not self.ending.is_set() and self.failure is None:
            number += 1
            self.make(f"rolling-{number}")

    def make(self, key):
        for _ in range(ATTEMPTS):
            response = pay(self.proxy.bank, f"/s/{self.session.id}", self.session.token, key, 1)
            if response.status == 201:
                return self.acknowledged.append(key)
            if response.status not in (None, 502, 503):
                break
            self.again += 1
            self.rejected[str(response.status or "no response")] += 1
            time.sleep(0.02)
        self.failure = f"{self.session.id} through {self.proxy.kind}, {key}: found {response}, expected 201, or 502, 503 or no response while its node is away"


def restart_under_payments(nodes, proxies, sessions):
    """Drains and starts each node while payers pay; then holds each ledger against the keys of its payer.

    - Returns: how many payments were made, and how often one was sent again.
    """
    ending = threading.Event()
    # For each node as many sessions as proxies, each paid through another one.
    payers = [Payer(session, proxy, ending) for node in nodes
              for session, proxy in zip([each for each in sessions if each.node == node.name], proxies)]
    for payer in payers:
        payer.start()
    try:
        for node in nodes:
            before = [len(payer.acknowledged) for payer in payers]
            wait_for_more(payers, before)
            node.drain()
            node.start()
        wait_for_more(payers, [len(payer.acknowledged) for payer in payers])
    finally:
        ending.set()
        for payer in payers:
            payer.join(60)
    for payer in payers:
        hold(payer)
    return sum(len(payer.acknowledged) for payer in payers), sum(payer.again for payer in payers)


def wait_for_more(payers, before):
    """Until each payer has made three more payments."""
    end = time.monotonic() + 60
    for payer, number in zip(payers, before):
        while len(payer.acknowledged) < number + 3:
            if payer.failure:
                raise Failure(payer.failure)
            if time.monotonic() > end:
                raise Failure(f"{payer.session.id} through {payer.proxy.kind}: found {len(payer.acknowledged) - number} payments in 60 s, "
                              f"expected three; rejected: {dict(payer.rejected)}")
            time.sleep(0.01)


def hold(payer):
    if payer.failure or payer.is_alive():
        raise Failure(payer.failure or f"{payer.session.id}: found the payer still waiting for a response after 60 s")
    at = f"the ledger of {payer.session.id}, paid through {payer.proxy.kind}"
    ledger = expect(call(payer.proxy.admin, "GET", f"/sessions/{payer.session.id}/ledger"), 200, at=at).json()
    times = collections.Counter(movement["key"] for movement in ledger["movements"] if movement["key"].startswith("rolling-"))
    lost = sorted(set(payer.acknowledged) - set(times))
    doubled = sorted(key for key, number in times.items() if number > 1)
    unknown = sorted(set(times) - set(payer.acknowledged))
    if lost or doubled or unknown or not ledger["balanced"]:
        raise Failure(f"{at}: found lost {lost}, doubled {doubled}, never asked for {unknown}, balanced {ledger['balanced']}; expected none, and true")
    payer.session.spent += len(times)
