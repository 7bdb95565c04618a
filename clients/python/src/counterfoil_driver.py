"""Turns a Python client into a driver: Counterfoil operates it, and reads what the user would see.

    from counterfoil_driver import Driver, Failure

    driver = Driver("acme-bank 2.1", banks=["counterfoil"], open=lambda case: Bank(case.base_url))

    @driver.operation
    def login(bank, step):
        bank.sign_in(step["user"], step["password"])
        return {"signed_in": True}

    driver.run()

An app that signs in on the bank's page has the operations `authorize_begin`, which returns {"url": the address it would open}, and
`authorize_finish`, whose step["url"] is the address that the app is opened with. One whose users confirm payments by a code or in
another app has `challenge_answer`, with step["intent"] and step["code"], which returns {"challenge": "approved"}. One that
shows the customer's consents has `consents`, which returns {"consents": [{"id": …, "state": "authorised"}]}, and `consent_revoke`, with
step["consent"], which returns {"state": "revoked"}. One that shows an account while the bank's stream keeps it up to date has `watch`, with
step["account"], which returns {"balance": "112.00", "transactions": [{"id": …, "amount": "12.00"}]}.

One file without dependencies, to copy or install. Steps run on separate threads, never on the main thread. While `run`
works, file descriptor 1 leads to stderr, so nothing that the client prints can corrupt the protocol.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import sys
import tempfile
import threading
import traceback
import typing
import urllib.error
import urllib.parse
import zlib
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ERRORS = (
    "unauthorized", "consent_expired", "forbidden", "not_found", "conflict", "rejected", "rate_limited", "unavailable", "offline",
    "timeout", "tls", "too_large", "decode", "outcome_unknown", "cancelled", "nothing_to_do", "failed")
_PAYING = ("pay", "resume", "round_up")
# Without a final response it is unknown whether a payment was made; 409 for a key still in use is not final. An account that does not
# exist is a rejection.
_OF_PAYMENTS = {
    **dict.fromkeys(("offline", "timeout", "tls", "too_large", "decode", "unavailable", "conflict"), "outcome_unknown"), "not_found": "rejected"}
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.ENETDOWN)


class Failure(Exception):
    """A step that failed.

    name    the error of the driver protocol, such as "timeout"
    detail  free text for the report, without secrets
    sent    whether a byte of the request may have been sent; a payment without a final response is then `outcome_unknown`
    shown   whether the client shows the error to the user
    """

    def __init__(self, name: str, detail: str = "", sent: bool = True, shown: bool = True) -> None:
        if name not in ERRORS:
            raise ValueError("found the error %r, expected one of %s" % (name, ", ".join(ERRORS)))
        super().__init__(detail or name)
        self.name, self.detail, self.sent = name, (detail or name).encode("utf-8", "replace").decode(), sent
        self.shown = shown
        self._is_called_off = False

    @classmethod
    def of_status(cls, status: int, detail: str = "") -> Failure:
        """The failure that a status means, for a bank without its own error codes."""
        known = {401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict", 410: "not_found", 429: "rate_limited"}
        other = "unavailable" if status >= 500 else "rejected" if status >= 400 else "decode"
        return cls(known.get(status, other), "status %d%s" % (status, detail and ": " + detail))

    @classmethod
    def of(cls, error: BaseException) -> typing.Optional[Failure]:
        """The failure that an exception of the standard library means; None for any other exception, which is a bug in the driver."""
        if isinstance(error, Failure):
            return error
        if _is_of_futures(error, "CancelledError"):
            called_off = cls("cancelled", "the request was cancelled")
            called_off._is_called_off = True
            return called_off
        if isinstance(error, urllib.error.HTTPError):
            return cls.of_status(error.code)
        if isinstance(error, urllib.error.URLError):
            # urllib wraps what happened before an answer began: the connection, or the sending of the request.
            found = cls.of(error.reason) if isinstance(error.reason, BaseException) else None
            return found or cls("offline", str(error.reason))
        if isinstance(error, ssl.SSLCertVerificationError):
            return cls("tls", str(error), sent=False)
        if isinstance(error, ssl.SSLError):
            return cls("tls", str(error))
        if isinstance(error, (TimeoutError, socket.timeout)) or _is_of_futures(error, "TimeoutError"):
            return cls("timeout", str(error))
        if isinstance(error, (ConnectionRefusedError, socket.gaierror)) or isinstance(error, OSError) and error.errno in _UNREACHABLE:
            return cls("offline", str(error), sent=False)
        if isinstance(error, (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionError)):
            return cls("offline", type(error).__name__)
        if isinstance(error, (http.client.HTTPException, json.JSONDecodeError, UnicodeDecodeError, gzip.BadGzipFile, zlib.error)):
            return cls("decode", type(error).__name__)
        if isinstance(error, ValueError) and _is_of_redirect(error):
            return cls("decode", "a redirection to no address")
        if isinstance(error, RecursionError) and _is_raised_in(error, "json", "simplejson"):
            return cls("decode", "JSON that is nested too deep")
        if isinstance(error, EOFError) and _is_raised_in(error, "gzip"):
            return cls("decode", "a compressed body without its end")
        return None


def _is_of_redirect(error: ValueError) -> bool:
    """Whether `urllib` could not read the address of a redirection."""
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1:] != [] and frames[-1].filename == urllib.parse.__file__ and any(frame.name == "http_error_302" for frame in frames)


def _is_raised_in(error: BaseException, *packages: str) -> bool:
    """Whether the code of one of these packages raised the error."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and str(step.tb_frame.f_globals.get("__name__")).split(".")[0] in packages


