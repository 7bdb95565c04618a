"""The journal of a session: the requests and their responses."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional

from .errors import CounterfoilError, NoExchangeError
from .parts import Part
from .values import Exchange, JournalPage

#: The longest time, in seconds, for which one request waits for a change; the server allows 25.
LONGEST_WAIT = 20.0
#: The number of entries that one request asks for while it searches.
PAGE = 500
#: A value of each text that a wanted exchange can have.
EXAMPLES = {"operation": "accounts", "role": "pay", "method": "POST", "path": "/v1/payments"}


class Journal(Part):
    """The journal of a session: the last 10,000 requests with their responses."""

    def page(
        self, *, since: Optional[int] = None, before: Optional[int] = None, limit: Optional[int] = None, last: Optional[int] = None,
        operation: Optional[str] = None, status: Optional[int] = None, brief: Optional[bool] = None, revision: Optional[int] = None,
        wait: Optional[float] = None,
    ) -> JournalPage:
        """One page, with the numbers that the next query needs. With `revision` and `wait` (seconds) it returns once the journal
        has changed, or after that time."""
        query = {
            "since": since, "before": before, "limit": limit, "last": last, "operation": operation, "status": status, "brief": brief,
            "revision": revision, "wait": None if wait is None else f"{max(1, round(wait * 1000))}ms",
        }
        return self._admin.get(*self._path, "journal", query=query, longer=wait or 0.0)

    def exchanges(self, *, operation: Optional[str] = None, status: Optional[int] = None, since: Optional[int] = None) -> List[Exchange]:
        """The requests so far with their responses, oldest first."""
        return self.page(operation=operation, status=status, since=since)["entries"]

    def last_seq(self) -> int:
        """The number of the newest exchange, for `after`; 0 if the journal is empty."""
        newest = self.page(last=1, brief=True)["entries"]
        return newest[0]["seq"] if newest else 0

    def wait_for_exchange(
        self, matches: Optional[Callable[[Exchange], Any]] = None, *, timeout: float = 10.0, after: int = 0,
        operation: Optional[str] = None, role: Optional[str] = None, status: Optional[int] = None, method: Optional[str] = None,
        path: Optional[str] = None,
    ) -> Exchange:
        """Returns the first exchange that matches all of these: immediately if it is in the journal, otherwise as soon as it arrives.

        The exchange may be in progress, without a status; give `status`, or `matches=lambda exchange: exchange["status"]`, for one
        that is answered. The server reports changes, so nothing is polled.

        - matches: returns true for the wanted exchange.
        - timeout: the longest wait, in seconds.
        - after: only exchanges with a number above this; `last_seq()` returns one.

        Raises `NoExchangeError` if none came in time.
        """
        if not (matches is None or callable(matches)):
            raise CounterfoilError(f"found {matches!r}, expected a function of an exchange, or a keyword such as role={matches!r}")
        texts = {"operation": operation, "role": role, "method": method, "path": path}
        for name, value in texts.items():
            if not (value is None or isinstance(value, str)):
                raise CounterfoilError(f"found {name}={value!r}, expected a string, such as {name}={EXAMPLES[name]!r}")
        if not (status is None or isinstance(status, int) and not isinstance(status, bool)):
            raise CounterfoilError(f"found status={status!r}, expected a number, such as status=200")
        wanted = {"operation": operation, "status": status, "method": method, "path": path}
        wanted = {name: value for name, value in wanted.items() if value is not None}

        def fits(exchange: Exchange) -> bool:
            return (
                all(exchange.get(name) == value for name, value in wanted.items())
                and (role is None or role in exchange["roles"])
                and (matches is None or bool(matches(exchange)))
            )

        until = time.monotonic() + timeout
        since, revision = after, None
        while True:
            left = max(0.0, until - time.monotonic())
            wait = None if revision is None else min(left, LONGEST_WAIT)
            page = self.page(since=since, limit=PAGE, revision=revision, wait=wait)
            # The revision of the first page: a later page may come after an exchange of this one has changed.
            revision, resume = page["revision"], None
            while True:
                for exchange in page["entries"]:
                    if fits(exchange):
                        return exchange
                    if resume is None and exchange["duration_us"] is None:
                        resume = exchange["seq"] - 1  # in progress: it is looked at again
                if len(page["entries"]) < PAGE:
                    break
                page = self.page(since=page["next_since"], limit=PAGE)
            since = page["next_since"] if resume is None else resume
            if time.monotonic() >= until:
                raise self._none(timeout, role, wanted, matches)

    def _none(self, timeout: float, role: Optional[str], wanted: dict[str, Any], matches: Any) -> NoExchangeError:
        words = [f"{name} {value}" for name, value in ({"role": role} if role else {}).items()]
        words += [f"{name} {value}" for name, value in wanted.items()] + (["the condition"] if matches else [])
        last = self.page(last=20, brief=True)["entries"]
        lines = "".join(f"\n  {exchange_line(exchange)}" for exchange in last)
        return NoExchangeError(
            f"found no exchange with {', '.join(words) or 'any request'} after {timeout:g} s, expected one; "
            + (f"the end of the journal:{lines}" if last else "the bank received no request"), last)

    def exchange(self, seq: int) -> Exchange:
        """One request with its response, and a curl command that sends it again."""
        return self._admin.get(*self._path, "journal", str(seq))

    def unmatched(self) -> List[Exchange]:
        """The requests that matched no operation, each with the closest operations."""
        return self._admin.get(*self._path, "journal", "unmatched")["entries"]

    def har(self) -> Any:
        """The journal as an HTTP archive."""
        return self._admin.get(*self._path, "journal", "har")

    def clear(self) -> None:
        """Deletes all entries."""
        self._admin.delete(*self._path, "journal")


def unmatched_lines(journal: Journal, shown: List[Exchange]) -> List[str]:
    """A line for each request among these that matched no operation of the bank, with the operation nearest to it."""
    if all(exchange["operation"] is not None or exchange["status"] is None for exchange in shown):
        return []
    numbers = {exchange["seq"] for exchange in shown}
    return [
        f"#{exchange['seq']} matched no operation of the bank; the nearest is {near['wants']}: {'; '.join(near['reasons'])}"
        for exchange in journal.unmatched() if exchange["seq"] in numbers for near in exchange["nearest"][:1]]


def exchange_line(exchange: Exchange) -> str:
    """One line that shows an exchange: `#3 GET /v1/accounts → 200`."""
    shown = [str(exchange["status"])] if exchange["status"] else []
    if exchange["duration_us"] is None:
        shown.append("in progress")
    return f"#{exchange['seq']} {exchange['method'] or 'no request'} {exchange['path']} → {', '.join(shown) or 'no response'}"
