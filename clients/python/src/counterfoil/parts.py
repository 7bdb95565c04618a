"""The parts of a session that are set: clock, tokens, sign-ins, faults, outage."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Union

from .admin import AdminAPI
from .errors import CounterfoilError
from .values import AuthorizationInfo, ChallengeInfo, ClockInfo, IssuedToken, OutageInfo, RuleInfo, TokenInfo


class Part:
    """A part of a session; its calls are below `/__admin/sessions/{session}`."""

    def __init__(self, admin: AdminAPI, session: str):
        self._admin = admin
        self._path = ("sessions", session)


def _newest_pending(entries: Sequence[Any], missing: str) -> int:
    """The number of the last of these that is pending. Raises `CounterfoilError` with that message if none is."""
    pending = [entry["number"] for entry in entries if entry["state"] == "pending"]
    if not pending:
        raise CounterfoilError(missing)
    return pending[-1]


class Clock(Part):
    """The bank's clock."""

    def show(self) -> ClockInfo:
        return self._admin.get(*self._path, "clock")

    def set(self, now: Optional[str] = None, *, mode: Optional[str] = None, skew: Optional[str] = None) -> ClockInfo:
        """Sets the clock: `now` is an instant, `mode` is `running` or `frozen`, `skew` is a duration such as `-90s`."""
        return self._admin.put(*self._path, "clock", body={"now": now, "mode": mode, "skew": skew})

    def advance(self, by: str) -> ClockInfo:
        """Advances the clock by a duration such as `16m`."""
        return self._admin.post(*self._path, "clock", "advance", body={"by": by})


class Tokens(Part):
    """The bank's tokens. Without a name, a change applies to all of them."""

    def list(self) -> List[TokenInfo]:
        return self._admin.get(*self._path, "tokens")["tokens"]

    def issue(
        self, login: Optional[str] = None, *, scopes: Optional[Sequence[str]] = None, lifetime: Optional[str] = None
    ) -> IssuedToken:
        """Issues a token: for the first customer, with all scopes and the bank's lifetime, unless the arguments set others."""
        body = {"login": login, "scopes": None if scopes is None else [*scopes], "lifetime": lifetime}
        return self._admin.post(*self._path, "tokens", body=body)

    def expire(self, token: Optional[str] = None) -> None:
        """Expires a token."""
        self._admin.post(*self._path, "tokens", "expire", body={"token": token})

    def revoke(self, token: Optional[str] = None) -> None:
        self._admin.post(*self._path, "tokens", "revoke", body={"token": token})

    def downscope(self, token: Optional[str] = None, *, scopes: Sequence[str] = ()) -> None:
        """Reduces a token to these scopes."""
        self._admin.post(*self._path, "tokens", "downscope", body={"token": token, "scopes": [*scopes]})


class Authorizations(Part):
    """Sign-ins on the bank's page. Without a number, a decision applies to the newest pending sign-in."""

    def list(self) -> List[AuthorizationInfo]:
        return self._admin.get(*self._path, "authorizations")["authorizations"]

    def approve(self, number: Optional[int] = None, *, login: Optional[str] = None) -> str:
        """Signs in as that customer, by default the first, and returns the address with the code that the app gets."""
        return self._decide(number, "approve", login)["redirect"]

    def deny(self, number: Optional[int] = None) -> str:
        """Returns the address with the error that the app gets."""
        return self._decide(number, "deny")["redirect"]

    def cancel(self, number: Optional[int] = None) -> str:
        """Decides nothing, and returns the address with the error that the app gets."""
        return self._decide(number, "cancel")["redirect"]

    def abandon(self, number: Optional[int] = None) -> None:
        """Closes the page: the app gets no response."""
        self._decide(number, "abandon")

    def _decide(self, number: Optional[int], decision: str, login: Optional[str] = None) -> AuthorizationInfo:
        if number is None:
            number = _newest_pending(self.list(), "found no pending sign-in, expected one: the app has not opened the bank's page")
        return self._admin.post(*self._path, "authorizations", str(number), body={"decision": decision, "login": login})


class Challenges(Part):
    """Requests that a customer must confirm. Without a number, a decision applies to the newest pending request."""

    def list(self) -> List[ChallengeInfo]:
        return self._admin.get(*self._path, "challenges")["challenges"]

    def approve(self, number: Optional[int] = None) -> ChallengeInfo:
        """Confirms the request: a challenged payment is executed."""
        return self._decide(number, "approve")

    def deny(self, number: Optional[int] = None) -> ChallengeInfo:
        """Rejects the request: a challenged payment is never executed."""
        return self._decide(number, "deny")

    def _decide(self, number: Optional[int], decision: str) -> ChallengeInfo:
        if number is None:
            number = _newest_pending(self.list(), "found no pending challenge, expected one: the bank has not challenged a request")
        return self._admin.post(*self._path, "challenges", str(number), body={"decision": decision})


class Faults(Part):
    """The rules, each with a fault and the requests that it affects."""

    def list(self) -> List[RuleInfo]:
        """The rules in the order in which they are tried."""
        return self._admin.get(*self._path, "faults")["faults"]

    def set(
        self, fault: Union[str, Mapping[str, Any]], *, on: Optional[Mapping[str, Any]] = None, nth: Optional[int] = None,
        every: Optional[int] = None, first: Optional[int] = None, skip: Optional[int] = None, times: Optional[int] = None,
        probability: Union[float, Mapping[str, Any], None] = None, ttl: Optional[str] = None,
    ) -> str:
        """Sets a rule and returns its id; docs/reference/faults.md has the faults and what `on` takes."""
        rule = {
            "fault": fault, "on": on, "nth": nth, "every": every, "first": first, "skip": skip, "times": times,
            "probability": probability, "ttl": ttl,
        }
        return self._admin.post(*self._path, "faults", body=rule)["id"]

    def remove(self, rule: str) -> None:
        """Removes the rule with that id."""
        self._admin.delete(*self._path, "faults", rule)

    def clear(self) -> None:
        """Removes all rules."""
        self._admin.delete(*self._path, "faults")

    def release(self) -> int:
        """Releases the requests and connections that rules hold, and returns their number."""
        return self._admin.post(*self._path, "faults", "release")["released"]


class Outage(Part):
    """The session's outage: a plan of faults on a timetable."""

    def show(self) -> OutageInfo:
        """The state of the outage. Raises `AdminError` (404) if none was started."""
        return self._admin.get(*self._path, "outage")

    def start(
        self, name: Optional[str] = None, *, plan: Optional[Mapping[str, Any]] = None, for_: Optional[str] = None,
        seed: Optional[int] = None, replace: Optional[bool] = None,
    ) -> None:
        """Starts the outage of this name, or your own plan, for at most the duration `for_`."""
        body = {"name": name, "plan": plan, "for": for_, "seed": seed, "replace": replace}
        self._admin.post(*self._path, "outage", body=body)

    def stop(self) -> None:
        """Ends the outage. Raises `AdminError` (404) if none was started."""
        self._admin.delete(*self._path, "outage")
