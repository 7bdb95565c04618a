"""soaking: what all generators of Tests/Soak/inputs have in common: arguments, inputs by number, the report at the end.

A generator is called with PROGRAM --seed SEED --factor FACTOR [--only N]. Its input number N is made of seed and N alone, so that
--only N repeats it. At the end it prints one line of JSON, its line of the table, and ends with 0 only if all held. A failure is
reported with what was found and what was expected; the input is stored in a file.
"""
import argparse
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
BOUND = float(os.environ.get("SOAK_BOUND", "10"))  # seconds: the longest that an answer, or a close, may take
SHOWN = int(os.environ.get("SOAK_SHOWN", "8"))  # failures, then the run ends


class Failure(Exception):
    """An input at which something did not hold: what was found, and what was expected."""


class Gone(Failure):
    """After this nothing more can be tried: the process under test has ended."""


class Soak:
    """One generator's run.

    - Parameters: what it makes, how many at factor 1, and what must hold of each.
    """

    def __init__(self, what, count, held):
        parser = argparse.ArgumentParser(description=what)
        parser.add_argument("program", type=pathlib.Path)
        parser.add_argument("--seed", default="1")
        parser.add_argument("--factor", type=float, default=1)
        parser.add_argument("--only", type=int, metavar="N", help="this input alone")
        arguments = parser.parse_args()
        self.what, self.held = what, held
        self.program, self.seed, self.only = str(arguments.program.resolve()), arguments.seed, arguments.only
        self.count = 1 if self.only else max(1, round(count * arguments.factor))
        self.failures = 0
        self.kept = {}  # the bytes of inputs, by number, as long as they may be blamed
        self.began = time.monotonic()

    def numbers(self):
        return [self.only] if self.only else range(1, self.count + 1)

    def chooser(self, number):
        """The values that determine an input."""
        return random.Random(f"{self.seed}/{number}")

    def fail(self, number, failure, data=None):
        """Reports a failure, and stores the input in a file."""
        self.failures += 1
        data = data if data is not None else self.kept.get(number)
        name = re.sub(r"[^a-z0-9]+", "-", pathlib.Path(sys.argv[0]).name)
        place = ""
        if data is not None:
            file = pathlib.Path(tempfile.gettempdir()) / f"soak-{name}-{self.seed}-{number}"
            file.write_bytes(data)
            place = f"; the input is in {file}"
        print(f"{name}: input {number} of seed {self.seed}: {failure}{place}\n"
              f"  again: {sys.argv[0]} {self.program} --seed {self.seed} --only {number}", file=sys.stderr, flush=True)
        if isinstance(failure, Gone) or self.failures >= SHOWN:
            self.end()

    def attempt(self, number, body):
        """Runs the body for an input; reports what it finds."""
        try:
            return body()
        except Failure as failure:
            self.fail(number, failure)
        except (ConnectionError, TimeoutError) as error:
            self.fail(number, Failure(f"found {type(error).__name__} ({error}), expected an answer"))

    def end(self):
        """Prints the line of the table, if all held, and ends."""
        seconds = time.monotonic() - self.began
        print(f"{pathlib.Path(sys.argv[0]).name}: {self.count:,} inputs, seed {self.seed}, {seconds:.1f} s", file=sys.stderr)
        if self.failures:
            print(f"{self.what}: {self.failures} of {self.count:,} did not hold", file=sys.stderr, flush=True)
            sys.stdout.flush()
            raise SystemExit(1)
        print(json.dumps({"what": self.what, "inputs": self.count, "held": self.held}, ensure_ascii=False), flush=True)
        raise SystemExit(0)


def shown(value, length=160):
    """Bytes or text for a message: never raw."""
    text = ascii(value)
    return text if len(text) <= length else text[:length] + "…"
