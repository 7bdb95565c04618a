"""terminal.py COLUMNS [--narrow COLUMNS] [--until FILE] COMMAND...: runs the command on a terminal of that width (pty(7)).

Prints the terminal's rows as they are in the end, and ends with the command's code. A row in which a line was too wide, so that the
terminal wrapped it, begins with WRAPPED. With --narrow the terminal becomes so wide once something was drawn in it;
with --until the command is ended (SIGTERM) once there is something in the file. The bytes as they came are in the file `bytes`.
"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

STEPS = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


class Screen:
    """The rows of a terminal that wraps: carriage return, line feed, cursor up (CUU), erasing (EL, ED); colours change nothing."""

    def __init__(self, columns):
        self.columns, self.rows, self.wrapped, self.row, self.column = columns, [""], set(), 0, 0

    def show(self, text):
        for number, final, back, feed, words in STEPS.findall(text):
            if back:
                self.column = 0
            elif feed:
                self.down()
            elif final == "A":
                self.row = max(0, self.row - int(number or 1))
            elif final in ("K", "J"):
                self.rows[self.row] = self.rows[self.row][: self.column]
                self.wrapped.discard(self.row)
                if final == "J":
                    del self.rows[self.row + 1:]
                    self.wrapped = {row for row in self.wrapped if row <= self.row}
            for letter in words:
                self.write(letter)

    def write(self, letter):
        if width(self.rows[self.row][: self.column] + letter) > self.columns:
            self.wrapped.add(self.row)
            self.down()
        line = self.rows[self.row]
        self.rows[self.row] = line[: self.column] + letter + line[self.column + 1:]
        self.column += 1

    def down(self):
        self.row, self.column = self.row + 1, 0
        self.rows += [""] * (self.row + 1 - len(self.rows))

    def narrow(self, columns):
        """The line with the cursor is wrapped again, as most terminals do."""
        line, self.columns, self.column = self.rows[self.row], columns, 0
        self.rows[self.row] = ""
        for letter in line:
            self.write(letter)

    def lines(self):
        return ["WRAPPED " * (row in self.wrapped) + line.rstrip() for row, line in enumerate(self.rows)]


def width(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def resize(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def main():
    arguments = sys.argv[1:]
    columns, narrow, until = int(arguments.pop(0)), None, None
    while arguments[0].startswith("--"):
        name = arguments.pop(0)
        if name == "--narrow":
            narrow = int(arguments.pop(0))
        elif name == "--until":
            until = arguments.pop(0)
        else:
            sys.exit(f"found {name}, expected --narrow or --until")
    process, terminal = os.forkpty()
    if process == 0:
        resize(0, columns)
        os.execvp(arguments[0], arguments)
    parts, ended, limit = [], False, time.monotonic() + 600
    while time.monotonic() < limit:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # EIO: the command has ended
                break
            if not part:
                break
            parts.append(part)
            if narrow and b"\x1b[K" in part:
                resize(terminal, narrow)
                parts.append(b"NARROW")
                columns_after, narrow = narrow, None
        if until and not ended and os.path.exists(until) and os.path.getsize(until):
            os.kill(process, signal.SIGTERM)
            ended = True
    else:
        os.kill(process, signal.SIGKILL)
    data = b"".join(parts)
    with open("bytes", "wb") as file:
        file.write(data.replace(b"NARROW", b""))
    before, mark, after = data.partition(b"NARROW")
    screen = Screen(columns)
    screen.show(before.decode())
    if mark:
        screen.narrow(columns_after)
        screen.show(after.decode())
    print("\n".join(screen.lines()))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


main()
