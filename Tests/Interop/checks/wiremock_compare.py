"""wiremock_compare.py JAR: holds the import of WireMock's mappings against WireMock itself, request by request.

Both have the mappings of wiremock_cases.py: WireMock from its folder, and the stub from what `counterfoil import wiremock` made of that
folder. A case that the import does not list must be answered alike: status, headers, body, fault and delay. What it lists must be what
the case expects, at its place, and the requests that show the difference must differ, or the note is stale.
"""
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from wiremock_cases import cases

# The headers in which each server names itself or frames a body.
OWN = {"date", "matched-stub-id", "matched-stub-name", "vary", "content-length", "transfer-encoding", "connection"}
PATIENCE = 10
ROUNDS = 5


def written(mapping):
    # "@1.50@" stands for a number with just those digits.
    return re.sub(r'"@([^"@]*)@"', r"\1", json.dumps(mapping))


def write(folder):
    for case in cases:
        for name, content in case.files.items():
            path = folder / "__files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        texts = [written(mapping) for mapping in case.mappings]
        parts = [(f"{case.name}-{number}", text) for number, text in enumerate(texts)] if case.split else [
            (case.name, '{"mappings": [' + ", ".join(texts) + "]}")]
        for name, text in parts:
            path = folder / "mappings" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def started(command, ready):
    """The process and what `ready` makes of a line on its output or of the file `ready`; ends with a message if nothing comes."""
    log = open(f"{Path(command[0]).name}.log", "w+")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        port = ready(Path(log.name).read_text())
        if port:
            return process, int(port)
        time.sleep(0.05)
    process.kill()
    sys.exit(f"{command[0]}: found no ready line after 60 s, expected one:\n{Path(log.name).read_text()}")


