"""A client with a mistake that no case knows: when it shows data it forgets the payment orders that have ended.

    counterfoil explore --client "python3 /…/Tests/Drivers/forgetful.py" --bank counterfoil

It is the Python driver of Contracts/drivers otherwise. `explore` finds that the same order then pays again.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))

import driver
from client import Habits


class Forgetful(driver.Case):
    """Tidies up its store while it shows data."""

    def perform(self, operation, args):
        shown = super().perform(operation, args)
        store = self.client.store
        if operation in ("accounts", "balance", "transactions"):
            with store.lock:
                ended = [name for name, value in store._read().items() if isinstance(value, dict) and value.get("state") == "done"]
                store.change(**{name: None for name in ended})
        return shown


driver.Case = Forgetful
driver.Driver(Habits()).run()
