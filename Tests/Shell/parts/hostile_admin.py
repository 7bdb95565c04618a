"""hostile_admin.py COUNTERFOIL ADMIN: runs every command that calls an admin API against servers whose texts try to steer the output.

The hostile server passes each call on to the real one, so that its answers have the form that a command expects, and adds to their texts.
"""
import http.server, json, os, re, subprocess, sys, threading, urllib.error, urllib.request

sys.path.insert(0, os.path.join(os.environ["ROOT"], "Tests/Soak/lib"))
sys.dont_write_bytecode = True
from admin_commands import ARGUMENTS, OF_SESSION, found

program, admin = sys.argv[1:]

PLANTED = "\nforged planted\n::error::planted\r::error::planted\n  ::error::planted##[error]planted\u001b[2J\u009b2J\u202e\u2066\u2028::error::planted"
# Below, the commands need these as they are to come to their end.
NEEDED = {"id", "name", "base_url", "verdict", "level", "kind", "fault", "token", "needs_token", "example", "session", "bank"}
MIB = 1 << 20

def planted(value, key=None, needed=frozenset()):
    if isinstance(value, str):
        return value if key in needed else PLANTED + value + PLANTED
    if isinstance(value, list):
        return [planted(element, key, needed) for element in value]
    if isinstance(value, dict):
        return {name: planted(member, name, needed) for name, member in value.items()}
    return value


class Server(http.server.ThreadingHTTPServer):
    """change: what becomes of a response's JSON; rejects: whether each call gets an error; size: the bytes of each response, if not 0."""
    daemon_threads = True

    def __init__(self, change, rejects=False, size=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.change, self.rejects, self.size = change, rejects, size
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.size:
            status, response = 200, b'{"log":"' + b"x" * (self.server.size - 10) + b'"}'
        elif self.server.rejects:
            status, response = 422, json.dumps({"detail": PLANTED + "; did you mean " + PLANTED + "?"}).encode()
        else:
            status, response = self.passed_on(body)
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(response)))
        self.end_headers()
        try:
            self.wfile.write(response)
        except OSError:
            pass

    def passed_on(self, body):
        request = urllib.request.Request(admin + self.path, body or None, method=self.command)
        if body:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                status, response = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, response = error.code, error.read()
        return status, json.dumps(self.server.change(json.loads(response))).encode() if response else b""

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *arguments):
        pass


def run(server, *words):
    environment = {**os.environ, "COUNTERFOIL_ADMIN": server.url}
    return subprocess.run([program, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


def check(server, command, arguments):
    """Returns whether a text of the server was shown at all."""
    result = run(server, *command.split(), *arguments)
    line = " ".join(["counterfoil", command, *arguments])
    for stream, output in (("stdout", result.stdout), ("stderr", result.stderr)):
        text = output.decode()
        for shown in text.split("\n"):
            assert not shown.lstrip().startswith("::"), f"{line}: found the line {shown!r} on {stream}, expected none that begins with ::"
            assert "##[" not in shown, f"{line}: found the line {shown!r} on {stream}, expected none with ##["
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", shown), \
                f"{line}: found the line {shown!r} on {stream}, expected no control character"
            assert not shown.startswith("forged"), f"{line}: found the line {shown!r} on {stream}, expected only lines of the command's own"
    if result.returncode == 0 and ("--json" in arguments or "--har" in arguments) and "written" not in arguments:
        json.loads(result.stdout)
    assert result.returncode in (0, 1, 2, 3, 4), f"{line}: found status {result.returncode}: {result.stderr.decode()}"
    return b"planted" in result.stdout + result.stderr


listed = found(program)
assert listed == set(ARGUMENTS), f"found {sorted(listed ^ set(ARGUMENTS))} in one list of commands only, expected arguments for each command"

# Something to show: a request that matches nothing.
session = json.load(urllib.request.urlopen(f"{admin}/__admin/sessions/counterfoil"))
try:
    urllib.request.urlopen(session["base_url"] + "/v1/acounts?x=1")
except urllib.error.HTTPError:
    pass
# What `golden check` compares with.
subprocess.run([program, "golden", "save", "plain.golden", "--session", "counterfoil", "--admin", admin], check=True, capture_output=True)

servers = [
    Server(planted), Server(lambda response: planted(response, needed=NEEDED)), Server(None, rejects=True),
]
failures, shown = [], set()
for command, lines in ARGUMENTS.items():
    lines = [[word.replace("{file}", "written").replace("{golden}", "plain.golden") for word in line] for line in lines]
    if command.split()[0] in OF_SESSION and command != "outage list":
        lines += [[*line, "--session", "counterfoil"] for line in lines]
    for arguments in lines:
        for server in servers:
            try:
                if check(server, command, arguments):
                    shown.add(command)
            except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
                failures.append(str(error))
assert not failures, "\n".join(failures)
# Otherwise the texts were not there to begin a line.
assert shown == listed, f"found nothing planted in the output of {sorted(listed - shown)}, expected it escaped"

# Long responses.
limits = Server(None, size=64 * MIB)
assert run(limits, "outage", "list").returncode == 0, "found a response of 64 MiB rejected, expected it read"
longer = Server(None, size=64 * MIB + 1)
for words in (["outage", "list"], ["journal", "counterfoil"], ["clock", "show", "--session", "counterfoil"]):
    result = run(longer, *words)
    assert result.returncode == 2, f"{words}: found status {result.returncode} for a response of over 64 MiB, expected 2"
    assert b"found a longer response to GET /__admin/" in result.stderr, result.stderr.decode()
    assert b"expected at most 67108864 bytes (64 MiB)" in result.stderr, result.stderr.decode()
downloaded = run(longer, "journal", "counterfoil", "--har", "long.har")
assert downloaded.returncode == 0, downloaded.stderr.decode()
assert os.path.getsize("long.har") >= 64 * MIB
