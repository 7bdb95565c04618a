"""Starts and controls Counterfoil, a mock bank API with contract tests for bank clients.

    with counterfoil.serve("counterfoil") as server:
        with server.new_session("counterfoil") as bank:
            bank.faults.set({"lose-reply": {"by": "close"}}, on={"role": "pay"}, times=1)
            ...  # the app under test, with bank.base_url
            bank.expect("pay")

Everything is a call of the admin API (docs/admin-api.md); objects that it returns are plain dictionaries with the names of its
reference, which `counterfoil.values` describes for type checkers.
"""

from .errors import (
    AdminError, CounterfoilError, ExpectationError, InconclusiveWarning, NoExchangeError, StartError, UnreachableError,
)
from .journal import Journal
from .parts import Clock, Faults, Outage, Tokens
from .server import Server, connect, session_label, session_name
from .process import LocalServer, serve
from .session import Session

__all__ = [
    "AdminError", "Clock", "CounterfoilError", "ExpectationError", "Faults", "InconclusiveWarning", "Journal", "LocalServer",
    "NoExchangeError", "Outage", "Server", "Session", "StartError", "Tokens", "UnreachableError", "connect", "serve", "session_label",
    "session_name",
]
