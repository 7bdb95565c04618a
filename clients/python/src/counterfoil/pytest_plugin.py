"""The pytest plugin: one server for the run, a session of a bank for each test, and the check of what the app under test sent.

    @pytest.mark.judged("pay")
    def test_a_lost_response_is_paid_once(bank):
        bank.faults.set({"lose-reply": {"by": "close"}}, on={"role": "pay"}, times=1)
        App(bank.base_url).pay("5.00")

Each worker of pytest-xdist starts its own server, unless COUNTERFOIL_ADMIN names one for all; sessions never share anything.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
import warnings
from typing import Any, Dict, Iterator, List, Optional

import pytest

from .errors import AdminError, CounterfoilError, ExpectationError, StartError, UnreachableError
from .journal import LONGEST_WAIT, exchange_line, unmatched_lines
from .process import LocalServer, serve
from .server import Server, connect, session_label, session_name
from .session import Session
from .values import Exchange

#: The number of requests that a failure shows.
SHOWN = 20
#: The time, in seconds, for which a test without `judged` waits for the end of its requests.
GRACE = 1.0

_session = pytest.StashKey[Session]()
_server = pytest.StashKey[Server]()
_ended_in = pytest.StashKey[str]()
_is_reported = pytest.StashKey[bool]()


class BankWarning(UserWarning):
    """A test passed, but left something behind that it should not: requests in progress, or a session of another run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of pytest.ini or pyproject.toml."""
    parser.addini("counterfoil_bank", "the bank of the fixture `bank`", default="counterfoil")
    parser.addini("counterfoil_banks", "the banks that the server of the run serves; by default all", type="args")
    parser.addini("counterfoil_arguments", "further options of `counterfoil serve`, such as --cors http://localhost:3000", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the markers, for `--strict-markers` and `pytest --markers`."""
    config.addinivalue_line(
        "markers", "judged(*suites, timeout=10, sequential=False): checks the requests of the fixture `bank` once the test has passed; fails it if the app "
        "broke a rule of these suites (auth, pay, retry, wire, invariant, webhooks; by default all), or if no rule of one of them was exercised; `sequential` as for "
        "Session.expect")
    config.addinivalue_line("markers", "bank(name, **options): the bank of the fixture `bank`, with the options of Server.new_session")


@pytest.fixture(scope="session")
def counterfoil_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The server of the run: the one at COUNTERFOIL_ADMIN, else a new one, which ends with the run."""
    address = os.environ.get("COUNTERFOIL_ADMIN")
    try:
        server = connect(address) if address else serve(
            *pytestconfig.getini("counterfoil_banks"), arguments=pytestconfig.getini("counterfoil_arguments"))
    except CounterfoilError as error:
        raise _failure(f"no Counterfoil server: {error}\n{_way_out(error)}") from None
    yield server
    if isinstance(server, LocalServer):
        server.stop()


@pytest.fixture
def bank(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A new session of a bank: its own money, tokens, clock, faults and journal. It is named and labelled after the test."""
    test = request.node.nodeid
    try:
        server = request.getfixturevalue("counterfoil_server")
    except pytest.fail.Exception as failed:
        raise _failure(f"{test}: {failed.msg}") from None
    with _reported(request.node, server):
        session = _new_session(server, request.node)
    request.node.stash[_session], request.node.stash[_server] = session, server
    yield session
    if request.session.exitstatus == pytest.ExitCode.INTERRUPTED:
        # Ctrl-C has ended the server of the run, too.
        with contextlib.suppress(CounterfoilError):
            session.__exit__()
        return
    with _reported(request.node, server):
        try:
            running = [] if _is_reported in request.node.stash else _unfinished(session, GRACE)
        except AdminError as error:
            # A test may have removed its session itself.
            if error.status != 404:
                raise
            running = []
        if running:
            warnings.warn(BankWarning(f"{test} ended while {_listed(running)}\n{_WAIT}"))
        session.__exit__()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Checks the requests of a test that has passed, if it is marked `judged`."""
    result = yield
    marker = item.get_closest_marker("judged")
    if marker is not None:
        _judge(item, marker)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Shows the end of the session's journal with a failure."""
    report = yield
    session = item.stash.get(_session, None)
    if report.when == "call" and report.failed and session is not None:
        try:
            last = session.journal.page(last=SHOWN, brief=True)["entries"]
            lines = [exchange_line(exchange) for exchange in last] + unmatched_lines(session.journal, last)
            text = "\n".join(lines) or "the bank received no request"
        except CounterfoilError as error:
            text = f"its journal cannot be read: {error}"
        report.sections.append((f"Counterfoil session {session.id} of {session.bank}, seed {session.seed}", text))
    return report


def _judge(item: pytest.Item, marker: pytest.Mark) -> None:
    session = item.stash.get(_session, None)
    if session is None:
        pytest.fail(f"{item.nodeid}: found the marker `judged` without the fixture `bank`, expected both: "
                    "add `bank` to the test's arguments, and give the app bank.base_url", pytrace=False)
    with _reported(item, item.stash[_server]):
        running = _unfinished(session, marker.kwargs.get("timeout", 10.0))
        if running:
            item.stash[_is_reported] = True
            pytest.fail(f"{item.nodeid} ended while {_listed(running)}\nIts requests cannot be checked. {_WAIT}", pytrace=False)
        try:
            session.expect(*marker.args, timeout=0, sequential=marker.kwargs.get("sequential", False))
        except ExpectationError as broken:
            raise _failure(f"{item.nodeid}: {broken}") from None


