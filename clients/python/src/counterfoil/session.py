"""A session: a bank with its own money, clock, tokens, faults and journal."""

from __future__ import annotations

import time
import warnings
from typing import Any, Dict, List, Mapping, Optional

from .admin import AdminAPI
from .errors import AdminError, CounterfoilError, ExpectationError, InconclusiveWarning
from .journal import LONGEST_WAIT, Journal
from .parts import Authorizations, Challenges, Clock, Faults, Outage, Tokens
from .values import JudgedRule, Ledger, SessionInfo, Verdict


class Session:
    """A session of a running server. As a context manager it removes the session at the end."""

    def __init__(self, admin: AdminAPI, info: SessionInfo):
        self._admin = admin
        self.id = info["id"]
        self.bank = info["bank"]
        #: The base URL for the app under test.
        self.base_url = info["base_url"]
        #: The session's own port; None if it shares the banks' port.
        self.port = info.get("port")
        self.seed = info["seed"]
        self._path = ("sessions", self.id)
        self.clock = Clock(admin, self.id)
        self.tokens = Tokens(admin, self.id)
        self.authorizations = Authorizations(admin, self.id)
        self.challenges = Challenges(admin, self.id)
        self.faults = Faults(admin, self.id)
        self.outage = Outage(admin, self.id)
        self.journal = Journal(admin, self.id)

    def __repr__(self) -> str:
        return f"<Session {self.id} of {self.bank} at {self.base_url}>"

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.remove()
        except AdminError as error:
            # Removed already; or a bank's default session, which stays.
            if error.status not in (404, 409):
                raise

    def info(self) -> SessionInfo:
        return self._admin.get(*self._path)

    def reset(self) -> None:
        """Resets the session to its start: money, clock, rules and journal. Its tokens become invalid."""
        self._admin.post(*self._path, "reset")

    def snapshot(self) -> None:
        """Saves the session's state. A session has at most one snapshot."""
        self._admin.post(*self._path, "snapshot")

    def restore(self) -> None:
        """Restores the session's snapshot."""
        self._admin.post(*self._path, "restore")

    def remove(self) -> None:
        """Removes the session; raises `AdminError` for a bank's default session, which cannot be removed."""
        self._admin.delete(*self._path)

    def close_connections(self) -> None:
        """Closes the connections that carry no request."""
        self._admin.post(*self._path, "connections", "close")

    def provider_state(self, state: str, params: Optional[Mapping[str, Any]] = None, *, action: Optional[str] = None) -> Dict[str, Any]:
        """Sets up or tears down a provider state of a pact; `action` is `setup` or `teardown`. Returns the values that the state created,
        by name, such as `token`."""
        return self._admin.post(*self._path, "provider-state", body={"state": state, "params": params, "action": action})

    def happen(self, event: str, **members: str) -> Dict[str, str]:
        """Triggers an event at the bank, such as `payment-in` with `account` and `amount`, and returns its movement."""
        return self._admin.post(*self._path, "events", body={"event": event, **members})

    def schedule(self, event: str, after: str, *, every: Optional[str] = None, **members: str) -> Dict[str, str]:
        """Schedules an event by the session clock, such as `after="3d"`, `every="month"`."""
        return self._admin.post(*self._path, "schedule", body={"event": event, "in": after, "every": every, **members})

    def add_webhook(self, url: str, *, events: Optional[List[str]] = None, sign: Optional[str] = None) -> Dict[str, Any]:
        """Registers a receiver of webhooks; returns its `id` and the `secret` of its signatures."""
        return self._admin.post(*self._path, "webhooks", body={"url": url, "events": events, "sign": sign})

    def webhook(self, id: str) -> Dict[str, Any]:
        """A receiver with its `deliveries`, and every attempt of each."""
        return self._admin.get(*self._path, "webhooks", id)

    def break_webhook(self, id: str, fault: str, times: int = 1) -> None:
        """Applies a fault to the next deliveries, such as `duplicate` or `forged`."""
        self._admin.post(*self._path, "webhooks", id, "faults", body={"fault": fault, "times": times})

    def ledger(self, last: Optional[int] = None) -> Ledger:
        """Accounts, postings, movements and keys; with `last` only the newest."""
        return self._admin.get(*self._path, "ledger", query={"last": last})

    def balances(self) -> List[Dict[str, str]]:
        """The available balances of the first 200 accounts."""
        return self._admin.get(*self._path, "balances")["balances"]

    def verdict(self, *suites: str, sequential: bool = False) -> Verdict:
        """The verdict on the requests in the journal, by default of all suites.

        sequential  whether the app sends one request at a time, each after it has read the response to the one before: then the
                    order of requests decides rules that are inconclusive otherwise
        """
        for suite in suites:
            if not isinstance(suite, str) or "," in suite:
                raise CounterfoilError(f'found {suite!r}, expected each suite as its own argument, such as "auth", "pay"')
        return self._admin.get(
            *self._path, "verdict", query={"suites": ",".join(suites) or None, "sequential": "true" if sequential else None})

    def expect(self, *suites: str, timeout: float = 10.0, sequential: bool = False) -> Verdict:
        """Returns the verdict once no request is in progress, or after `timeout` seconds; `sequential` as for `verdict`.

        Raises `ExpectationError` if the app broke a rule that it must comply with (`level`), if of one of the suites no rule was
        exercised, or if the journal dropped requests. Warns with `InconclusiveWarning` about each rule
        that the journal cannot decide.
        """
        # pytest shows the line of the test, not this one.
        __tracebackhide__ = True
        until = time.monotonic() + timeout
        while True:
            # The revision first: what ends after it is a change.
            revision = self.journal.page(last=1, brief=True)["revision"]
            verdict = self.verdict(*suites, sequential=sequential)
            left = until - time.monotonic()
            if verdict["under_way"] == 0 or left <= 0:
                break
            self.journal.page(last=1, brief=True, revision=revision, wait=min(left, LONGEST_WAIT))
        broken = [rule for rule in verdict["rules"] if rule["verdict"] == "fail" and rule["level"] == "must"]
        if broken:
            raise ExpectationError("\n".join(_text(rule) for rule in broken), verdict)
        if verdict["dropped"] > 0:
            raise ExpectationError(f"the journal dropped {verdict['dropped']} requests: without them, no rule can pass", verdict)
        silent = [suite for suite in dict.fromkeys(suites or ("",)) if not any(
            rule["verdict"] in ("pass", "fail") and _is_of(rule, suite) for rule in verdict["rules"])]
        if silent:
            named = " and no rule of ".join(silent) or "any suite"
            running = f"; {verdict['under_way']} of them in progress: wait for the app's requests before the check" if verdict["under_way"] else ""
            doubts = "".join(
                f"\n{_doubt(rule)}" for rule in verdict["rules"]
                if rule["verdict"] == "inconclusive" and any(_is_of(rule, suite) for suite in silent))
            raise ExpectationError(
                f"found no rule of {named} exercised in {verdict['exchanges']} requests, expected at least one{' of each' if suites[1:] else ''}"
                f"{running}{doubts}", verdict)
        for rule in verdict["rules"]:
            if rule["verdict"] == "inconclusive":
                warnings.warn(_doubt(rule), InconclusiveWarning, stacklevel=2)
        return verdict


def _is_of(rule: JudgedRule, suite: str) -> bool:
    """Whether it is a rule of the suite. Rules of every suite show invariants; the empty suite stands for all."""
    return suite in ("", "invariant") or rule["id"].startswith(f"{suite}.")


def _doubt(rule: JudgedRule) -> str:
    doubt = next(iter(rule["cannot_tell"]), None)
    if doubt is None:
        return f"{rule['id']} is inconclusive: the journal dropped entries"
    return f"{rule['id']} is inconclusive: {doubt['seen']}; {doubt['reason']}; to decide it, {doubt['do']}"


def _text(rule: JudgedRule) -> str:
    lines = [violation["headline"] for violation in rule["violations"]] + [f"why: {rule['why']}"] + rule["timeline"]
    return rule["id"] + "".join(f"\n  {line}" for line in lines)