def exchange(port, request):
    """The response: status, headers, body, how it ended, and how long the head and the whole took, in seconds."""
    length = [] if not request.body else [("Content-Length", str(len(request.body)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in [("Host", f"127.0.0.1:{port}"), *request.headers, *length])
    start = time.monotonic()
    data, ending, at_head = b"", "closed", None
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(f"{request.method} {request.target} HTTP/1.1\r\n{head}\r\n".encode() + request.body)
        try:
            while piece := connection.recv(65536):
                at_head = at_head or time.monotonic() - start
                data += piece
                if answered(request.method, data, "open")["ending"] == "whole":
                    break
        except ConnectionResetError:
            ending = "reset"
        except TimeoutError:
            ending = "silent"
    return answered(request.method, data, ending), at_head or 0, time.monotonic() - start


def answered(method, data, ending, own=frozenset()):
    """The response in parts that can be compared; a broken part is represented by its kind."""
    head, mark, body = data.partition(b"\r\n\r\n")
    match = re.match(rb"HTTP/1\.1 (\d{3}) ?(.*)", head)
    if not match or not mark:
        return {"ending": "no HTTP, then closed or reset" if data else ending}
    headers = [(name.decode().lower(), value.strip().decode("latin-1")) for name, value in (line.split(b":", 1) for line in head.split(b"\r\n")[1:])]
    framing = dict(headers)
    status, ends = int(match[1]), "whole"
    if method == "HEAD" or status in (204, 304):
        pass
    elif framing.get("transfer-encoding") == "chunked":
        body, ends = unchunked(body)
    elif int(framing.get("content-length", -1)) != len(body) and ending != "closed":
        ends = "another length"
    if ends != "whole":
        return {"status": status, "ending": ends}
    return {
        "status": status, "reason": match[2].strip(), "body": body, "ending": ends,
        "headers": sorted((name, re.sub(r";\s+", ";", value)) for name, value in headers if name not in OWN),
        "dates": [value for name, value in headers if name == "date"],
        # WireMock names the mapping that answers; the stub's 404 has a body of ours.
        "stub": framing.get("matched-stub-id"), "is ours": method == "HEAD" or body.startswith(b'{"code":"not-found"'),
    }


def unchunked(data):
    body = b""
    while True:
        size, mark, rest = data.partition(b"\r\n")
        if not mark or not re.fullmatch(rb"[0-9a-fA-F]+", size):
            return body, "a broken chunk"
        length = int(size, 16)
        if length == 0:
            return body, "whole"
        if len(rest) < length + 2 or rest[length:length + 2] != b"\r\n":
            return body, "a broken chunk"
        body, data = body + rest[:length], rest[length + 2:]


def difference(theirs, ours, says_why):
    """In words; None if there is none. Of what no mapping answers only the status counts: the body is each server's own.

    `says_why`: the mapping has a reason phrase of its own.
    """
    (a, a_head, a_whole), (b, b_head, b_whole) = theirs, ours
    if a.get("status") == 404 and not a["stub"]:
        return None if b.get("status") == 404 and b["is ours"] else f"WireMock: no mapping, here {b!r}"
    if b.get("status") == 404 and b["is ours"]:
        return f"WireMock {a!r}, here no operation"
    for key in ["ending", "status", "headers", "body"] + (["reason"] if says_why else []):
        if a.get(key) != b.get(key):
            return f"{key}: WireMock {a.get(key)!r}, here {b.get(key)!r}"
    # A mapping's own date is the only one at WireMock; that the stub sends its clock's is no difference, two lines are.
    x, y = a.get("dates", []), b.get("dates", [])
    if len(y) > 1 or x and x != y:
        return f"dates: WireMock {x}, here {y}"
    for words, x, y in [("head", a_head, b_head), ("whole", a_whole, b_whole)]:
        if abs(x - y) > 0.3:
            return Late(f"{words} after {x:.2f} s at WireMock, here after {y:.2f} s")
    return None


class Late(str):
    """A difference in time alone: on a busy machine it may be chance, and is asked for again."""


def main(jar):
    program, root = os.environ["COUNTERFOIL"], Path("wiremock")
    write(root)
    imported = subprocess.run([program, "import", "wiremock", str(root), "--out", "stubs", "--name", "them", "--json"], capture_output=True, text=True)
    if imported.returncode > 1:
        sys.exit(f"the import ended with {imported.returncode}:\n{imported.stderr}")
    notes = {}
    for note in json.loads(imported.stdout)["unsaid"]:
        case = Path(note["file"]).stem
        path = note["path"].removeprefix("$.mappings")
        if (split := re.fullmatch(r"(.*)-(\d+)", case)) and any(c.split and c.name == split[1] for c in cases):
            case, path = split[1], f"[{split[2]}]" + path.removeprefix("$")
        notes.setdefault(case, []).append((path, note["effect"]))
    java, theirs = started(
        ["java", "-jar", jar, "--port", "0", "--root-dir", str(root), "--disable-banner", "--local-response-templating", "--disable-gzip"],
        lambda log: (m := re.search(r"^port:\s+(\d+)", log, re.M)) and m[1])
    stub, ours = None, None
    try:
        stub, ours = started(
            [program, "serve", "them", "--stubs", "stubs", "--plan", "them", "--port", "0", "--admin-port", "0", "--ready-file", "ready"],
            lambda log: Path("ready").exists() and (m := re.search(r'"bank":"http://[^"]*:(\d+)"', Path("ready").read_text())) and m[1])
        faults, asked = [], 0
        exchange(theirs, cases[0].same[0])  # Java is slow the first time.
        for case in cases:
            if sorted(notes.get(case.name, [])) != sorted(case.notes.items()):
                faults.append(f"{case.name}: listed is {sorted(notes.get(case.name, []))}, expected {sorted(case.notes.items())}")
            for request, is_same in [(request, True) for request in case.same] + [(request, False) for request in case.differs]:
                asked += 1
                says_why = any("statusMessage" in mapping["response"] for mapping in case.mappings)
                for _ in range(ROUNDS):
                    found = difference(exchange(theirs, request), exchange(ours, request), says_why)
                    if not isinstance(found, Late):
                        break
                line = f"{case.name}: {request.method} {request.target} {dict(request.headers) or ''} {request.body[:60] or ''}"
                if found and is_same:
                    faults.append(f"{line}: {found}")
                if not found and not is_same:
                    faults.append(f"{line}: both answer alike, but a difference is listed")
        for process in (stub, java):
            if process.poll() is not None:
                faults.append(f"{process.args[0]} ended meanwhile")
    finally:
        for process in (stub, java):
            if process:
                process.kill()
                process.wait()
    print("\n".join(faults))
    print(f"{len(cases)} cases, {asked} requests to both, {len(faults)} differences that are not listed, or listed and not there")
    sys.exit(1 if faults else 0)


main(sys.argv[1])