def _new_session(server: Server, item: pytest.Item) -> Session:
    judged = _checked(item)
    marker = item.get_closest_marker("bank")
    name = marker.args[0] if marker and marker.args else item.config.getini("counterfoil_bank")
    options: Dict[str, Any] = {
        "name": session_name(item.nodeid), "labels": {"test": session_label(item.nodeid)}, **(marker.kwargs if marker else {})}
    try:
        session = server.new_session(name, **options)
    except AdminError as error:
        if error.status != 409:
            raise
        other = session_name(f"{item.nodeid} {uuid.uuid4()}")
        warnings.warn(BankWarning(
            f"{item.nodeid}: the server at {server.admin_address} already has the session {options['name']}: another run uses this server, "
            f"or was killed. This test uses {other}; to remove the other, run `counterfoil session rm {options['name']}`."))
        session = server.new_session(name, **{**options, "name": other})
    if judged is not None:
        try:
            session.verdict(*judged.args)
        except AdminError as error:
            session.__exit__()
            raise _failure(f"{item.nodeid}: the marker `judged`: {error.detail}") from None
    return session


def _checked(item: pytest.Item) -> Optional[pytest.Mark]:
    """The marker `judged`, if the test has it. A word that is not understood fails the test: it would otherwise be checked by other rules."""
    marker = item.get_closest_marker("judged")
    if marker is None:
        return None
    for word in marker.args:
        if not isinstance(word, str):
            raise _failure(f'{item.nodeid}: the marker `judged`: found {word!r}, expected names of suites: `judged("auth", "pay")`')
    unknown = sorted(set(marker.kwargs) - {"timeout", "sequential"})
    if unknown:
        raise _failure(f"{item.nodeid}: the marker `judged`: found {unknown[0]}=, expected timeout= or sequential=; suites have no keyword: "
                       '`judged("auth", "pay")`')
    return marker


def _failure(message: str) -> BaseException:
    """A failure that shows its message alone, to be raised `from None` where it takes the place of another error."""
    return pytest.fail.Exception(message, pytrace=False)


@contextlib.contextmanager
def _reported(item: pytest.Item, server: Server) -> Iterator[None]:
    """Turns an error of the admin API into a failure that names the test and what to do."""
    try:
        yield
    except UnreachableError as error:
        raise _failure(f"{item.nodeid}: {_end_of(item, server, error)}") from None
    except AdminError as error:
        raise _failure(
            f"{item.nodeid}: {error}\nThe bank is that of the marker `bank`, or of `counterfoil_bank` in pytest's settings. "
            "Your own banks are those of the folder `Stubs` where pytest starts, or of COUNTERFOIL_STUBS.") from None


def _end_of(item: pytest.Item, server: Server, error: UnreachableError) -> str:
    if not isinstance(server, LocalServer):
        return f"{error}\nCheck that the server at COUNTERFOIL_ADMIN is running, then run the tests again."
    status = server.wait(timeout=1.0)
    if status is None:
        return f"{error}\nThe server of this run is still running, but does not respond: check whether the machine is overloaded."
    first = item.config.stash.setdefault(_ended_in, item.nodeid)
    when = "during this test" if first == item.nodeid else f"during {first}"
    words = server.last_words()
    return (f"the server of this run ended {when}, with status {status}; every later test with a bank fails. Run them again; if nothing "
            "killed the server, report it" + (f" with its output:\n{words}" if words else "; it printed nothing."))


def _unfinished(session: Session, timeout: float) -> List[Exchange]:
    """The exchanges that are in progress still, after at most that many seconds."""
    until = time.monotonic() + timeout
    while True:
        page = session.journal.page(last=100, brief=True)
        running = [exchange for exchange in page["entries"] if exchange["duration_us"] is None]
        left = until - time.monotonic()
        if not running or left <= 0:
            return running
        session.journal.page(last=1, brief=True, revision=page["revision"], wait=min(left, LONGEST_WAIT))


def _listed(running: List[Exchange]) -> str:
    count = "one request was" if len(running) == 1 else f"{len(running)} requests were"
    return f"{count} in progress:" + "".join(f"\n  {exchange_line(exchange)}" for exchange in running[:SHOWN])


_WAIT = "Wait for the app's requests before the test ends (join its threads), or end those that a fault holds with `bank.faults.release()`."


def _way_out(error: CounterfoilError) -> str:
    if isinstance(error, UnreachableError):
        return "Start a server at the address in COUNTERFOIL_ADMIN, or unset it: then the run starts its own."
    if isinstance(error, StartError) and error.has_run:
        return ("Correct what the program's output lists. Tests find the banks in the folder Stubs where they run, in the folder that "
                "COUNTERFOIL_STUBS names, or beside an installed program.")
    if isinstance(error, StartError):
        return ("Put the program `counterfoil` on the path, or its path in COUNTERFOIL, or the admin address of a running server in "
                "COUNTERFOIL_ADMIN. docs/packaging.md shows how to install or download it.")
    if isinstance(error, AdminError):
        return "COUNTERFOIL_ADMIN_TOKEN must contain the server's admin token."
    return "Correct the address in COUNTERFOIL_ADMIN, or the token in COUNTERFOIL_ADMIN_TOKEN."
