#!/usr/bin/env python3
"""A client on Counterfoil's driver kit, counterfoil_driver.py.

    counterfoil test --client "python3 driver.py" --bank counterfoil --bank roundup

To test your own client write your calls into `Case.perform`; README.md beside it explains how.
"""

import sys
import threading

sys.dont_write_bytecode = True  # a client writes nowhere but in its state_dir

import kit  # noqa: F401
import banks
import counterfoil_driver
import typed
from client import Client, Habits
from errors import Failure
from receiver import Receiver
from store import SHARED

FEATURES = ["persistence", "together", "parallel", "refresh", "ca"] + ["processes"] * SHARED
OPERATIONS = sorted({operation for bank in banks.ALL.values() for operation in bank.operations})
READS = ("accounts", "balance", "transactions", "atms", "goals")


class Case:
    """One case: a client of its own with a folder of its own."""

    def __init__(self, message, habits):
        self.login, self.locale = message.get("login", {}), message.get("locale")
        self.bank = banks.ALL[message["bank"]](message.get("time_zone") or "UTC")
        self.client = Client(self.bank, message, habits)
        self.folder, self.receiver, self.receiver_lock = message["state_dir"], None, threading.Lock()

    def close(self):
        self.client.wire.close()
        if self.receiver:
            self.receiver.close()

    def perform(self, operation, args):
        """Does what a user would do, and returns what they would be shown. Raises Failure."""
        client = self.client.acting()
        if operation == "login":
            client.login(*(args.get(name) or self.login.get(name) for name in ("user", "password", "token")))
            return {"signed_in": True}
        if operation == "authorize_begin":
            return {"url": client.begin()}
        if operation == "authorize_finish":
            client.finish(args["url"])
            return {"signed_in": True}
        if operation == "logout":
            client.logout()
            return {"signed_in": False}
        if operation == "status":
            return {"signed_in": client.signed_in, "prompts": client.prompts}
        if operation in READS:
            return self.read(client, operation, args)
        if operation == "pay":
            return client.pay(args["intent"], self.order(args))
        if operation == "resume":
            return client.resume(args["intent"])
        if operation == "payment_status":
            return client.payment_status(args["intent"], until_ended=args.get("until") == "final")
        if operation == "quote":
            return client.quote(*(args[name] for name in ("intent", "amount", "currency", "target")))
        if operation == "events":
            with self.receiver_lock:
                self.receiver = self.receiver or Receiver(self.folder)
            return self.receiver.report(args.get("secret"), args.get("handling") == "held")
        raise NotImplementedError(operation)

    def read(self, client, operation, args):
        """A read of the bank; of the first account that it lists where none is named."""
        read = getattr(self.bank, operation)
        if operation in ("accounts", "atms"):
            return read(client)
        account = args.get("account")
        if not account:
            shown = self.bank.accounts(client)["accounts"]
            if not shown:
                raise Failure("nothing_to_do", "no account")
            account = shown[0]["id"]
        period = [{name: args.get(name) for name in ("from", "to")}] if operation == "transactions" else []
        return read(client, account, *period)

    def order(self, args):
        """The payment that was asked for; what the user typed counts, where it is given."""
        order = {name: args[name] for name in ("from", "to", "amount", "currency")}
        if args.get("raw_amount") is not None:
            try:
                order["amount"] = typed.major(args["raw_amount"], order["currency"], self.locale)
            except ValueError as error:
                raise Failure("rejected", "no payment: %s" % error, sent=False) from None
        return order

    def result(self, operation, args):
        """The outcome of a step, as the protocol has it."""
        return counterfoil_driver.result(lambda: self.supported(operation, args))

    def supported(self, operation, args):
        if operation not in self.bank.operations:
            raise counterfoil_driver.Unsupported
        return self.perform(operation, args)


class Driver(counterfoil_driver.Driver):
    """The kit's loop, for clients with these habits."""

    def __init__(self, habits):
        super().__init__("python-template 1.0", sorted(banks.ALL), FEATURES, lambda case: Case(case.message, habits))
        self.operations = {name: lambda case, step: case.supported(step.operation, step) for name in OPERATIONS}


if __name__ == "__main__":
    Driver(Habits()).run()
