#!/usr/bin/env python3
"""Counterfoil's driver protocol, version 1: one JSON object a line on stdin, one on stdout. Logs go to stderr.

    counterfoil test --client "python3 driver.py" --bank counterfoil --bank roundup

To test your own client keep this file and write your calls into `Case.perform`; README.md beside it says how.
"""

import json
import os
import sys
import threading
import traceback

sys.dont_write_bytecode = True  # a client writes nowhere but in its state_dir

import banks
import typed
from client import Client, Habits
from errors import Failure
from store import SHARED

FEATURES = ["persistence", "together", "parallel", "refresh", "ca"] + ["processes"] * SHARED
OPERATIONS = sorted({operation for bank in banks.ALL.values() for operation in bank.operations})


class Case:
    """One case: a client of its own with a folder of its own."""

    def __init__(self, message, habits):
        self.login, self.locale = message.get("login", {}), message.get("locale")
        self.bank = banks.ALL[message["bank"]](message.get("time_zone") or "UTC")
        self.client = Client(self.bank, message, habits)
        self.steps = []

    def perform(self, operation, args):
        """Does what a person would do, and returns what they would be shown. Raises Failure."""
        client, bank = self.client.acting(), self.bank
        if operation == "login":
            client.login(*(args.get(name) or self.login.get(name) for name in ("user", "password", "token")))
            return {"signed_in": True}
        if operation == "logout":
            client.logout()
            return {"signed_in": False}
        if operation == "status":
            return {"signed_in": client.signed_in, "prompts": client.prompts}
        if operation == "accounts":
            return bank.accounts(client)
        if operation == "balance":
            return bank.balance(client, self.account(client, args))
        if operation == "transactions":
            return bank.transactions(client, self.account(client, args), {name: args.get(name) for name in ("from", "to")})
        if operation == "atms":
            return bank.atms(client)
        if operation == "goals":
            return bank.goals(client, self.account(client, args))
        if operation == "pay":
            return client.pay(args["intent"], self.order(args))
        if operation == "resume":
            return client.resume(args["intent"])
        raise NotImplementedError(operation)

    def order(self, args):
        """The payment that was asked for; what the person typed counts, where it is given."""
        order = {name: args[name] for name in ("from", "to", "amount", "currency")}
        if args.get("raw_amount") is not None:
            try:
                order["amount"] = typed.major(args["raw_amount"], order["currency"], self.locale)
            except ValueError as error:
                raise Failure("rejected", "no payment: %s" % error, sent=False) from None
        return order

    def account(self, client, args):
        """The account that was named, else the first that the bank lists."""
        if args.get("account"):
            return args["account"]
        shown = self.bank.accounts(client)["accounts"]
        if not shown:
            raise Failure("nothing_to_do", "no account")
        return shown[0]["id"]

    def result(self, operation, args):
        if operation not in self.bank.operations:
            return {"outcome": "unsupported"}
        try:
            return {"outcome": "ok", "view": self.perform(operation, args)}
        except Failure as failure:
            return {"outcome": "error", "error": failure.name, "detail": failure.detail}


class Driver:
    def __init__(self, habits):
        self.habits, self.cases, self.writing = habits, {}, threading.Lock()

    def say(self, **message):
        with self.writing:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    def run(self):
        for line in sys.stdin:
            message = json.loads(line)
            kind, name = message.get("t"), message.get("case")
            if kind == "hello":
                self.say(t="hello", v=1, nonce=message["nonce"], client="python-template 1.0", banks=sorted(banks.ALL),
                         operations=OPERATIONS, features=FEATURES)
            elif kind == "case":
                self.cases[name] = Case(message, self.habits)
                self.say(t="ready", case=name)
            elif kind == "step":
                case = self.cases[name]
                step = threading.Thread(target=self.step, args=(case, message))
                case.steps.append(step)
                step.start()  # on a thread of its own, as several steps may be under way at once
            elif kind == "end":
                case = self.cases.pop(name)
                for step in case.steps:
                    step.join()
                case.client.wire.close()
                self.say(t="ended", case=name)
            elif kind == "bye":
                break

    def step(self, case, message):
        try:
            result = case.result(message["op"], message.get("args", {}))
        except Exception:  # a mistake of ours: a client that is gone is noticed at once, one that says nothing is not
            traceback.print_exc()
            os._exit(70)
        self.say(t="result", case=message["case"], n=message["n"], **result)


if __name__ == "__main__":
    Driver(Habits()).run()