def _is_of_futures(error: BaseException, name: str) -> bool:
    """Whether it is the error of that name of `asyncio` or `concurrent.futures`, whose TimeoutError is a class apart before Python 3.11."""
    return any(kind.__name__ == name and kind.__module__.split(".")[0] in ("asyncio", "concurrent") for kind in type(error).__mro__)


class Unsupported(Exception):
    """The client does not have the operation, such as on this bank."""


class Silent(Exception):
    """The client showed the user nothing, neither data nor an error."""


@dataclasses.dataclass(frozen=True)
class Login:
    """A customer. `token` is there on banks without a login call."""

    user: typing.Optional[str] = None
    password: typing.Optional[str] = None
    token: typing.Optional[str] = None

    @classmethod
    def of(cls, message: typing.Mapping[str, typing.Any]) -> "Login":
        return cls(message.get("user"), message.get("password"), message.get("token"))


class Case:
    """A case that begins: the bank's address, the customer, the folder for everything that the client writes."""

    def __init__(self, message: typing.Dict[str, typing.Any]) -> None:
        limits = message.get("timeouts") or {}
        self.message = message
        self.id: str = message["case"]
        self.base_url: str = message["base_url"]
        self.bank: str = message["bank"]
        self.state_dir: str = message["state_dir"]
        self.login = Login.of(message.get("login") or {})
        self.customers = [Login.of(other) for other in message.get("customers") or []]
        self.ca_file: typing.Optional[str] = message.get("ca_file")
        self.pins: typing.List[str] = message.get("pins") or []
        self.time_zone = ZoneInfo(message.get("time_zone") or "UTC")
        self.locale: typing.Optional[str] = message.get("locale")
        self.connect_seconds: float = limits.get("connect_ms", 2000) / 1000
        self.total_seconds: float = limits.get("total_ms", 5000) / 1000
        #: The longest first pause before a retry, for a client whose pauses can be configured; None if its own pauses are tested.
        self.backoff_seconds: typing.Optional[float] = limits["backoff_ms"] / 1000 if "backoff_ms" in limits else None
        self.now: typing.Optional[str] = message.get("now")
        self.resumed: bool = bool(message.get("resumed"))
        self.process: int = message.get("process") or 1


