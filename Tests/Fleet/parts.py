"""parts: the nodes and the proxies of a fleet, and a client that asks them."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "open-sesame"  # of every node's admin API
PATH = os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin"
NGINX, HAPROXY = shutil.which("nginx", path=PATH), shutil.which("haproxy", path=PATH)
PATIENCE = 60  # seconds for what takes one


class Failure(Exception):
    """Something is not as expected: the place, what was found, what was expected."""


class Response:
    """A response: status, headers, body; `status` is None if the connection ended without one."""

    def __init__(self, status, headers, body, problem=""):
        self.status, self.headers, self.body, self.problem = status, headers, body, problem

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            raise Failure(f"found {self}, expected JSON") from None

    def __str__(self):
        if self.status is None:
            return f"no response ({self.problem})"
        return f"{self.status} {self.body[:400].decode(errors='replace')}"


def ask(base, method, path, body=None, headers=None, timeout=30):
    """One request on a connection of its own."""
    address = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=timeout)
    try:
        connection.request(method, address.path.rstrip("/") + path, body, headers or {})
        response = connection.getresponse()
        return Response(response.status, response.headers, response.read())
    except (OSError, http.client.HTTPException) as error:
        return Response(None, {}, b"", f"{type(error).__name__}: {error}")
    finally:
        connection.close()


def ask_by_tls(port, host, path, headers):
    """One GET under TLS of the host at a port of this machine, whatever certificate it shows."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(("127.0.0.1", port), 30) as plain, context.wrap_socket(plain, server_hostname=host) as tls:
            fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            tls.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}\r\n".encode())
            response = http.client.HTTPResponse(tls, method="GET")
            response.begin()
            return Response(response.status, response.headers, response.read())
    except (OSError, http.client.HTTPException) as error:
        return Response(None, {}, b"", f"{type(error).__name__}: {error}")


def ask_by_http2(url, headers):
    """One GET by HTTP/2 in clear text, sent by curl."""
    fields = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
    command = ["curl", "-sS", "-m", "30", "--http2-prior-knowledge", "-w", "\n%{http_code}", *fields, url]
    done = subprocess.run(command, capture_output=True)
    body, _, status = done.stdout.rpartition(b"\n")
    return Response(int(status or 0) or None, {}, body, done.stderr.decode(errors="replace").strip())


def call(base, method, path, body=None):
    """One call of the admin API, with its token."""
    data = None if body is None else json.dumps(body).encode()
    return ask(base, method, "/__admin" + path, data, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})


def expect(response, *statuses, at):
    """The response if it has one of the statuses."""
    if response.status not in statuses:
        raise Failure(f"{at}: found {response}, expected {' or '.join(str(status) for status in statuses)}")
    return response


def os_environment(additions):
    return os.environ | additions


def until(condition, what, seconds=PATIENCE):
    """Waits for a condition; gives what it gives."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        time.sleep(0.02)
    return found


RESERVATIONS = []


def reserved_ports(count, host):
    """Ports that no other process is given, also while a node is away: a socket of each is bound here, and never listens (socket(7),
    SO_REUSEADDR). Other tests run at the same time, and a port that is only found free is another's moments later."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        each.bind((host, 0))
    RESERVATIONS.extend(sockets)
    return [each.getsockname()[1] for each in sockets]


class Process:
    """A program that runs until `stop`; its output is in a file."""

    def __init__(self, name, folder, command, environment=None):
        self.name, self.log = name, folder / f"{name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | (environment or {}))

    def said(self):
        return self.log.read_text(errors="replace")[-3000:]

    def end(self, number, expected):
        """Sends a signal and waits for the end."""
        self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: found it running {PATIENCE} s after {signal.Signals(number).name}, expected its end") from None
        if status != expected:
            raise Failure(f"{self.name}: found the status {status} after {signal.Signals(number).name}, expected {expected}: {self.said()}")

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Node:
    """A node: `counterfoil serve --node nK` at 127.0.1.K, on the same ports as its fellows."""

    def __init__(self, number, program, folder, ports, options):
        self.number, self.name, self.folder = number, f"n{number}", folder
        self.host = f"127.0.1.{number}"
        self.state, self.ready = folder / f"{self.name}.state", folder / f"{self.name}.ready"
        self.bank, self.admin = (f"http://{self.host}:{port}" for port in ports[:2])
        self.command = [
            program, "serve", "counterfoil", "--stubs", str(ROOT / "Stubs"), "--seed", "7", "--node", self.name, "--state", str(self.state),
            "--host", self.host, "--port", str(ports[0]), "--admin-host", self.host, "--admin-port", str(ports[1]),
            "--tls", "--tls-port", str(ports[2]), "--drain", "20s", "--ready-file", str(self.ready), "--quiet", *options,
        ]
        self.environment = {"COUNTERFOIL_ADMIN_TOKEN": TOKEN, "COUNTERFOIL_HOME": str(folder / "home")}
        self.running = None

    def start(self):
        self.ready.unlink(missing_ok=True)
        self.running = Process(self.name, self.folder, self.command, self.environment)

        def is_ready():
            if self.running.process.poll() is not None:
                raise Failure(f"{self.name}: found the end with status {self.running.process.returncode}, expected it to serve: {self.running.said()}")
            return ask(self.admin, "GET", "/readyz", timeout=5).status == 200

        until(is_ready, f"{self.name} to be ready")
        return self

    def kill(self):
        self.running.end(signal.SIGKILL, -signal.SIGKILL)

    def drain(self):
        self.running.end(signal.SIGTERM, 0)

    def stop(self):
        if self.running:
            self.running.stop()


