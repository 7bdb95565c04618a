"""The errors of this library. All are `CounterfoilError`."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .values import Exchange, Verdict


class CounterfoilError(Exception):
    """An error of this library."""


class AdminError(CounterfoilError):
    """A call that the server rejected, with its problem details (RFC 9457)."""

    def __init__(self, call: str, status: int, problem: Mapping[str, Any]):
        #: The call, such as `POST /__admin/sessions`.
        self.call = call
        #: The status code, such as 404.
        self.status = status
        #: The title of the problem, such as `Not Found`.
        self.title = str(problem.get("title", ""))
        #: One sentence: what was found and what was expected.
        self.detail = str(problem.get("detail", ""))
        #: One sentence for each mistake in the body, each as `place: sentence`; empty if the body has no mistake.
        self.details: Sequence[str] = _details(problem.get("errors"))
        #: The path of keys to the first mistake in the body, such as `fault.lose-reply.by`, or `body` for the whole body; None if
        #: the body has no mistake.
        self.place: Optional[str] = self.details[0].partition(": ")[0] if self.details else None
        super().__init__(f"{call}: {status} {self.title}: {self.detail}")


def _details(errors: Any) -> Sequence[str]:
    """The sentences of these errors. Another server, such as a gateway before this one, may have any value there."""
    if not isinstance(errors, list):
        return []
    return [str(error["detail"]) for error in errors if isinstance(error, dict) and "detail" in error]


class UnreachableError(CounterfoilError):
    """A server that could not be reached, or did not respond in time."""


class StartError(CounterfoilError):
    """A server that could not be started. The message has the program's output."""

    def __init__(self, message: str, has_run: bool = False):
        #: Whether the program was found and has run.
        self.has_run = has_run
        super().__init__(message)


class NoExchangeError(CounterfoilError, TimeoutError):
    """No request matched in time."""

    def __init__(self, message: str, last: Sequence[Exchange]):
        #: The newest exchanges of the journal, oldest first, without headers and bodies.
        self.last = last
        super().__init__(message)


class InconclusiveWarning(UserWarning):
    """No rule was broken, but the journal does not show whether the app complied with one."""


class ExpectationError(CounterfoilError, AssertionError):
    """The app broke a rule, or of one of the suites no rule was exercised."""

    def __init__(self, message: str, verdict: Verdict):
        #: The whole verdict.
        self.verdict = verdict
        super().__init__(message)