class Step(typing.Dict[str, typing.Any]):
    """One step, with its arguments by name. A `login` without a user has the `user`, `password` and `token` of the case.

    case       the Case
    operation  its name
    now        the current time, for clients with the feature `clock`
    cancelled  an Event, set when the harness no longer waits for the step (feature `cancel`)
    """

    def __init__(self, case: Case, operation: str, args: typing.Dict[str, typing.Any], now: typing.Optional[str] = None) -> None:
        login = dataclasses.asdict(case.login) if operation == "login" else {}
        super().__init__({**{name: value for name, value in login.items() if value is not None}, **args})
        self.case, self.operation, self.now, self.cancelled = case, operation, now, threading.Event()

    def instant(self, name: str) -> typing.Optional[datetime]:
        """The argument of that name, such as `from`, as an instant in UTC; None if there is none."""
        return instant(self[name]) if name in self else None


def result(
    work: typing.Callable[[], typing.Any], pays: bool = False, own: typing.Callable[[Exception], typing.Optional[Failure]] = lambda error: None
) -> typing.Dict[str, typing.Any]:
    """Does the work of a step, and gives its outcome as a message's fields.

    pays  whether money may move: then a failure that leaves it open is `outcome_unknown`
    own   the meaning of an error of the client's own; None for any other
    """
    try:
        return {"outcome": "ok", "view": _whole(work())}
    except Unsupported:
        return {"outcome": "unsupported"}
    except Silent:
        return {"outcome": "silent"}
    except BaseException as error:  # the CancelledError of asyncio is no Exception
        failure = (own(error) if isinstance(error, Exception) else None) or Failure.of(error)
        if failure is None:
            raise
        name = failure.name
        if pays and failure.sent:
            # A request that was called off on its way may have paid; what the client itself calls cancelled has not.
            name = "outcome_unknown" if failure._is_called_off else _OF_PAYMENTS.get(name, name)
        if not failure.shown:
            return {"outcome": "silent", "error": name}
        return {"outcome": "error", "error": name, "detail": failure.detail}


