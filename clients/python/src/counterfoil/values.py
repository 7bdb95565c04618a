"""The objects that the admin API returns, for type checkers. A server may add members."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, TypedDict


class SessionInfo(TypedDict, total=False):
    id: str
    bank: str
    #: The base URL for the app under test.
    base_url: str
    #: Absent if the session has no port of its own.
    port: int
    seed: int
    #: An instant (RFC 3339).
    now: str
    exchanges: int
    rules: int


class ClockInfo(TypedDict):
    now: str
    #: `running` or `frozen`.
    mode: str
    skew: str


class IssuedToken(TypedDict, total=False):
    #: Its name, such as `token#1`; the journal contains only this name.
    id: str
    #: Its text, which no other call returns.
    token: str
    #: Absent if the bank has none.
    refresh_token: str
    #: Absent if it does not expire.
    expires_at: str


class TokenInfo(TypedDict, total=False):
    id: str
    #: `access` or `refresh`.
    kind: str
    login: str
    scopes: List[str]
    #: Absent if it does not expire.
    expires_at: str
    #: `live`, `expired` or `revoked`.
    state: str


class AuthorizationInfo(TypedDict, total=False):
    """An attempt to sign in on the bank's page."""

    number: int
    client: str
    redirect_uri: str
    scopes: List[str]
    #: `pushed`, `pending`, `approved`, `denied` or `abandoned`.
    state: str
    #: The customer who approved.
    login: str
    expires_at: str
    #: The address with which the app is opened; only in the response to a decision.
    redirect: str


class ChallengeInfo(TypedDict, total=False):
    number: int
    id: str
    kind: str
    login: str
    operation: str
    state: str
    code: str
    wrong_codes: int
    expires_at: str


class RuleInfo(TypedDict, total=False):
    """A rule that was set, with its id and counts."""

    id: str
    fault: Any
    on: Dict[str, Any]
    times: int
    matched: int
    fired: int


class OutageInfo(TypedDict, total=False):
    name: str
    running: bool
    #: Milliseconds until its end; absent if it has ended or has no end.
    left_ms: int
    clock: str
    seed: int
    rules: List[RuleInfo]
    skipped: List[str]


class AppliedFault(TypedDict):
    rule: str
    kind: str
    point: str
    applied: bool
    reason: Optional[str]


class Receipt(TypedDict):
    """The part of the response that was actually sent."""

    head_bytes: int
    body_bytes: int
    raw_bytes: int
    unsent: int
    #: `kept`, `fin`, `rst`, `held`, `client-gone`, `incomplete`, …
    end: str


class Exchange(TypedDict, total=False):
    """An entry of the journal. With `brief` it has no headers, bodies and digests."""

    seq: int
    at: str
    mono_ns: int
    #: Microseconds to the end of the response; None while the exchange is in progress.
    duration_us: Optional[int]
    connection: int
    request_on_connection: int
    #: `h1`, `h1s` or `h2`.
    protocol: str
    host: Optional[str]
    #: None if the connection ended before it sent a request.
    method: Optional[str]
    path: str
    query: Optional[str]
    #: None if the request matched no operation.
    operation: Optional[str]
    roles: List[str]
    customer: Optional[str]
    token: Optional[str]
    key: Optional[str]
    attempt: Optional[int]
    #: None if no response was sent, or not yet.
    status: Optional[int]
    #: The dialect's name of a rejection, such as `token-rejected`.
    reply: Optional[str]
    committed: bool
    replayed: bool
    fault: Optional[AppliedFault]
    receipt: Receipt
    request_headers: List[Tuple[str, str]]
    request_body: str
    reply_headers: List[Tuple[str, str]]
    reply_body: str


class JournalPage(TypedDict):
    #: Oldest first.
    entries: List[Exchange]
    revision: int
    oldest: int
    dropped: int
    next_since: int


class Ledger(TypedDict):
    accounts: List[Dict[str, Any]]
    postings: List[Dict[str, Any]]
    movements: List[Dict[str, Any]]
    idempotency: List[Dict[str, Any]]
    balanced: bool


class Violation(TypedDict, total=False):
    expected: str
    seen: str
    #: Both in one sentence.
    headline: str
    #: The numbers of the exchanges that show it.
    exchanges: List[int]


class JudgedRule(TypedDict, total=False):
    id: str
    level: str
    why: str
    trigger: str
    met: int
    #: `pass`, `fail`, `inconclusive` or `not-exercised`.
    verdict: str
    violations: List[Violation]
    cannot_tell: List[Any]
    timeline: List[str]
    timeline_left_out: int


class Verdict(TypedDict):
    session: str
    bank: str
    exchanges: int
    #: Exchanges in progress.
    under_way: int
    dropped: int
    rules: List[JudgedRule]