class Proxy:
    """A proxy with a file of deploy/, in which only ports are replaced: `bank` and `admin` are its addresses."""

    def __init__(self, kind, file, folder, node_ports, names, changes=()):
        self.kind, self.folder, self.names = kind, folder, names
        self.is_http, self.is_nginx = kind != "haproxy-tcp", kind.startswith("nginx")
        self.ports = reserved_ports(3, "127.0.0.1")
        self.bank, self.admin = (f"http://127.0.0.1:{port}" for port in self.ports[:2])
        self.tls_port = None if self.is_http else self.ports[2]
        self.environment = {
            "COUNTERFOIL_RESOLVER": f"127.0.0.1:{names.port}", "NGINX_LOCAL_RESOLVERS": f"127.0.0.1:{names.port}",
            "COUNTERFOIL_NODE": "n", "COUNTERFOIL_DOMAIN": "", "COUNTERFOIL_NODES": "nodes",
        }
        text = (ROOT / "deploy" / file).read_text()
        for old, new in changes:
            if old not in text:
                raise Failure(f"deploy/{file}: found no «{old}», expected it")
            text = text.replace(old, new)
        for standard, port, node_port in zip(("8080", "8081") if self.is_http else ("8080", "8081", "8443"), self.ports, node_ports):
            text, times = re.subn(rf"\b(listen |bind :){standard}\b", lambda match: f"{match[1].rstrip(':')}127.0.0.1:{port}", text)
            if times != 1:
                raise Failure(f"deploy/{file}: found {times} lines that listen on {standard}, expected one")
            text = re.sub(rf"(:|port ){standard}\b", rf"\g<1>{node_port}", text)
        self.file = folder / f"{kind}.conf"
        if self.is_nginx:
            for name, value in self.environment.items():
                text = text.replace(f"${{{name}}}", value)
            own = folder / f"{kind}.included"
            own.write_text(text)
            temporary = "".join(f"    {name}_temp_path {folder}/{kind}-{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = (f"daemon off;\nworker_processes 1;\npid {folder}/{kind}.pid;\nerror_log {folder}/{kind}.log;\n" + ("user root;\n" if os.getuid() == 0 else "")
                    + f"events {{ worker_connections 1024; }}\nhttp {{\n    access_log off;\n{temporary}    include {own};\n}}\n")
        self.file.write_text(text)
        self.running = None

    def check(self):
        """The proxy's own check of the file."""
        command = [NGINX, "-t", "-q", "-e", "stderr", "-c", str(self.file)] if self.is_nginx else [HAPROXY, "-c", "-f", str(self.file)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | self.environment)
        if done.returncode != 0 or "WARNING" in done.stderr or "[warn]" in done.stderr:
            raise Failure(f"{self.kind}: found status {done.returncode} of {' '.join(command)}, expected 0 and no warning: {done.stderr}")

    def start(self):
        command = [NGINX, "-e", str(self.folder / f"{self.kind}.log"), "-c", str(self.file)] if self.is_nginx else [HAPROXY, "-db", "-f", str(self.file)]
        self.running = Process(self.kind, self.folder, command, self.environment)

        def answers():
            if self.running.process.poll() is not None:
                raise Failure(f"{self.kind}: found the end with status {self.running.process.returncode}, expected it to run: {self.running.said()}")
            # By way of a node that is ready, and so found by name.
            return call(self.admin, "GET", "/health").status == 200 and ask(self.bank, "GET", "/").status not in (None, 502, 503)

        until(answers, f"{self.kind} to reach a node")
        return self

    def stop(self):
        if self.running and self.running.process.poll() is None:
            self.running.process.terminate()
            try:
                self.running.process.wait(10)
            except subprocess.TimeoutExpired:
                self.running.stop()
