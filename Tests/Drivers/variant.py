"""Correct clients that do things differently: the judge must not fail one of them (contracts.md, no false alarm).

    counterfoil test --client "python3 /…/Tests/Drivers/variant.py no-retry"

Each is the Python driver of Contracts/drivers with one habit changed. `--list` names them all.
"""

import json
import os
import random
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from datetime import datetime, timezone

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))

import banks
import driver
from client import Client, Habits
from errors import Failure


class Looking(Client):
    """Asks the account's list whether a payment has arrived before it sends it again; gives up where it cannot decide."""

    def before_sending(self, entry):
        try:
            entry["seen"] = self.count(entry["order"])
        except Failure:
            entry["seen"] = None

    def has_arrived(self, entry):
        return entry["seen"] is not None and self.count(entry["order"]) > entry["seen"]

    def _settle(self, intent, entry):
        try:
            return super()._settle(intent, entry)
        except Failure as failure:
            if not entry["sent"] or entry["state"] != "open" or failure.name == "outcome_unknown":
                raise
            raise Failure("outcome_unknown", "could not look: " + failure.detail) from None

    def count(self, order):
        today = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        period = {"from": today + "T00:00:00.000Z", "to": today + "T23:59:59.999Z"}
        shown = self.bank.transactions(self, order["from"], period)["transactions"]
        return sum(row["amount"] == "-" + order["amount"] for row in shown)


class ReadsTwice(Client):
    """Trusts no list that it has read only once."""

    def get(self, path, open_to_all=False):
        super().get(path, open_to_all)
        return super().get(path, open_to_all)


class Hedges(Client):
    """Sends a read once more if it is not answered after 150 ms, and takes the first good response."""

    def _send_authorised(self, method, path, headers, body):
        def send():
            return super(Hedges, self)._send_authorised(method, path, headers, body)

        if method != "GET":
            return send()
        with ThreadPoolExecutor(2) as pool:
            reads = [pool.submit(send)]
            if not wait(reads, 0.15).done:
                reads.append(pool.submit(send))
            failures = []
            for read in as_completed(reads):
                try:
                    return read.result()
                except Failure as failure:
                    failures.append(failure)
            raise failures[0]


class Strict(Client):
    """Shows only complete lists, and holds the bank to its document, which permits null in no member of a row."""

    def get(self, path, open_to_all=False):
        answer = super().get(path, open_to_all)
        for row in (answer.get("transactions") or answer.get("feedItems") or []) if isinstance(answer, dict) else []:
            if isinstance(row, dict) and any(row[name] is None for name in row if name in DOCUMENTED):
                raise Failure("decode", "a null that the bank's document does not permit")
        return answer


DOCUMENTED = ("value_date", "counterparty", "fee", "atm_id", "settlementTime", "reference", "counterPartyName", "userNote")


class EncodesAnew(Client):
    """Keeps what it pays as a value and encodes the JSON again for each attempt: never the same bytes, always the same value."""

    def bytes_to_send(self, entry):
        return other_json(json.loads(entry["body"])).encode()


def other_json(value):
    """JSON of that value with shuffled keys, chance white space, and escapes where none are needed (`\\/`, `\\u0041`)."""
    def space():
        return random.choice(["", "", " ", "\n", "\t", "\r\n  "])

    def text(plain):
        letters = [json.dumps(letter)[1:-1] for letter in plain]
        return '"%s"' % "".join(random.choice([letter, "\\u%04x" % ord(plain[place])]) if len(letter) == 1 and random.random() < 0.2
                                else "\\/" if letter == "/" else letter for place, letter in enumerate(letters))

    if isinstance(value, dict):
        members = [space() + text(name) + space() + ":" + space() + other_json(value[name]) + space() for name in value]
        random.shuffle(members)
        return "{" + ",".join(members) + "}"
    return text(value) if isinstance(value, str) else json.dumps(value)


class SmallLetters(Client):
    """Writes the names of headers and the scheme of a token in small letters (RFC 9110 §5.1 and §11.1), and sends bodies in chunks."""

    def _send_once(self, method, path, headers, body):
        small = {name.lower(): value for name, value in headers.items()}
        scheme, space, token = small.get("authorization", "").partition(" ")
        if space:
            small["authorization"] = scheme.lower() + " " + token
        whole = body.encode() if isinstance(body, str) else body
        return super()._send_once(method, path, small, whole and iter([whole[:20], whole[20:]]))


def in_parallel(bank):
    """The bank with a list of accounts, each of which is read too, all at once."""

    class InParallel(bank):
        def accounts(self, client):
            shown = super().accounts(client)
            with ThreadPoolExecutor(4) as pool:
                balances = pool.map(lambda account: self.balance_if_any(client, account["id"]), shown["accounts"])
                for account, balance in zip(shown["accounts"], balances):
                    account["balance"] = balance
                    if balance is None:
                        del account["balance"]
            return shown

        def balance_if_any(self, client, account):
            """The account's balance; None if the bank sends the account without one."""
            try:
                return super().balance(client, account)["balance"]
            except Failure as failure:
                if str(failure).endswith(("'NoneType' object is not subscriptable", "KeyError: 'balance'")):
                    return None
                raise

    return InParallel


def ulid():
    """26 letters and digits: milliseconds, then chance (Crockford's base 32)."""
    number = int(time.time() * 1000) << 80 | random.SystemRandom().getrandbits(80)
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number >> 5 * place & 31] for place in reversed(range(26)))


class UpperCaseUUID(banks.Roundup):
    """A UUID for a bank that wants one: as Swift's `UUID().uuidString` writes it."""

    def pay_call(self, key, order, quoted):
        return super().pay_call(str(uuid.uuid4()).upper(), order, quoted)


VARIANTS = {
    "no-retry": Habits(attempts=1),
    "stubborn": Habits(attempts=6, longest_wait=8),
    # Of the 15 minutes that the bank gives; a step of a loaded machine takes less than three seconds.
    "refresh-ahead": Habits(refresh_ahead=15 * 60 - 3),
    "look-first": Habits(),
    "ulid-quoted": Habits(new_key=ulid),
    "ulid-bare": Habits(new_key=ulid, quoted_key=False),
    "long-key": Habits(new_key=lambda: "order-" + "".join(str(uuid.uuid4()) for _ in range(5))),
    "connection-each": Habits(keep_connections=False),
    "reads-twice": Habits(),
    "encodes-anew": Habits(),
    "hedges": Habits(),
    "strict": Habits(),
    "small-letters": Habits(),
    "parallel-accounts": Habits(extra_headers={"User-Agent": "Acme/2.1", "X-Trace": "0af7651916cd43dd", "Accept-Language": "en-AU"}),
}


def main(name):
    if name == "--list":
        print("\n".join(VARIANTS))
        return
    if name == "look-first":
        driver.Client = Looking
    elif name == "reads-twice":
        driver.Client = ReadsTwice
    elif name == "hedges":
        driver.Client = Hedges
    elif name == "strict":
        driver.Client = Strict
    elif name == "small-letters":
        driver.Client = SmallLetters
    elif name == "encodes-anew":
        driver.Client = EncodesAnew
    elif name == "parallel-accounts":
        banks.ALL.update((each.name, in_parallel(each)) for each in list(banks.ALL.values()))
    if "key" in name or "ulid" in name:
        banks.ALL["roundup"] = UpperCaseUUID
    driver.Driver(VARIANTS[name]).run()


main(sys.argv[1])
