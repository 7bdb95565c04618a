"""counterfoil-mcp: Counterfoil for agents, as a server of the Model Context Protocol on standard input and output.

It uses the server at COUNTERFOIL_ADMIN, which must be on this machine, or starts `counterfoil serve` on free ports of 127.0.0.1 and ends
it with itself. Files that a tool reads, writes or runs are in the folder in which it was started, or below a folder of --allow.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.metadata
import ipaddress
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import urllib.parse
from typing import Any, Callable, Dict, List, Literal, Optional, Sequence

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:
    sys.exit("counterfoil-mcp: found no package mcp 2.3 or later, expected it: pip install 'counterfoil-client[mcp]'")

from .download import find_program
from .errors import AdminError, CounterfoilError
from .process import SIGNALS, LocalServer, end, end_all, end_with_this_process, serve
from .server import Server, connect
from .session import Session

ABOUT = """A mock bank API, and tests of bank clients. Begin with `banks`; make a session for each task, give the client under test its \
`base_url`, inject faults, and read `verdict`. To test a client with a driver: `new_driver`, `check_driver`, `test_driver`. \
`explain_case` returns what a case requires. All of it is on this machine; no money is real."""
#: The programs that run a driver, by the end of its file's name; any other file is run itself.
RUNNERS = {".py": sys.executable, ".js": "node", ".mjs": "node"}
#: The longest answer of a program, in characters: the end counts.
LONGEST = 20_000


class Desk:
    """The server, the folders and the program that the tools share."""

    def __init__(self, folders: Sequence[pathlib.Path], client: Optional[str]):
        self.folders, self.client = [folder.resolve() for folder in folders], client
        self._server: Optional[Server] = None
        self._lock = threading.Lock()

    @functools.cached_property
    def program(self) -> str:
        """The program, found when a tool first needs it."""
        return find_program()

    def server(self, banks: Sequence[str] = (), stubs: Optional[str] = None) -> Server:
        """The server: at COUNTERFOIL_ADMIN, else one of our own, which is started if there is none, or it has ended."""
        with self._lock:
            if isinstance(self._server, LocalServer) and self._server.exit_status is not None:
                self._server = None
            if self._server is None:
                address = os.environ.get("COUNTERFOIL_ADMIN")
                if address and not is_local(address):
                    raise ToolError(f"found {address} in COUNTERFOIL_ADMIN, expected an address of this machine, such as http://127.0.0.1:8081")
                self._server = connect(address) if address else serve(*banks, stubs=stubs)
            elif banks or stubs:
                raise ToolError(f"a server is already running at {self._server.admin_address}, expected neither banks nor stubs")
            return self._server

    def session(self, name: str) -> Session:
        """The session with that name."""
        return self.server().session(name)

    def path(self, text: str) -> str:
        """The whole path of a file or folder that may be used."""
        path = pathlib.Path(text).expanduser().resolve()
        if not any(path == folder or folder in path.parents for folder in self.folders):
            raise ToolError(f"found {path}, expected a path in {' or '.join(map(str, self.folders))}; to use another folder, start "
                            "counterfoil-mcp with --allow FOLDER")
        return str(path)

    def driver(self, text: Optional[str]) -> str:
        """The command of a driver: that of --client, or one that runs this file."""
        if not text:
            if not self.client:
                raise ToolError("found no driver, expected the path of its file, or counterfoil-mcp started with --client COMMAND")
            return self.client
        path = self.path(text)
        if not pathlib.Path(path).is_file():
            raise ToolError(f"found no file {path}, expected a driver; `new_driver` writes one")
        runner = RUNNERS.get(pathlib.Path(path).suffix)
        return shlex.join([runner, path] if runner else [path])

    def run(self, *words: str, stubs: Optional[str] = None, timeout: float = 60.0) -> Dict[str, Any]:
        """Runs `counterfoil` in the first folder; its exit code and what it wrote."""
        folder = self.path(stubs) if stubs else os.environ.get("COUNTERFOIL_STUBS")
        command = [self.program, *words, *(["--stubs", folder] if folder else [])]
        contracts = os.environ.get("COUNTERFOIL_CONTRACTS")
        command += ["--contracts", contracts] if contracts else []
        try:
            process = subprocess.Popen(
                command, cwd=self.folders[0], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except OSError as error:
            raise ToolError(f"cannot run {self.program}: {error.strerror}; put `counterfoil` on the path, or its path in COUNTERFOIL") from None
        end_with_this_process(process)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            # Not by force: it ends its drivers first, and may report on them.
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10.0)
            raise ToolError(f"{words[0]} was ended after {timeout:g} s: give a larger `timeout`, or a `filter` for fewer cases") from None
        finally:
            end(process, 0.0)
        return {"exit_code": process.returncode, "output": output.decode("utf-8", "replace")[-LONGEST:]}


def is_local(address: str) -> bool:
    """Whether the address is one of this machine: localhost, 127.0.0.0/8 or ::1."""
    host = urllib.parse.urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bank_name(text: str) -> str:
    """The name of a bank. Anything else could be a path, or an option of the command, such as one that writes a file anywhere."""
    if not re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_.-]*", text):
        raise ToolError(f"found the bank {text!r}, expected a name, such as roundup; `stubs` is the folder")
    return text


def tools(desk: Desk) -> List[Callable[..., Any]]:
    """All tools; the first sentences of each are what the agent reads."""

    def start_server(banks: List[str] = [], stubs: Optional[str] = None) -> Dict[str, Any]:
        """Starts a server with these banks, by default all; `stubs` is a folder of banks. Other tools start one if needed."""
        server = desk.server(list(map(bank_name, banks)), desk.path(stubs) if stubs else None)
        return {"admin": server.admin_address, "dashboard": server.admin_address + "/", "banks": server.version()["banks"]}

    def banks() -> List[Dict[str, Any]]:
        """The banks, with their operations, roles and customers (login, password)."""
        return desk.server().banks()

    def sessions() -> List[Dict[str, Any]]:
        """The sessions of all banks."""
        return list(map(dict, desk.server().sessions()))

    def new_session(bank: str, name: Optional[str] = None, seed: Optional[int] = None, clock: Optional[str] = None) -> Dict[str, Any]:
        """Makes a session: a bank with its own money, tokens, clock, faults and journal. `base_url` is the client's address. With `clock`,
        an instant (RFC 3339), its clock is frozen there. `name`: 1 to 63 of a-z, 0-9 and -."""
        return dict(desk.server().new_session(bank, name=name, seed=seed, clock=clock, labels={"by": "counterfoil-mcp"}).info())

    def end_session(session: str, how: Literal["reset", "remove"] = "remove") -> str:
        """Removes a session, or resets its money, clock, faults and journal."""
        found = desk.session(session)
        found.reset() if how == "reset" else found.remove()
        return "done"

    def fault_kinds() -> List[Dict[str, Any]]:
        """The kinds of faults, with example settings."""
        return desk.server().fault_kinds()

    def set_fault(session: str, fault: Any, on: Optional[Dict[str, Any]] = None, times: Optional[int] = None) -> Dict[str, str]:
        """Injects a fault: `fault` such as {"lose-reply": {"by": "close"}} or {"status": {"status": 503}}, `on` such as {"role": "pay"},
        `times` how often. Returns its id."""
        return {"id": desk.session(session).faults.set(fault, on=on, times=times)}

    def faults(session: str, do: Literal["list", "clear", "release"] = "list") -> List[Dict[str, Any]]:
        """Lists a session's faults with the counts of their applications; or removes all; or releases the requests that they hold."""
        found = desk.session(session).faults
        if do != "list":
            getattr(found, do)()
        return list(map(dict, found.list()))

    def outage(session: str, start: Optional[str] = None, for_: Optional[str] = None, stop: bool = False) -> Dict[str, Any]:
        """Starts an outage by name, such as `maintenance`, for a duration such as `5m`; or stops it. Returns its status, null
        if there is none, and all names."""
        found = desk.session(session).outage
        if start:
            found.start(start, for_=for_, replace=True)
        elif stop:
            found.stop()
        try:
            status = dict(found.show())
        except AdminError as error:
            if error.status != 404:
                raise
            status = None
        return {"status": status, "outages": desk.server().outages()}

    def clock(session: str, advance: Optional[str] = None, now: Optional[str] = None) -> Dict[str, Any]:
        """A session's clock; `advance` moves it on by a duration such as `16m`, `now` sets it to an instant."""
        found = desk.session(session).clock
        return dict(found.advance(advance) if advance else found.set(now) if now else found.show())

    def tokens(session: str, do: Literal["list", "expire", "revoke"] = "list", token: Optional[str] = None) -> List[Dict[str, Any]]:
        """A session's tokens by name, without their texts; or expires or revokes one, by default all."""
        found = desk.session(session).tokens
        if do != "list":
            getattr(found, do)(token)
        return list(map(dict, found.list()))

    def issue_token(session: str, login: Optional[str] = None, lifetime: Optional[str] = None) -> Dict[str, Any]:
        """Issues an access token of the mock bank to a customer, such as `ava`."""
        return dict(desk.session(session).tokens.issue(login, lifetime=lifetime))

    def journal(session: str, last: int = 50, brief: bool = True) -> Dict[str, Any]:
        """The newest requests with their responses, oldest first; without `brief`, with headers and bodies."""
        return dict(desk.session(session).journal.page(last=last, brief=brief))

    def exchange(session: str, number: int) -> Dict[str, Any]:
        """One request of the journal, with headers, bodies and the curl command that repeats it."""
        return dict(desk.session(session).journal.exchange(number))

    def ledger(session: str, last: int = 50) -> Dict[str, Any]:
        """The bank's accounts, postings, movements and idempotency keys: whether money moved, and how often."""
        return dict(desk.session(session).ledger(last))

    def event(session: str, event: str, settings: Dict[str, Any] = {}) -> Any:
        """Triggers an event at the bank, such as `payment-in` with {"account": "ava-gbp", "amount": "1200.00"}."""
        found = desk.session(session)
        return desk.server().admin.post("sessions", found.id, "events", body={"event": event, **settings})

    def verdict(session: str, suites: List[str] = [], sequential: bool = False) -> Dict[str, Any]:
        """Checks a session's recorded requests: which rules of the suites auth, pay, retry, wire, invariant and webhooks (by default all)
        the client kept or broke, and which requests show it. `sequential`: the client sends one request at a time."""
        return dict(desk.session(session).verdict(*suites, sequential=sequential))

    def explain_case(case: str) -> Dict[str, Any]:
        """What a test case requires, why, and its steps."""
        return desk.run("test", f"--explain={case}")

    def validate(bank: Optional[str] = None, stubs: Optional[str] = None) -> Dict[str, Any]:
        """Checks the files of a bank, by default of all; `stubs` is their folder. Each mistake has its file, line and column."""
        return desk.run("validate", *([bank_name(bank)] if bank else []), stubs=stubs)

    def new_driver(language: Literal["python", "javascript", "java", "swift"], folder: str = "driver") -> Dict[str, Any]:
        """Writes a driver with a small working client, to replace with yours; its README.md has the steps."""
        path = desk.path(folder)
        ended = subprocess.run(
            [desk.program, "new", "driver", "--language", language, "--out", path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return {"exit_code": ended.returncode, "output": ended.stdout + ended.stderr, "folder": path}

    def check_driver(driver: Optional[str] = None, bank: Optional[str] = None) -> Dict[str, Any]:
        """Starts a driver, signs in and reads once; lists the operations that it supports. `driver` is the path of its file."""
        return desk.run("driver", "check", "--client", desk.driver(driver), *([f"--bank={bank}"] if bank else []))

    def test_driver(driver: Optional[str] = None, bank: Optional[str] = None, filter: List[str] = [], seed: int = 7,
                    compare_only: bool = False, timeout: float = 300.0) -> Dict[str, Any]:
        """Tests a client through its driver. `filter`: suites, cases or globs such as pay.*; `compare_only` runs no case, but compares what
        the client shows with the expected results (`test --try`). The exit code is 0 for success, 1 if the client failed."""
        words = [f"--filter={name}" for name in filter] + ([f"--bank={bank}"] if bank else [])
        words += ["--try"] if compare_only else ["--seed", str(seed)]
        return desk.run("test", "--client", desk.driver(driver), *words, timeout=timeout)

    return [
        start_server, banks, sessions, new_session, end_session, fault_kinds, set_fault, faults, outage, clock, tokens, issue_token, journal,
        exchange, ledger, event, verdict, explain_case, validate, new_driver, check_driver, test_driver,
    ]


def reported(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool, with this library's errors, and those of a path or word with a null byte, as results that the agent reads."""
    @functools.wraps(tool)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return tool(*arguments, **named)
        except (CounterfoilError, ValueError) as error:
            raise ToolError(str(error)) from None
    return called


class StrictServer(MCPServer):
    """A server that rejects an argument that its tool does not have: the package would ignore it, and do something else than was asked."""

    async def call_tool(self, name: str, arguments: Dict[str, Any], *others: Any, **named: Any) -> Any:
        known = next((tool.input_schema.get("properties", {}) for tool in await self.list_tools() if tool.name == name), None)
        unknown = sorted(set(arguments) - set(known)) if known is not None else []
        if unknown:
            raise ToolError(f"{name}: found {', '.join(unknown)}, expected {', '.join(known) or 'no argument'}")
        return await super().call_tool(name, arguments, *others, **named)


def _version() -> str:
    """The version of the installed package; empty if the tools run from its source."""
    try:
        return importlib.metadata.version("counterfoil-client")
    except importlib.metadata.PackageNotFoundError:
        return ""


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Serves the tools until standard input ends."""
    parser = argparse.ArgumentParser("counterfoil-mcp", description="Counterfoil for agents: a server of the Model Context Protocol.")
    parser.add_argument("--allow", metavar="FOLDER", action="append", default=[], help="a further folder whose files the tools may use; repeatable")
    parser.add_argument("--client", metavar="COMMAND", help="the command of the driver that is tested unless a tool names a file")
    options = parser.parse_args(arguments)
    desk = Desk([pathlib.Path.cwd(), *map(pathlib.Path, options.allow)], options.client)
    server = StrictServer("counterfoil", instructions=ABOUT, version=_version())
    for tool in tools(desk):
        server.tool()(reported(tool))
    # Tools run on threads, which can set no handlers: a signal would leave their processes behind.
    for number in (signal.SIGINT, *SIGNALS):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end_all)
    server.run()