def _whole(view: typing.Any) -> typing.Any:
    """The view. A text with half of a surrogate pair, as `json` reads it from `"\\ud800"`, is not valid text: `decode`."""
    try:
        json.dumps(view, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Failure("decode", "a text with half of a surrogate pair") from None
    return view


class Driver:
    """The loop between the harness and a client."""

    def __init__(
        self, client: str, banks: typing.Optional[typing.Sequence[str]] = None, features: typing.Sequence[str] = (),
        open: typing.Optional[typing.Callable[[Case], typing.Any]] = None,
        failure: typing.Callable[[Exception], typing.Optional[Failure]] = lambda error: None,
    ) -> None:
        """
        client    name and version
        banks     those that the client supports; None for all
        features  what it can do beyond single operations, such as "persistence"
        open      makes the client of a case; its method `close`, if it has one, is called at the end
        failure   the meaning of an error of the client's own; None for any other
        """
        self.client, self.banks, self.features = client, banks, features
        self.operations: typing.Dict[str, typing.Callable[[typing.Any, Step], typing.Any]] = {}
        self.writing, self.out = threading.Lock(), 1
        self._open = open
        self._failure = failure
        self._cases: typing.Dict[str, typing.Tuple[Case, typing.Any, typing.Dict[int, typing.Tuple[threading.Thread, Step]]]] = {}
        self._endings: typing.List[threading.Thread] = []

    def operation(self, function: typing.Callable[[typing.Any, Step], typing.Any]) -> typing.Callable[[typing.Any, Step], typing.Any]:
        """Declares the operation that has the function's name. It gets the client and the step, and returns the view."""
        self.operations[function.__name__] = function
        return function

    def open(self, case: Case) -> typing.Any:
        return self._open(case) if self._open else None

    def run(self, arguments: typing.Optional[typing.Sequence[str]] = None) -> None:
        """Runs until stdin ends. With the arguments `--try URL OPERATION [NAME=VALUE]…` it executes these operations once and prints their results."""
        words = sys.argv[1:] if arguments is None else list(arguments)
        self.out = os.dup(1)
        os.dup2(2, 1)
        if words[:1] == ["--try"]:
            return self._try(words[1:])
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            message = json.loads(line)
            if message.get("t") == "bye":
                break
            self._handle(message)
        for thread in [thread for _, _, steps in self._cases.values() for thread, _ in steps.values()] + self._endings:
            thread.join()

    def send(self, **message: typing.Any) -> None:
        """Writes one line of the protocol."""
        with self.writing:
            line = json.dumps(message).encode() + b"\n"
            while line:
                line = line[os.write(self.out, line):]

    def _handle(self, message: typing.Dict[str, typing.Any]) -> None:
        kind, name = message.get("t"), message.get("case")
        if kind == "hello":
            banks = {} if self.banks is None else {"banks": list(self.banks)}
            self.send(t="hello", v=1, nonce=message["nonce"], client=self.client, **banks, operations=list(self.operations),
                     features=list(self.features))
        elif kind == "case":
            case = Case(message)
            self._cases[name] = (case, self.open(case), {})
            self.send(t="ready", case=name)
        elif kind == "step":
            case, client, steps = self._cases[name]
            step = Step(case, message["op"], message.get("args") or {}, message.get("now"))
            steps[message["n"]] = (_started(self._answer, client, step, message["n"]), step)
        elif kind == "cancel" and name in self._cases:
            _, step = self._cases[name][2].get(message["n"], (None, None))
            if step is not None:
                step.cancelled.set()
        elif kind == "end":
            _, client, steps = self._cases.pop(name)
            # Cases do not wait for each other.
            self._endings.append(_started(self._end, name, client, [thread for thread, _ in steps.values()]))

    def _answer(self, client: typing.Any, step: Step, n: int) -> None:
        self.send(t="result", case=step.case.id, n=n, **self._result(client, step))

    def _end(self, name: str, client: typing.Any, steps: typing.List[threading.Thread]) -> None:
        for thread in steps:
            thread.join()
        if hasattr(client, "close"):
            client.close()
        self.send(t="ended", case=name)

    def _result(self, client: typing.Any, step: Step) -> typing.Dict[str, typing.Any]:
        handler = self.operations.get(step.operation)
        if handler is None:
            return {"outcome": "unsupported"}
        return result(lambda: handler(client, step), pays=step.operation in _PAYING, own=self._failure)

    def _try(self, words: typing.List[str]) -> None:
        if not words or "=" in words[0] or words[1:2] and "=" in words[1]:
            sys.exit("usage: --try URL [OPERATION [NAME=VALUE]…]…, such as --try http://127.0.0.1:8080/counterfoil login user=ava password=correct-horse")
        url = words[0].rstrip("/")
        asked: typing.List[typing.Tuple[str, typing.Dict[str, str]]] = []
        for word in words[1:]:
            name, is_argument, value = word.partition("=")
            if is_argument:
                asked[-1][1][name] = value
            else:
                asked.append((word, {}))
        bank = url.rsplit("/", 1)[-1]
        if self.banks and bank not in self.banks:
            bank = self.banks[0]
        with tempfile.TemporaryDirectory() as folder, _removed_at_signal(folder):
            case = Case({"case": "try", "base_url": url, "bank": bank, "state_dir": folder})
            client = self.open(case)
            for operation, args in asked or [("status", {})]:
                found = self._result(client, Step(case, operation, args))
                text = "%s: %s" % (operation, json.dumps(found, ensure_ascii=False))
                os.write(self.out, text.encode() + b"\n")
            if hasattr(client, "close"):
                client.close()


def _started(work: typing.Callable[..., None], *args: typing.Any) -> threading.Thread:
    """A thread that does the work. A bug in the driver ends the program: a client that is gone is noticed at once, one without output is not."""
    def run() -> None:
        try:
            work(*args)
        except BaseException:  # `sys.exit` too: it would end the thread alone
            traceback.print_exc()
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            os._exit(70)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@contextlib.contextmanager
def _removed_at_signal(folder: str) -> typing.Iterator[None]:
    """Removes the folder, which can hold tokens, before Ctrl-C, SIGTERM or SIGHUP ends the process. A signal that is ignored stays so."""
    def end(number: int, _: typing.Any) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    names = ["SIGINT", "SIGTERM", "SIGHUP"] if threading.current_thread() is threading.main_thread() else []
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    caught = [number for number in numbers if before[number] not in (signal.SIG_IGN, None)]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])


