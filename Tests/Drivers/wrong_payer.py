"""Clients that pay something else than was ordered: a test must fail each, and name what it moved.

    counterfoil test --client "python3 /…/Tests/Drivers/wrong_payer.py cent-off" --bank counterfoil --bank roundup

Each is the Python driver of Contracts/drivers with one thing wrong in what it asks the bank to move; what it shows is right.
`--list` names them all; `right` is none of them: the same client without a mistake.
"""

import os
import sys
from datetime import datetime, timedelta, timezone

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))

import banks
import driver
import values
from client import Habits
from errors import Failure


def a_cent_off(order):
    units = values.minor(order["amount"], order["currency"])
    return {**order, "amount": values.major(units + 1, order["currency"])}


def by_float(order):
    """0.29 becomes 28 pence."""
    digits = values.digits(order["currency"])
    return {**order, "amount": values.major(int(float(order["amount"]) * 10**digits), order["currency"])}


def to_another_payee(order):
    """The other one of ava's payees, or of her savings goals."""
    other = {"payee-lark": "payee-mum", "90a10a10-0000-4000-8000-000000000a11": "90a10a10-0000-4000-8000-000000000a12"}
    return {**order, "to": other.get(order["to"], order["to"])}


def from_another_account(order):
    """From ava's account in euros, and so in euros: the bank takes no other currency from it."""
    return {**order, "from": "ava-eur", "currency": "EUR"} if order["from"] == "ava-gbp" else order


def in_another_currency(order):
    """The same number in yen, where there is one, from the account that has them."""
    whole, _, fraction = order["amount"].partition(".")
    if order["from"] != "ava-gbp" or fraction.strip("0"):
        return order
    return {**order, "from": "ava-jpy", "amount": whole, "currency": "JPY"}


WRONG = {
    "cent-off": a_cent_off, "by-float": by_float, "wrong-payee": to_another_payee, "wrong-source": from_another_account,
    "wrong-currency": in_another_currency, "round-up-cent-off": lambda order: order, "right": lambda order: order}


def paying(bank, change):
    """The bank, asked to move something else."""

    class Paying(bank):
        operations = bank.operations + (["round_up"] if bank.name == "roundup" else [])

        def pay_call(self, key, order, quoted):
            return super().pay_call(key, change(order), quoted)

    return Paying


class RoundingUp(driver.Case):
    """Rounds up what was spent since midnight seven days ago (bank roundup), and moves `error` minor units more than it shows."""

    error = 0

    def perform(self, operation, args):
        if operation != "round_up":
            return super().perform(operation, args)
        client = self.client.acting()
        entry = client._entry(args["intent"])
        if entry:
            order, shown = entry["order"], values.minor(entry["order"]["amount"], "GBP") - self.error
        else:
            shown = self.sum(client, args["account"])
            order = {"from": args["account"], "to": args["goal"], "currency": "GBP", "amount": values.major(shown + self.error, "GBP")}
        paid = client.pay(args["intent"], order)
        return {"amount": values.major(shown, "GBP"), "currency": "GBP", "payment": paid["payment"]}

    def sum(self, client, account):
        midnight = datetime.now(self.bank.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        first = (midnight - timedelta(days=7)).astimezone(timezone.utc)
        path = "/api/v2/feed/account/%s/settled-transactions-between?minTransactionTimestamp=%s&maxTransactionTimestamp=%s" % (
            account, first.strftime("%Y-%m-%dT%H:%M:%S.000Z"), datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.999Z"))
        spent = [
            item["amount"]["minorUnits"] for item in client.get(path)["feedItems"]
            if item["direction"] == "OUT" and item["status"] == "SETTLED" and item["source"] != "INTERNAL_TRANSFER"]
        total = sum(-units % 100 for units in spent)
        if not total:
            raise Failure("nothing_to_do", "nothing to round up")
        return total


def main(name):
    if name == "--list":
        print("\n".join(name for name in WRONG if name != "right"))
        return
    RoundingUp.error = 1 if name == "round-up-cent-off" else 0
    driver.Case = RoundingUp
    banks.ALL.update((bank.name, paying(bank, WRONG[name])) for bank in list(banks.ALL.values()))
    driver.OPERATIONS.append("round_up")
    driver.Driver(Habits()).run()


main(sys.argv[1])
