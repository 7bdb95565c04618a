"""A server as a child process: `counterfoil serve`."""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Dict, List, Optional, Sequence

from .admin import AdminAPI
from .download import find_program
from .errors import CounterfoilError, StartError
from .server import Server


#: The processes that were started and not ended, each with the id of the process that started it.
_started: "Dict[subprocess.Popen[bytes], int]" = {}
#: The signals that end this process and call nothing of `atexit`.
SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class LocalServer(Server):
    """A server that this process has started. As a context manager it ends at the end of the block."""

    def __init__(self, admin: AdminAPI, process: "subprocess.Popen[bytes]", ready: Dict[str, Any], output: IO[bytes]):
        super().__init__(admin)
        #: The address of the banks.
        self.bank_address: str = ready["bank"]
        #: The address of each bank, by its name.
        self.bank_addresses: Dict[str, str] = ready["banks"]
        #: The seed for all random values; the same seed makes the same bank.
        self.seed: int = ready["seed"]
        #: The line of JSON that the server printed when it was ready.
        self.ready = ready
        self._process, self._output = process, output
        atexit.register(self.stop)

    def __enter__(self) -> "LocalServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_status(self) -> Optional[int]:
        """The status with which the process has ended; None while it runs."""
        return self._process.poll()

    def wait(self, timeout: float = 10.0) -> Optional[int]:
        """The status with which the process has ended, or ends within `timeout` seconds; None if it still runs then."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def last_words(self) -> str:
        """The last output of the program on standard error; empty after `stop`."""
        return "" if self._output.closed else _text(self._output)[-2000:]

    def stop(self, timeout: float = 10.0) -> None:
        """Stops the server and waits until it has ended: gracefully, or by force after `timeout` seconds. A second call does nothing."""
        atexit.unregister(self.stop)
        end(self._process, timeout)
        self._output.close()


def serve(
    *banks: str, program: Optional[str] = None, stubs: Optional[str] = None, seed: Optional[int] = None, state: Optional[str] = None,
    plan: Optional[str] = None, tls: bool = False, port: int = 0, admin_port: int = 0, admin_token: Optional[str] = None,
    arguments: Sequence[str] = (), timeout: float = 30.0,
) -> LocalServer:
    """Starts `counterfoil serve` with these banks, or all of them, and returns when it is ready.

    - program: the command, or the path of the program; by default COUNTERFOIL, else `counterfoil` on the path, else the archive at
      COUNTERFOIL_URL, which is downloaded once.
    - stubs: the folder of the banks; by default COUNTERFOIL_STUBS, else as for the command.
    - seed: the seed for all random values; by default a new one each time.
    - state: a file that stores all sessions.
    - plan: an outage that runs on every bank from the start.
    - port, admin_port: 0 for any free port.
    - admin_token: the token that every admin call must have; by default COUNTERFOIL_ADMIN_TOKEN. It is not on the command line.
    - arguments: further options of `counterfoil serve`.
    - timeout: the longest wait, in seconds.

    Raises `StartError` with the program's output if it ends, or is not ready in time.
    """
    for bank in banks:
        if not isinstance(bank, str):
            raise CounterfoilError(f'found {bank!r}, expected each bank as its own argument, such as "counterfoil", "roundup"')
    program = find_program(program)
    stubs = stubs or os.environ.get("COUNTERFOIL_STUBS")
    command = [program, "serve", *banks, "--quiet", "--port", str(port), "--admin-port", str(admin_port)]
    for option, value in (("--stubs", stubs), ("--seed", seed), ("--state", state), ("--plan", plan)):
        command += [] if value is None else [option, str(value)]
    if tls:
        command += ["--tls"] + ([] if any(word.startswith("--tls-port") for word in arguments) else ["--tls-port", "0"])
    command += arguments
    token = admin_token or os.environ.get("COUNTERFOIL_ADMIN_TOKEN")
    environment = {**os.environ, **({"COUNTERFOIL_ADMIN_TOKEN": token} if token else {})}
    # A file, not a pipe: nobody reads it while the server runs, and a full pipe would stop it.
    output = tempfile.TemporaryFile()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=output, env=environment)
    except OSError as error:
        output.close()
        raise StartError(
            f"cannot run {program}: {error.strerror}; expected the program `counterfoil`, on the path, in COUNTERFOIL or as `program`"
        ) from error
    end_with_this_process(process)
    try:
        ready = json.loads(_first_line(process, timeout))
        return LocalServer(AdminAPI(ready["admin"], token), process, ready, output)
    except BaseException as error:
        end(process, 2.0)
        words = _text(output)
        output.close()
        if isinstance(error, (ValueError, LookupError)):
            shown = f"{' '.join(_without_secrets(command))}: {error}" + (f"; its output:\n{words}" if words else "")
            raise StartError(shown, has_run=True) from None
        raise


def _without_secrets(command: Sequence[str]) -> List[str]:
    """The words of a command without the value of `--admin-token`: errors stand in logs that others read."""
    name, shown = "--admin-token", []
    for before, word in zip(("", *command), command):
        shown.append("***" if before == name else f"{name}=***" if word.startswith(f"{name}=") else word)
    return shown


def _first_line(process: "subprocess.Popen[bytes]", timeout: float) -> bytes:
    """The first line of the process's output. Raises `ValueError` if it ends first, or after that many seconds."""
    until, line = time.monotonic() + timeout, b""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, until - time.monotonic())):
                raise ValueError(f"found no ready line after {timeout:g} s, expected one")
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                raise ValueError(f"it ended with status {process.wait()}, expected a ready line")
            line += piece
    return line


def _text(output: IO[bytes]) -> str:
    # Not `seek`: the process writes at the same position.
    return os.pread(output.fileno(), os.fstat(output.fileno()).st_size, 0).decode("utf-8", "replace").strip()


def end_with_this_process(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process if a signal ends this one. A handler of the program's own is not replaced; another thread than the main one sets none."""
    _started[process] = os.getpid()
    for number in SIGNALS if threading.current_thread() is threading.main_thread() else ():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end_all)


def end_all(number: int, _: Any) -> None:
    """A handler of a signal: ends the processes, then this one as the signal does."""
    for process, starter in list(_started.items()):
        # A copy of the process (`fork`) has this handler too, but not the server.
        if starter == os.getpid():
            process.terminate()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def end(process: "subprocess.Popen[bytes]", timeout: float) -> None:
    """Ends a process, and waits until it has ended: gracefully, or by force after that many seconds."""
    _started.pop(process, None)
    for number in SIGNALS if not _started and threading.current_thread() is threading.main_thread() else ():
        if signal.getsignal(number) is end_all:
            signal.signal(number, signal.SIG_DFL)
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()
