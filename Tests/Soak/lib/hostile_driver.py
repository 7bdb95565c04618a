"""hostile_driver SEED NUMBER FILE: the shipped driver in Python, one of whose lines is made wrong; FILE records which, and how."""
import json
import os
import pathlib
import random
import signal
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Contracts/drivers/python"), str(HERE)]  # each has a module `wire`
import driver  # noqa: E402
from oddities import RAW, odd, text, with_odd  # noqa: E402

EVIL = "\x1b[2J\x1b]0;x\x07\u202e\x9b31m\r\n::warning::injected\r::error::injected\n::add-mask::e\n::stop-commands::x\n"
LONG, LONGEST = 5_000_000, 300_000_000  # bytes


class Hostile(driver.Driver):
    """Counts its lines, and makes one wrong."""

    def __init__(self, seed, number, file):
        super().__init__(driver.Habits())
        self.chooser, self.file, self.said = random.Random(f"{seed}/{number}"), pathlib.Path(file), 0
        self.turn = self.chooser.choice([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9])
        self.way = self.chooser.choice(WAYS)

    def say(self, **message):
        with self.writing:
            line = json.dumps(message).encode() + b"\n"
            if self.said == self.turn and not self.file.exists():  # a restarted process behaves
                self.file.write_text(f"{self.way.__name__} {message['t']}\n")
                line = self.way(self, message, line)
            self.said += 1
            try:
                while line:
                    line = line[os.write(self.out, line):]
            except OSError:
                os._exit(0)

    # MARK: ways; each gives the bytes that are written instead

    def no_json(self, _message, line):
        # A line without a type stays as it is where its type is taken away: that is nothing wrong.
        return self.chooser.choice([wrong for wrong in (b"{\n", b"]\n", b"hello\n", b"{]}\n", line[:-2] + b",}\n", line[:len(line) // 2] + b"\n", b"\xff\xfe\n", line.replace(b"{", b"{\0", 1),
                                    line.replace(b'"t"', b"t"), b"// x\n", EVIL.encode() + b"\n", b"HTTP/1.1 200 OK\n") if wrong != line])

    def no_object(self, _message, _line):
        return self.chooser.choice([b"null\n", b"[]\n", b"5\n", b'"x"\n', b"true\n", b"[[]]\n"])

    def deep(self, _message, line):
        depth = self.chooser.choice([300, 5000, 100_000])
        return self.chooser.choice([b"[" * depth + b"]" * depth + b"\n", b'{"a":' * depth + b"1" + b"}" * depth + b"\n", line[:-2] + b',"x":' + b"[" * depth + b"]" * depth + b"}\n"])

    def long(self, _message, line):
        size = LONGEST if self.chooser.random() < 0.1 else LONG
        return self.chooser.choice([lambda: b"x" * size + b"\n", lambda: line[:-2] + b',"x":"' + b"y" * size + b'"}\n', lambda: b" " * size + line])()

    def other_id(self, message, _line):
        name = self.chooser.choice([name for name in ("case", "n", "nonce", "t") if name in message])
        return text(message | {name: self.chooser.choice(["", "c999", EVIL, 7, -1, 10 ** 30, None, [], "result", "ready", "hello"])}) + b"\n"

    def odd_values(self, message, _line):
        return text(with_odd(message, self.chooser)[0]) + b"\n"

    def missing(self, message, _line):
        message = dict(message)
        del message[self.chooser.choice(sorted(message))]
        return text(message) + b"\n"

    def unknown_words(self, message, _line):
        return text(message | {"outcome": self.chooser.choice(["fine", EVIL, "", 3]), "error": self.chooser.choice(["broken", EVIL, None])}) + b"\n"

    def controls(self, message, _line):
        """Texts that a terminal or a CI would take for commands; at their places, they are allowed."""
        wrong = {"detail": EVIL, "note": EVIL}
        if message["t"] == "hello":
            wrong = {"client": EVIL}
        if "outcome" in message and self.chooser.random() < 0.7:
            wrong |= {"outcome": "error", "error": "rejected"}
        return text(message | wrong) + b"\n"

    def twice(self, _message, line):
        return line * self.chooser.choice([2, 3, 50])

    def unasked(self, _message, line):
        other = {"t": self.chooser.choice(["result", "ready", "ended", "hello", "step", "bye", ""]), "case": "c1", "n": 1, "outcome": "ok", "view": odd(self.chooser)}
        return text(other) + b"\n" + line

    def joined(self, _message, line):
        return line[:-1] + line

    def no_end(self, _message, line):
        """A line without its end, and then none any more."""
        os.write(self.out, line[:-1])
        os._exit(0)

    def ends(self, _message, _line):
        way = self.chooser.randrange(3)
        if way == 0:
            os.kill(os.getpid(), self.chooser.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM]))
        os._exit(self.chooser.choice([0, 1, 2, 70, 255]))

    def closes(self, _message, _line):
        os.close(self.out)
        return b""

    def noise(self, _message, line):
        """Much on stderr, which is its log."""
        os.write(2, (EVIL.encode() + b"\xff\n") * 20_000)
        return line

    def dribbles(self, _message, line):
        for byte in line[:60]:
            os.write(self.out, bytes([byte]))
            time.sleep(0.001)
        return line[60:]

    def raw_numbers(self, message, _line):
        return text(message | {"n": f"@raw{self.chooser.randrange(len(RAW))}@"}) + b"\n"


WAYS = [Hostile.no_json, Hostile.no_object, Hostile.deep, Hostile.long, Hostile.other_id, Hostile.odd_values, Hostile.odd_values, Hostile.missing, Hostile.unknown_words,
        Hostile.controls, Hostile.controls, Hostile.twice, Hostile.unasked, Hostile.joined, Hostile.no_end, Hostile.ends, Hostile.closes, Hostile.noise, Hostile.dribbles,
        Hostile.raw_numbers]

if __name__ == "__main__":
    Hostile(*sys.argv[1:4]).run()
