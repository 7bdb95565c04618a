#!/usr/bin/env python3
"""defects: a program that stands in for counterfoil and is wrong on purpose, in the way that DEFECT names; with `none` it is right.

Each generator is run against it (Tests/Soak/run --self-test): a check that does not notice its defect is none.
"""
import http.client
import json
import os
import pathlib
import shlex
import stat
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
import admin_commands  # noqa: E402
DEFECT = os.environ.get("DEFECT", "none")
# The report that each generator must give of each defect, and the number of inputs that it takes.
SERVED = {"silence": "expected an answer|found no end", "dies": "ended with|Connection", "wrong-next": "a good request afterwards", "memory": "MB more in memory"}
PAID = {"status-500": "expected no 5xx", "pays-half": "movements, expected", "unbalanced": "not balanced", "descriptors": "descriptors more"}
FILES = {"trap": "exit code 132", "hang": "no end within", "internal": "words for people", "raw": "raw on stderr", "no-line": "a line of the file", "disagree": "to agree",
         "no-json": "one line of JSON", "busy": "1 s of work"}
DEFECTS = {
    "http1": {"factor": 0.01, "defects": SERVED | PAID | {
        "smuggles": "another request's body|at most one behind", "answers-behind": "another request's body|at most one behind", "ignores-upgrade": r"expected \[.*\] first",
        "garbage": "in a response", "loses-payments": "movements, expected"}},
    "http2": {"factor": 0.03, "defects": SERVED | PAID | {
        "answers-malformed": "RFC 9113 §8.1.1|movements, expected", "closes-all": "is allowed|request behind", "goes-on": "RFC 9113 §5.4.1", "garbage": "a frame of kind|whole frames|request behind"}},
    "admin": {"factor": 0.02, "defects": SERVED | {
        "status-500": "a client's fault", "no-detail": "expected problem details", "nameless": "expected the place", "internal": "words for people", "no-json": "expected problem details",
        "unlisted": "has no values for"}},
    "tokens": {"factor": 0.06, "defects": {"token-repeats": "64 bits twice", "token-shows-admin": "found the admin token"}},
    "neighbours": {"factor": 0.004, "defects": {
        "neighbour-503": "session that stays: found 503|again: found 503", "create-503": "POST /sessions: found 503", "loses-payments": "that were acknowledged", "unbalanced": "balanced: False",
        "pays-again": "expected a replay", "state-disagrees": "state check: found the movements", "trap": "state check: found exit code 132"}},
    "slow": {"factor": 0.02, "environment": {"SOAK_HASTE": "0.05"}, "defects": {
        "unbounded": "connections to the port", "takes-extensions": "expected 400, 413 or 431", "never-ends": "found the connection open", "ends-silently": r"expected one of \(408"}},
    "readers": {"factor": 0.015, "defects": {
        "waits": "expected an answer within", "memory": "MB more in memory", "bare-429": "429 with.* Retry-After", "cut-journal": "entries", "gaps": "entries with gaps", "no-json": "a journal in JSON"}},
    "hostile-files": {"factor": 0.05, "defects": {
        "trap": "exit code 132", "hang": "no end within", "marker": "text of the file", "no-file": "one that names the file", "large": "MB in memory", "no-verdict": "expected a verdict"}},
    "hostile-admin": {"factor": 0.01, "defects": {
        "trap": "exit code 132", "hang": "no end within", "raw": "raw on stdout", "injected": "at the beginning of a line", "large": "MB in memory", "unlisted": "has no arguments for"}},
    "banks": {"factor": 0.005, "defects": FILES},
    "contracts": {"factor": 0.01, "defects": FILES},
    "drivers": {"factor": 0.02, "defects": {
        "trap": "exit code 132", "hang": "no end within", "raw": "raw on stdout", "injected": "found the line", "leaves-process": "after the run", "nameless": "mistake, named",
        "fails-good": "nothing wrong"}},
}


def is_odd(file):
    """Whether it is not a file of the usual size."""
    kind = file.lstat()
    return stat.S_IFMT(kind.st_mode) not in (stat.S_IFREG, stat.S_IFDIR) or file.is_dir() and file.suffix in (".yaml", ".json") or kind.st_size > 64 << 20


