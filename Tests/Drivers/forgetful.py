"""A client with a mistake that no case knows: after a rejected password it clears the payment orders that it stores.

    counterfoil explore --client "python3 /…/Tests/Drivers/forgetful.py" --bank counterfoil

It is the Python driver of Contracts/drivers otherwise. `explore` finds that the same order then pays again.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers/python"))

import driver
from client import Client, Habits
from errors import Failure


class Forgetful(Client):
    """Clears its payment orders when the bank rejects a password, so that nobody else finds it there."""

    def login(self, user=None, password=None, token=None):
        try:
            return super().login(user, password, token)
        except Failure as failure:
            if failure.name in ("unauthorized", "rejected"):
                with self.store.lock:
                    self.store.change(**{name: None for name in self.store._read() if name.startswith('["wish"')})
            raise


driver.Client = Forgetful
driver.Driver(Habits()).run()
