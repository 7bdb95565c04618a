"""fleet PROGRAM [--write] [--keep FOLDER]: three nodes behind each proxy of deploy/, and what docs/many-machines.md promises of them.

The nodes are processes at 127.0.1.1, 127.0.1.2 …; the proxies run side by side with the files of deploy/, in which only ports are
replaced, and find the nodes by a DNS server of this script's. Each step prints what held. The first that does not ends with 1 and prints
what was found and what was expected. --write puts the table of faults into the page, else it is held against the page cell by cell.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import rejections  # noqa: E402
import table  # noqa: E402
from names import Names  # noqa: E402
from parts import TOKEN, Failure, Node, Proxy, ask, ask_by_http2, ask_by_tls, call, expect, os_environment, reserved_ports, until  # noqa: E402
from rates import compare_rates  # noqa: E402
from rolling import restart_under_payments  # noqa: E402
from sessions import FORM, LOGIN, Session, made_by_post, made_by_put  # noqa: E402

KINDS = {"nginx": "nginx.conf.template", "haproxy-http": "haproxy.cfg", "haproxy-tcp": "haproxy-tcp.cfg"}
SESSIONS = 60


class Fleet:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.names = Names()
        self.node_ports = reserved_ports(3, "")
        self.proxies = [Proxy(kind, file, folder, self.node_ports, self.names) for kind, file in KINDS.items()]
        self.nodes, self.sessions = [], []

    def add_node(self):
        number = len(self.nodes) + 1
        first = self.proxies[0]
        public = ["--public-url", first.bank, "--public-admin-url", first.admin + "/nodes/{node}"]
        node = Node(number, self.program, self.folder, self.node_ports, public)
        self.nodes.append(node)
        node.start()
        self.names.addresses[node.name] = [node.host]
        self.names.addresses["nodes"] = [each.host for each in self.nodes]
        return node

    def stop(self):
        for part in (*self.proxies, *self.nodes):
            part.stop()
        self.names.close()

    def holds_reached(self, sessions):
        """Every route through every proxy leads to each of these sessions.

        - Returns: how many requests that were.
        """
        count = 0
        for session in sessions:
            for proxy in self.proxies:
                for route in Session.ROUTES:
                    session.reach(proxy, route)
                    count += 1
        return count


def reach_all(fleet):
    """Sixty sessions: half are asked for by name at any node, half are put to a node of choice."""
    for number in range(SESSIONS):
        proxy = fleet.proxies[number % len(fleet.proxies)]
        if number % 2:
            made = made_by_post(proxy, f"named-{number}" if number % 4 == 1 else None)
        else:
            made = made_by_put(proxy, f"n{number // 2 % 3 + 1}-put-{number}")
        session = Session(made, number + 1)
        session.prepare(proxy)
        fleet.sessions.append(session)
    count = fleet.holds_reached(fleet.sessions)
    for node in fleet.nodes:
        for proxy in fleet.proxies:
            page = expect(ask(proxy.admin, "GET", f"/nodes/{node.name}/"), 200, at=f"the dashboard of {node.name} through {proxy.kind}")
            if b"<html" not in page.body:
                raise Failure(f"the dashboard of {node.name} through {proxy.kind}: found {page}, expected its page")
    of_nodes = {node.name: sum(session.node == node.name for session in fleet.sessions) for node in fleet.nodes}
    return f"{len(fleet.sessions)} sessions ({', '.join(f'{name}: {number}' for name, number in of_nodes.items())}), {len(Session.ROUTES)} routes, {len(fleet.proxies)} proxies: {count} of {count} right"



def report_addresses(fleet):
    """Sessions, ready lines and commands have the address of the proxy, not of the node."""
    public = fleet.proxies[0]
    for session in fleet.sessions:
        if session.made["base_url"] != f"{public.bank}/s/{session.id}":
            raise Failure(f"the base_url of {session.id}: found {session.made['base_url']}, expected {public.bank}/s/{session.id}")
    for node in fleet.nodes:
        ready = json.loads(node.ready.read_text())
        found = ready["bank"], ready["admin"].rstrip("/"), ready["node"]
        if found != (public.bank, f"{public.admin}/nodes/{node.name}", node.name):
            raise Failure(f"the ready line of {node.name}: found bank, admin and node {found}, expected {public.bank}, {public.admin}/nodes/{node.name}, {node.name}")
        listed = subprocess.run([fleet.program, "session", "list", "--admin", ready["admin"]], capture_output=True, text=True, env=os_environment(node.environment))
        own = next(session.id for session in fleet.sessions if session.node == node.name)
        if listed.returncode != 0 or own not in listed.stdout:
            raise Failure(f"session list --admin {ready['admin']}: found status {listed.returncode} and «{listed.stdout}{listed.stderr}», expected {own}")
    return f"reported addresses: {len(fleet.sessions)} sessions and {len(fleet.nodes)} ready lines have the proxy's"


def pass_tls(fleet):
    """TLS ends at the node, which is found by the name that the client asked for; its certificate is its own."""
    count = 0
    for proxy in (proxy for proxy in fleet.proxies if proxy.tls_port):
        for session in fleet.sessions[:12]:
            at = f"{session.id} by TLS through {proxy.kind}"
            # The proxy sees neither path nor token. Names have no case (RFC 4343).
            name = session.node.upper() if count % 2 else session.node
            response = ask_by_tls(proxy.tls_port, f"{name}.banks.test", "/v1/accounts", {"Authorization": f"Bearer {session.token}"})
            session.holds_balance(expect(response, 200, at=at), at)
            count += 1
        response = ask_by_tls(proxy.tls_port, "banks.test", "/v1/atms", {})
        if response.status is not None:
            raise Failure(f"TLS of a name without a node through {proxy.kind}: found {response}, expected the end of the connection")
    return f"TLS that ends at the node: {count} of {count} right"


def find_by_other_heads(fleet):
    """Heads that few clients send lead to the session as well: in absolute form, of almost 32 KiB, by HTTP/2."""
    count = 0
    for proxy in fleet.proxies:
        for session in fleet.sessions[:6]:
            at = f"{session.id} through {proxy.kind}"
            token = {"Authorization": f"Bearer {session.token}"}
            # Every server accepts it (RFC 9112 §3.2.2). A sign-in has no token: the path alone names the session.
            response = ask(proxy.bank, "POST", f"{proxy.bank}/s/{session.id}/oauth/token", LOGIN, FORM)
            session.signed_in(expect(response, 200, at=f"{at}, in absolute form"), at)
            long = {"X-Long": "a" * 30_000}
            session.holds_balance(expect(ask(proxy.bank, "GET", "/v1/accounts", headers=long | token), 200, at=f"{at}, by a token after 30,000 bytes"), at)
            response = ask(proxy.bank, "POST", "/oauth/token", LOGIN, FORM | long | {"X-Counterfoil-Session": session.id})
            session.signed_in(expect(response, 200, at=f"{at}, by a header after 30,000 bytes"), at)
            # No proxy decodes a target: the node would read another, and the proxy another node.
            for node, path in (session.node, f"/sessions/{session.id}%2Fledger"), (session.node.replace("n", "%6e"), "/version"):
                expect(call(f"{proxy.admin}/nodes/{node}", "GET", path), 404, at=f"{at}, encoded")
            count += 5
            # The file of nginx has no HTTP/2, and no proxy in TCP mode can read its heads.
            if proxy.kind == "haproxy-http":
                expect(ask_by_http2(f"{proxy.bank}/s/{session.id}/v1/atms", {}), 200, at=f"{at}, by HTTP/2")
                own = {"Authorization": f"Bearer {TOKEN}"}
                for path in f"/__admin/sessions/{session.id}", f"/nodes/{session.node}/__admin/sessions/{session.id}":
                    session.is_itself(expect(ask_by_http2(proxy.admin + path, own), 200, at=f"{at}, {path} by HTTP/2"), at)
                count += 3
    return f"unusual heads: {count} of {count} right"


def refresh(fleet):
    """A refresh by the token alone has its session in the body, where no proxy looks: the wrong node names the right one."""
    counts = {200: 0, 421: 0}
    for proxy in fleet.proxies:
        for session in fleet.sessions[:9]:
            at = f"a refresh of {session.id} through {proxy.kind}"
            issued = expect(call(proxy.admin, "POST", f"/sessions/{session.id}/tokens", {}), 201, at=at).json()
            form = f"grant_type=refresh_token&refresh_token={issued['refresh_token']}"
            response = expect(ask(proxy.bank, "POST", "/oauth/token", form, FORM), 200, 421, at=f"{at}, by the token alone")
            counts[response.status] += 1
            if response.status == 200:
                session.signed_in(response, at)
            elif session.node.encode() not in response.body:
                raise Failure(f"{at}, by the token alone: found {response}, expected that it names {session.node}")
            else:
                response = expect(ask(proxy.bank, "POST", "/oauth/token", form, FORM | {"X-Counterfoil-Session": session.id}), 200, at=f"{at}, with the header")
                session.signed_in(response, at)
    return f"refreshes by the token alone: {counts[200]} met their node, {counts[421]} received its name (421), and the header led there"


def kill(fleet):
    """kill -9 of a node: its sessions fail and say so, the others do not notice."""
    dead = fleet.nodes[1]
    dead.kill()
    failed = 0
    for session in fleet.sessions:
        for proxy in fleet.proxies:
            for route in Session.ROUTES:
                if session.node != dead.name:
                    session.reach(proxy, route)
                    continue
                response, _ = Session.ROUTES[route](session, proxy)
                expect_failure(response, dead, proxy, route, session)
                failed += 1
    made = [made_elsewhere(proxy, dead) for proxy in fleet.proxies for _ in range(4)]
    dead.start()
    for admin, session in made:
        expect(call(admin, "DELETE", f"/sessions/{session}"), 204, at=f"DELETE {session}")
    count = fleet.holds_reached(fleet.sessions)
    return f"kill -9 of {dead.name}: {failed} requests to its sessions failed and named it, no other, and {len(made)} new sessions were made by others; restarted with --state: {count} of {count} right"


def made_elsewhere(proxy, dead):
    """A new session while a node is dead: nginx asks the next one at once, HAProxy once its check has failed, within seconds.

    - Returns: the address of its admin API, and its id.
    """
    def asked():
        return call(proxy.admin, "POST", "/sessions", {"bank": "counterfoil"})

    at = f"a new session through {proxy.kind} while {dead.name} is dead"
    response = expect(asked(), 201, at=at) if proxy.is_nginx else until(lambda: (found := asked()).status == 201 and found, at)
    return proxy.admin, response.json()["id"]


def expect_failure(response, dead, proxy, route, session):
    """A request to a dead node: a proxy that speaks HTTP names the node, one that passes bytes ends the connection."""
    at = f"{session.id} by {route} through {proxy.kind}, its node dead"
    if not proxy.is_http and route in Session.OF_BANK:
        if response.status is not None:
            raise Failure(f"{at}: found {response}, expected no response")
    elif response.status not in (502, 503) or dead.name not in response.headers.get("X-Counterfoil-Proxy", "") or dead.name.encode() not in response.body:
        raise Failure(f"{at}: found {response} with X-Counterfoil-Proxy: {response.headers.get('X-Counterfoil-Proxy')}, expected 502 or 503 that name {dead.name} in both")


def grow(fleet):
    """A fourth node: found by its name, no session of the others moves, no proxy is touched."""
    before = [(proxy.running.process.pid, proxy.file.read_text()) for proxy in fleet.proxies]
    node = fleet.add_node()
    for proxy in fleet.proxies:
        session = Session(made_by_put(proxy, f"{node.name}-{proxy.kind}"), 7)
        session.prepare(proxy)
        fleet.sessions.append(session)
    count = fleet.holds_reached(fleet.sessions)
    if [(proxy.running.process.pid, proxy.file.read_text()) for proxy in fleet.proxies] != before or any(proxy.running.process.poll() is not None for proxy in fleet.proxies):
        raise Failure("a fourth node: found a proxy that was restarted, expected them untouched")
    return f"a fourth node: {count} of {count} right, the proxies untouched"


def roll(fleet):
    payments, again = restart_under_payments(fleet.nodes, fleet.proxies, fleet.sessions)
    count = fleet.holds_reached(fleet.sessions[::6])
    return f"rolling restart of {len(fleet.nodes)} nodes under {payments} payments ({again} sent again): none lost, none doubled; then {count} of {count} right"


def main():
    parser = argparse.ArgumentParser(prog="fleet")
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true", help="puts the table of faults into docs/many-machines.md")
    parser.add_argument("--keep", default=None, help="a folder for logs and states, which is then kept")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    steps = [reach_all, report_addresses, find_by_other_heads, pass_tls, rejections.hold, refresh, kill, grow, roll, lambda fleet: table.hold(fleet, arguments.write), table.catch_retries, compare_rates]
    with tempfile.TemporaryDirectory(prefix="counterfoil-fleet-") as name:
        folder = pathlib.Path(arguments.keep or name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        fleet = Fleet(program, folder)
        try:
            for proxy in fleet.proxies:
                proxy.check()
            for _ in range(3):
                fleet.add_node()
            for proxy in fleet.proxies:
                proxy.start()
            for step in steps:
                began = time.monotonic()
                said = step(fleet)
                print(f"{'-' if said.startswith('SKIPPED') else '✔'} fleet: {said} ({time.monotonic() - began:.1f} s)", flush=True)
        finally:
            fleet.stop()


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"✘ fleet: {failure}")