# Amounts and days as views have them: texts, read exactly.

DIGITS = {
    "BHD": 3, "BIF": 0, "CLF": 4, "CLP": 0, "DJF": 0, "GNF": 0, "IQD": 3, "ISK": 0, "JOD": 3, "JPY": 0, "KMF": 0, "KRW": 0, "KWD": 3,
    "LYD": 3, "OMR": 3, "PYG": 0, "RWF": 0, "TND": 3, "UGX": 0, "UYI": 0, "UYW": 4, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0}


def digits(currency: str) -> int:
    """The number of digits after the decimal point in amounts of the currency (ISO 4217). Raises ValueError if the text is not a currency."""
    if not isinstance(currency, str) or not re.fullmatch("[A-Z]{3}", currency, re.ASCII):
        raise ValueError("not a currency code")
    return DIGITS.get(currency, 2)


def minor(text: str, currency: str) -> int:
    """The minor units of an amount in major units: ("12.30", "GBP") gives 1230. No floating point, no rounding; raises ValueError."""
    match = re.fullmatch(r"(-?)([0-9]{1,18})(?:\.([0-9]{1,18}))?", text if isinstance(text, str) else "")
    if not match:
        raise ValueError("not an amount")
    count, fraction = digits(currency), match[3] or ""
    if fraction[count:].strip("0"):
        raise ValueError("more digits than the currency has")
    units = int(match[2] + fraction[:count].ljust(count, "0"))
    return -units if match[1] else units


def major(units: int, currency: str) -> str:
    """An amount of minor units as text: (1230, "GBP") gives "12.30"."""
    if isinstance(units, bool) or not isinstance(units, int):
        raise ValueError("minor units must be a whole number")
    count = digits(currency)
    text = str(abs(units)).rjust(count + 1, "0")
    return ("-" if units < 0 else "") + (text[:-count] + "." + text[-count:] if count else text)


def instant(text: str) -> datetime:
    """An instant of RFC 3339. A leap second, which only the end of June or December has, is read as the second before it.

    Raises ValueError.
    """
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?([Zz]|([+-])(\d\d):(\d\d))", text if isinstance(text, str) else "", re.ASCII)
    if not match:
        raise ValueError("not an instant")
    seconds = "59" if match[3] == "60" else match[3]
    local = datetime.fromisoformat("%s %s:%s.%s" % (match[1], match[2], seconds, (match[4] or "").ljust(6, "0")[:6]))
    offset = timedelta()
    if match[6]:
        if int(match[7]) > 23 or int(match[8]) > 59:
            raise ValueError("not a valid time zone offset")
        offset = timedelta(hours=int(match[7]), minutes=int(match[8]))
    try:
        found = (local - (offset if match[6] != "-" else -offset)).replace(tzinfo=timezone.utc)
    except OverflowError:
        raise ValueError("not an instant of the years 1 to 9999") from None
    if match[3] == "60" and found.strftime("%m-%d %H:%M") not in ("06-30 23:59", "12-31 23:59"):
        raise ValueError("not a leap second")
    return found


def day(text: str, zone: ZoneInfo) -> str:
    """The day of an instant in a time zone, such as "2026-01-12"; of a text that is a day, that day. Raises ValueError."""
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return date.fromisoformat(text).isoformat()
    try:
        return instant(text).astimezone(zone).date().isoformat()
    except OverflowError:
        raise ValueError("not a day of the years 1 to 9999") from None
