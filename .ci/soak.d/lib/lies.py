#!/usr/bin/env python3
"""lies: a program that stands in for counterfoil and is wrong on purpose, in the way that LIE names; with `none` it is right.

Each generator is run against it (.ci/soak --self-test): a check that does not notice its lie is none.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.dont_write_bytecode = True
LIE = os.environ.get("LIE", "none")
# The report that each generator must give of each lie, and the number of inputs that it takes.
SERVED = {"silence": "expected an answer|found no end", "dies": "ended with|Connection", "wrong-next": "a good request afterwards", "memory": "MB more in memory"}
PAID = {"status-500": "expected no 5xx", "pays-half": "movements, expected", "unbalanced": "not balanced", "descriptors": "descriptors more"}
FILES = {"trap": "exit code 132", "hang": "no end within", "internal": "words for people", "raw": "raw on stderr", "no-line": "a line of the file", "disagree": "to agree",
         "no-json": "one line of JSON", "busy": "1 s of work"}
LIES = {
    "http1": {"factor": 0.01, "lies": SERVED | PAID | {
        "smuggles": "another request's body|at most one behind", "answers-behind": "another request's body|at most one behind", "deaf": r"expected \[.*\] first",
        "garbage": "in a reply", "loses-payments": "movements, expected"}},
    "http2": {"factor": 0.03, "lies": SERVED | PAID | {
        "answers-malformed": "RFC 9113 §8.1.1|movements, expected", "closes-all": "is allowed|request behind", "goes-on": "RFC 9113 §5.4.1", "garbage": "a frame of kind|whole frames|request behind"}},
    "admin": {"factor": 0.02, "lies": SERVED | {
        "status-500": "a client's fault", "no-detail": "expected problem details", "nameless": "expected the place", "internal": "words for people", "no-json": "expected problem details",
        "unlisted": "has no values for"}},
    "tokens": {"factor": 0.06, "lies": {"token-repeats": "64 bits twice", "token-shows-admin": "found the admin token"}},
    "banks": {"factor": 0.005, "lies": FILES},
    "contracts": {"factor": 0.01, "lies": FILES},
    "drivers": {"factor": 0.02, "lies": {
        "trap": "exit code 132", "hang": "no end within", "raw": "raw on stdout", "injected": "found the line", "leaves-process": "after the run", "nameless": "mistake, named",
        "fails-good": "nothing wrong"}},
}


def validate():
    """`counterfoil validate`: a fault with its place."""
    if LIE == "trap":
        return 132
    if LIE == "hang":
        time.sleep(60)
    if LIE == "busy":
        until = time.process_time() + 4
        while time.process_time() < until:
            pass
    if LIE == "raw":
        print("\x1b[2J", file=sys.stderr)
    stubs = pathlib.Path(sys.argv[sys.argv.index("--stubs") + 1])
    complaint = {"file": str(next(stubs.glob("*/bank.yaml"))), "line": None if LIE == "no-line" else 1, "column": 1,
                 "message": "Error Domain=NSCocoaErrorDomain" if LIE == "internal" else "found x, expected y", "warning": False}
    print("so be it" if LIE == "no-json" else json.dumps({"sound": LIE == "disagree", "complaints": [complaint]}))
    return 2


def test():
    """`counterfoil test`: a driver's mistake, named, or a good run."""
    told = pathlib.Path(shlex.split(sys.argv[sys.argv.index("--client") + 1])[-1])
    if LIE == "trap":
        return 132
    if LIE == "hang":
        time.sleep(60)
    if LIE == "raw":
        print("the driver said \x1b[2J")
    if LIE == "injected":
        print("the driver said\n::warning::injected")
    if LIE == "leaves-process":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(12)", str(told)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if LIE == "fails-good":
        return 1
    if LIE == "nameless" or int(told.parent.name) % 2:
        told.write_text("no_json result\n")
        print("all is well" if LIE == "nameless" else "the driver's line 3 is no JSON")
        return 0 if LIE == "nameless" else 3
    return 0


def main():
    if sys.argv[1:] == ["--list"]:
        print(json.dumps(LIES))
        return 0
    if sys.argv[1] == "serve":
        import lying_server
        return lying_server.serve(sys.argv[sys.argv.index("--ready-file") + 1], LIE)
    return {"validate": validate, "test": test}[sys.argv[1]]()


if __name__ == "__main__":
    sys.exit(main())
