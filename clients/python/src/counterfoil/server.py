"""A running server."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Dict, List, Mapping, Optional, Union

from .admin import AdminAPI
from .session import Session
from .values import SessionInfo


class Server:
    """A running server, as its admin API shows it."""

    def __init__(self, admin: AdminAPI):
        #: For calls that this library has no method for: `server.admin.get("banks")`.
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
        """Every kind of fault with its point, protocols and example settings."""
        return self.admin.get("fault-kinds")["kinds"]

    def outages(self) -> List[Dict[str, str]]:
        """The outages that can be started."""
        return self.admin.get("outages")["outages"]

    def metrics(self) -> str:
        """Metrics in Prometheus text format."""
        return self.admin.get("metrics")

    def sessions(self) -> List[SessionInfo]:
        return self.admin.get("sessions")["sessions"]

    def session(self, id: str = "default") -> Session:
        """The session with that id. A bank's default session has the bank's name; `default` is that of the first bank.

        Raises `AdminError` (404) if there is none.
        """
        return Session(self.admin, self.admin.get("sessions", id))

    def new_session(
        self, bank: str, *, name: Optional[str] = None, seed: Optional[int] = None,
        clock: Union[str, Mapping[str, str], None] = None, listen: Union[bool, str, None] = None, plan: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None, ttl: Optional[str] = None,
        authorize: Optional[str] = None,
        challenges: Optional[str] = None,
    ) -> Session:
        """Makes a session of a bank.

        - name: 1 to 63 of a-z, 0-9 and -; `session_name` makes one from a test's id.
        - clock: an instant at which the clock is frozen, or the settings of a clock: `{"now": …, "mode": "running"}`.
        - listen: true for a separate port, `tls` for a separate port with TLS.
        - plan: the outage that runs from the start.
        - labels: texts by which the session can be found, such as `{"team": "ios"}`.
        - ttl: the time after which an unused session is removed, such as `5m`; by default that of `serve --session-ttl`.
        - challenges: `otp`, `decoupled` or `redirect` makes customers confirm payments and reads of old rows; `off` does not.
        - authorize: `auto` lets the sign-in page approve at once if its address has `auto=approve`.
        """
        body = {
            "bank": bank, "name": name, "seed": seed, "clock": clock, "listen": listen, "plan": plan,
            "labels": None if labels is None else dict(labels), "ttl": ttl,
            "authorize": authorize,
            "challenges": challenges,
        }
        return Session(self.admin, self.admin.post("sessions", body=body))

    def shutdown(self) -> None:
        """Stops the server after it has sent the responses in progress."""
        self.admin.post("shutdown")


def session_name(test: str) -> str:
    """The name of a session for a test, from the test's id: `session_name(request.node.nodeid)` with pytest.

    An id that is already a valid name is returned unchanged. Any other is reduced to its letters and digits, at most 54, followed by
    eight digits of its SHA-256: different ids get different names, and an id gets the same name in every run.
    """
    if re.fullmatch("[a-z0-9-]{1,63}", test):
        return test
    readable = re.sub("[^a-z0-9]+", "-", test.lower()).strip("-")[:54].strip("-")
    return (readable + "-" if readable else "") + hashlib.sha256(test.encode()).hexdigest()[:8]


def session_label(test: str) -> str:
    """The value of a label for a test, from the test's id: the last 63 characters, with `-` for those that a label cannot have."""
    return re.sub("[^A-Za-z0-9_.:/@+ -]+", "-", test)[-63:].strip() or "test"


def connect(address: Optional[str] = None, *, token: Optional[str] = None, timeout: float = 30.0) -> Server:
    """A server that is already running.

    - address: the address of its admin API; by default COUNTERFOIL_ADMIN, else `http://127.0.0.1:8081`, as for the command `counterfoil`.
    - token: by default COUNTERFOIL_ADMIN_TOKEN.
    - timeout: seconds for which a call waits for each part of the response.

    Raises `UnreachableError` if it does not answer, `AdminError` if it rejects the token.
    """
    address = address or os.environ.get("COUNTERFOIL_ADMIN") or "http://127.0.0.1:8081"
    admin = AdminAPI(address, token or os.environ.get("COUNTERFOIL_ADMIN_TOKEN"), timeout)
    admin.get("health")
    return Server(admin)
