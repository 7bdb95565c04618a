"""servers: starting nginx and the stub, and asking them; what benchmarks/bench measures with."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


class Failure(Exception):
    """Something did not work, and what."""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


PAUSE = 0.0002  # seconds


def first_answer(command, port, path, log):
    """Spawns the command; gives its pid and the milliseconds until GET path on the port was answered with 200.

    Between two tries it sleeps: a client that never waits takes one of two cores from a server that begins on both.
    """
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    output = [(os.POSIX_SPAWN_OPEN, fd, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) for fd in (1, 2)]
    began = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=output)
    status = b""
    while time.perf_counter() - began < 30:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as connection:
                connection.sendall(request)
                status = connection.recv(4096).split(b"\r\n")[0]
        except OSError:
            time.sleep(PAUSE)
        if b" 200" in status:
            return pid, (time.perf_counter() - began) * 1000
        if os.waitpid(pid, os.WNOHANG)[0] != 0:
            raise Failure(f"{' '.join(command)} ended before it answered:\n{log.read_text()}")
    stop(pid)
    raise Failure(f"{' '.join(command)} gave no 200 for {path} in 30 s (last: {status!r}):\n{log.read_text()}")


def stop(pid):
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + 10
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            if os.waitstatus_to_exitcode(status) != 0:
                raise Failure(f"process {pid} ended with {os.waitstatus_to_exitcode(status)} after SIGTERM, expected 0")
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise Failure(f"process {pid} did not end within 10 s of SIGTERM")


def resident_megabytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024 / 1e6


def cpu_seconds(pid):
    """Processor time that a process and its children have used so far, in user and system mode."""
    found = 0
    for number in [pid, *pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]:
        fields = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        found += int(fields[11]) + int(fields[12])
    return found / os.sysconf("SC_CLK_TCK")


def measured(pid, url, *arguments, **named):
    """As wrk: requests answered, requests a second, and the server's processor time for each, in microseconds."""
    before = cpu_seconds(pid)
    count, rate = wrk(url, *arguments, **named)
    return count, rate, (cpu_seconds(pid) - before) * 1e6 / count


def fetch(url, form=None, token=None):
    request = urllib.request.Request(url, urllib.parse.urlencode(form).encode() if form else None)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()
    except OSError as error:
        raise Failure(f"{url}: {error}") from error


def call(admin, method, path, body=None):
    """One call of the admin API; gives what it answers."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"{admin}/__admin{path}", data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
            return json.loads(text) if text else None
    except OSError as error:
        raise Failure(f"{method} {path}: {error}") from error


def wrk(url, token=None, seconds=5, connections=32, script=None, arguments=()):
    """Requests answered and requests a second; a script in Lua makes the requests, and takes the arguments."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    if script:
        command += ["-s", str(script)]
    command += [url, "--", *arguments]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for fault in ("Non-2xx", "Socket errors"):
        if fault in out:
            raise Failure(f"wrk on {url}:\n{out}")
    return int(re.search(r"(\d+) requests in", out)[1]), float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])


class Nginx:
    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.root = folder / "root"
        configuration = folder / "nginx.conf"
        temporary = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration.write_text(
            f"daemon off;\nworker_processes 2;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
            + ("user root;\n" if os.getuid() == 0 else "")
            + "events { worker_connections 1024; }\nhttp {\n    access_log off;\n    default_type application/json;\n"
            + temporary
            + "    sendfile on;\n    tcp_nopush on;\n    open_file_cache max=100;\n    keepalive_requests 1000000000;\n"
            + f"    server {{ listen 127.0.0.1:{port}; root {self.root}; }}\n}}\n"
        )
        self.command = [NGINX, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(configuration)]

    def put(self, path, body):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)

    def start(self):
        return first_answer(self.command, self.port, "/v1/atms", self.folder / "nginx.log")


class Stub:
    def __init__(self, program, folder, port, admin_port, *arguments):
        self.folder, self.port = folder, port
        self.ready = folder / "ready.json"
        self.command = [
            program, "serve", "counterfoil", "--port", str(port), "--admin-port", str(admin_port),
            "--ready-file", str(self.ready), "--quiet", *arguments,
        ]

    def start(self):
        self.ready.unlink(missing_ok=True)
        return first_answer(self.command, self.port, "/v1/atms", self.folder / "stub.log")

    def addresses(self):
        """The bank's address and the admin API's, from the file that the stub writes when it is ready."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                ready = json.loads(self.ready.read_text())
                return ready["bank"], ready["admin"]
            except (FileNotFoundError, json.JSONDecodeError):
                time.sleep(0.01)
        raise Failure("the stub wrote no ready file within 10 s of its first answer")


def sign_in(bank):
    login = {"grant_type": "password", "username": "ava", "password": "correct-horse"}
    return json.loads(fetch(bank + "/oauth/token", login))["access_token"]


def run_alone(report):
    """One part of benchmarks/bench by itself: prints what it reports of the program that the command line names.

    Its folder is beside the program: on a disk, where /tmp may be memory.
    """
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} COUNTERFOIL")
    program = pathlib.Path(sys.argv[1]).resolve()
    try:
        with tempfile.TemporaryDirectory(prefix="counterfoil-bench-", dir=program.parent) as name:
            print(report(str(program), pathlib.Path(name)))
    except Failure as failure:
        sys.exit(f"bench: {failure}")