def validate():
    """`counterfoil validate`: a fault with its place."""
    if DEFECT == "large":
        bytearray(b"x" * (400 << 20))
    if DEFECT == "busy":
        until = time.process_time() + 4
        while time.process_time() < until:
            pass
    if DEFECT == "raw":
        print("\x1b[2J", file=sys.stderr)
    stubs = pathlib.Path(sys.argv[sys.argv.index("--stubs") + 1])
    odd = [file for folder in (stubs, pathlib.Path(sys.argv[sys.argv.index("--contracts") + 1])) for file in folder.rglob("*") if is_odd(file)]
    file = odd[0] if odd and DEFECT != "no-file" else next(stubs.glob("*/bank.yaml"))
    complaint = {"file": str(file), "line": None if DEFECT == "no-line" else 1, "column": 1,
                 "message": "Error Domain=NSCocoaErrorDomain" if DEFECT == "internal" else "found x, expected y", "warning": False}
    if DEFECT == "marker" and file.is_symlink() and file.is_file() and file.stat().st_size:
        complaint["message"] = f"found {file.read_text()}"
    print("so be it" if DEFECT == "no-json" else json.dumps({"sound": DEFECT == "disagree", "complaints": [complaint]}))
    return 2


def test():
    """`counterfoil test`: a driver's mistake, named, or a good run."""
    client = shlex.split(sys.argv[sys.argv.index("--client") + 1])
    record = pathlib.Path(client[-1])
    if client[1].endswith("filing_driver.py"):
        record.write_text("begun\n")
        return 3 if DEFECT == "no-verdict" else 0
    if DEFECT == "raw":
        print("the driver said \x1b[2J")
    if DEFECT == "injected":
        print("the driver said\n::warning::injected")
    if DEFECT == "leaves-process":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(12)", str(record)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if DEFECT == "fails-good":
        return 1
    if DEFECT == "nameless" or int(record.parent.name) % 2:
        record.write_text("no_json result\n")
        print("all is well" if DEFECT == "nameless" else "the driver's line 3 is no JSON")
        return 0 if DEFECT == "nameless" else 3
    return 0


def state_check():
    """`counterfoil state check`: what the ended server has written."""
    print(pathlib.Path(sys.argv[-1]).read_text())
    return 0


def described():
    """The description of the commands that talk to a running server; that of the real program has them in a tree."""
    names = [*admin_commands.ARGUMENTS, *["session steal"] * (DEFECT == "unlisted")]
    option = [{"names": [{"kind": "long", "name": "admin"}]}]
    print(json.dumps({"command": {"subcommands": [{"commandName": name, "arguments": option} for name in names]}}))
    return 0


def ask_admin():
    """Any command that talks to a running server: prints what it gets, in one line."""
    try:
        with urllib.request.urlopen(sys.argv[sys.argv.index("--admin") + 1] + "/__admin/sessions", timeout=10) as response:
            got = response.read((600 if DEFECT == "large" else 1) << 20)
    except (OSError, ValueError, http.client.HTTPException) as error:
        got = error.read() if hasattr(error, "read") else str(error).encode()
    try:
        got = "\n".join(word for word in json.loads(got)["sessions"][0].values() if isinstance(word, str))
    except (ValueError, LookupError, TypeError, AttributeError):
        got = got[:1000].decode(errors="replace")
    if DEFECT == "raw":
        print(got + "\x1b[2J")
    print(got.replace("\x1b", "") + "\n  ::error::injected" if DEFECT == "injected" else ascii(got))
    return 0


def main():
    if sys.argv[1:] == ["--list"]:
        print(json.dumps(DEFECTS))
        return 0
    words = sys.argv[1:]
    if words == ["--experimental-dump-help"]:
        return described()
    if words[0] == "serve":
        import faulty_server
        state = words[words.index("--state") + 1] if "--state" in words else None
        return faulty_server.serve(words[words.index("--ready-file") + 1], DEFECT, state)
    if DEFECT == "trap":
        return 132
    if DEFECT == "hang":
        time.sleep(60)
    return {"validate": validate, "test": test, "state": state_check}.get(words[0], ask_admin)()


if __name__ == "__main__":
    sys.exit(main())
