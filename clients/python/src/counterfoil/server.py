"""A running server."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Union

from .admin import AdminAPI
from .session import Session
from .values import SessionInfo


class Server:
    """A running server, as its admin API shows it."""

    def __init__(self, admin: AdminAPI):
        #: Calls that this library has no method for: `server.admin.get("banks")`.
        self.admin = admin

    @property
    def admin_address(self) -> str:
        return self.admin.address

    def version(self) -> Dict[str, Any]:
        """Version, seed and the banks' names."""
        return self.admin.get("version")

    def banks(self) -> List[Dict[str, Any]]:
        """The banks with their operations, roles and customers."""
        return self.admin.get("banks")["banks"]

    def fault_kinds(self) -> List[Dict[str, Any]]:
        """Every kind of fault with its point, protocols and settings to begin with."""
        return self.admin.get("fault-kinds")["kinds"]

    def outages(self) -> List[Dict[str, str]]:
        """The outages that can be started."""
        return self.admin.get("outages")["outages"]

    def metrics(self) -> str:
        """Counts, as text for Prometheus."""
        return self.admin.get("metrics")

    def sessions(self) -> List[SessionInfo]:
        return self.admin.get("sessions")["sessions"]

    def session(self, id: str = "default") -> Session:
        """The session with that id. A bank's standing session has the bank's name; `default` is that of the first bank.

        Raises `AdminError` (404) if there is none.
        """
        return Session(self.admin, self.admin.get("sessions", id))

    def new_session(
        self, bank: str, *, name: Optional[str] = None, seed: Optional[int] = None,
        clock: Union[str, Mapping[str, str], None] = None, listen: Union[bool, str, None] = None, plan: Optional[str] = None,
    ) -> Session:
        """Makes a session of a bank.

        - clock: an instant at which the clock stands, or the settings of a clock: `{"now": …, "mode": "running"}`.
        - listen: true for a port of its own, `tls` for one under TLS.
        - plan: the outage that it begins with.
        """
        body = {"bank": bank, "name": name, "seed": seed, "clock": clock, "listen": listen, "plan": plan}
        return Session(self.admin, self.admin.post("sessions", body=body))

    def shutdown(self) -> None:
        """Ends the server. Replies that are being sent are finished."""
        self.admin.post("shutdown")


def connect(address: Optional[str] = None, *, token: Optional[str] = None, timeout: float = 30.0) -> Server:
    """A server that runs already.

    - address: of its admin API; by default COUNTERFOIL_ADMIN, else `http://127.0.0.1:8081`, as for the command `counterfoil`.
    - token: by default COUNTERFOIL_ADMIN_TOKEN.
    - timeout: seconds for which a call waits for each part of its answer.

    Raises `UnreachableError` if it does not answer, `AdminError` if it refuses the token.
    """
    address = address or os.environ.get("COUNTERFOIL_ADMIN") or "http://127.0.0.1:8081"
    admin = AdminAPI(address, token or os.environ.get("COUNTERFOIL_ADMIN_TOKEN"), timeout)
    admin.get("health")
    return Server(admin)
