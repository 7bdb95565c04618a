"""results: a line of the table from the last output of another program."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def arguments():
    """The arguments of every program of Tests/Soak/inputs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--factor", type=float, default=1)
    given = parser.parse_args()
    given.times = lambda count: max(1, round(count * given.factor))
    return given


def said(command, **options):
    """Runs the command, passing on its output; all of stdout. Ends with 1 if the command failed."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, errors="replace", **{"cwd": ROOT} | options)
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        lines.append(line)
    if process.wait() != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}, expected 0")
    return "".join(lines)


def number(pattern, text):
    """The sum of all numbers that the pattern's group finds. Ends with 1 if there is none: nothing was tried."""
    found = [int(match.replace(",", "")) for match in re.findall(pattern, text)]
    if not found or sum(found) == 0:
        sys.exit(f"found no number like «{pattern}» in the output, expected one")
    return sum(found)


def line(what, inputs, held):
    """Prints the line of the table."""
    print(json.dumps({"what": what, "inputs": inputs, "held": held}, ensure_ascii=False), flush=True)
