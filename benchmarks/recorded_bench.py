#!/usr/bin/env python3
"""recorded_bench.py COUNTERFOIL [BANK]...: how many of the catalogue's instances pass with the model client at banks that were recorded.

Each bank of Stubs is served, with `counterfoil record` before it, and the model client uses it as `use` does, once for each customer. The
bank that this gives has the same name, so that the client operates it in the same way, and the whole catalogue is run on it. The figures
are in docs/reliability.md. With FOLDER in the environment variable KEEP, the banks and the reports stay there.
"""
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from servers import Failure, free_ports  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSWORDS = {"ava": "correct-horse", "ben": "battery-staple", "elin": "glass-lantern"}
# Whom the client signs in: with a password, with a token that the admin API issues, or nobody.
BANKS = {"bins": None, "counterfoil": "password", "feed": "token", "login": "password", "roundup": "token", "snapshot": None}
IMAGES = {"counterfoil": "/v1/images", "feed": "/icons"}
# Banks whose paths and members do not show what they are for: what is added to the recorded bank.yaml by hand.
BY_HAND = {
    "bins": "operations_of_a_client: [balance, transactions]\nroles: {balance: [getBin], transactions: [getBin, getBinsPages]}\n",
    "snapshot": "operations_of_a_client: [accounts, balance, transactions, atms]\n"
    + "roles: {%s}\n" % ", ".join(f"{role}: [getContentDataJson]" for role in ["accounts", "balance", "transactions", "atms"]),
}
# bins has its only id in its address, which the client knows.
OPTIONS = {"bins": ["--keep", "path"]}


class Server:
    """A process that writes its addresses to a file, and what it prints to another."""

    def __init__(self, folder, name, *command):
        ready = folder / f"{name}.ready"
        self.output = folder / f"{name}.out"
        with self.output.open("w") as output:
            self.process = subprocess.Popen([*command, "--ready-file", ready], stdout=output, stderr=subprocess.STDOUT)
        until = time.monotonic() + 60
        while not (ready.exists() and ready.read_text().endswith("\n")):
            if time.monotonic() > until or self.process.poll() is not None:
                raise Failure(f"{name} did not start:\n{self.output.read_text()}")
            time.sleep(0.02)
        self.addresses = json.loads(ready.read_text())

    def end(self):
        self.process.send_signal(2)
        status = self.process.wait(60)
        if status != 0:
            raise Failure(f"ended with {status}:\n{self.output.read_text()}")


class Client:
    """The model client as a driver: one step after another."""

    def __init__(self, program, folder):
        self.folder, self.case, self.step = folder, 0, 0
        self.process = subprocess.Popen([program, "client", "--drive"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask(t="hello", v=1, nonce="record")

    def ask(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"the client ended at {message}")
        return json.loads(line)

    def begin(self, bank, address, login):
        self.case += 1
        state = self.folder / f"client-{self.case}"
        state.mkdir()
        self.ask(
            t="case", case=f"c{self.case}", base_url=address, state_dir=str(state), bank=bank, roles={}, login=login, time_zone="UTC",
            timeouts={"connect_ms": 5000, "total_ms": 20000, "backoff_ms": 20})

    def do(self, operation, **arguments):
        """The view; empty after an error, or if the bank has no such operation."""
        self.step += 1
        result = self.ask(t="step", case=f"c{self.case}", n=self.step, op=operation, args=arguments)
        return result.get("view") or {}


def use(client, bank, address, login, admin):
    """A user signs in, reads everything, pays, reads again, is signed out by the bank, signs in again and out."""
    client.begin(bank, address, login)
    if "password" in login:
        client.do("login", user=login["user"], password="not-the-password")
    client.do("login")

    def read():
        goals = []
        for account in client.do("accounts").get("accounts") or [{}]:
            of = {"account": account["id"]} if account else {}
            for operation in ["balance", "transactions"]:
                client.do(operation, **of)
            goals += [(account, goal) for goal in client.do("goals", **of).get("goals", [])]
        client.do("atms")
        return goals

    goals = read()
    for image in sorted((ROOT / "Stubs" / bank).glob("i*s/*")):
        client.do("image", path=f"{IMAGES[bank]}/{image.name}")
    if goals:
        account, goal = goals[0]
        order = {"from": account["id"], "to": goal["id"], "currency": goal["currency"]}
        client.do("pay", intent="A", amount="5.00", **order)
        read()
        client.do("pay", intent="B", amount="900000000.00", **order)
        client.do("round_up", intent="C", account=account["id"], goal=goal["id"])
    client.do("balance", account="no-such-account")
    if login:
        admin("tokens", "expire", "--all")
        client.do("accounts")
        admin("tokens", "revoke", "--all")
        client.do("accounts")
        client.do("login")
        client.do("logout")


def record(program, bank, folder):
    """The folder of banks that `counterfoil record` wrote."""
    provider = Server(
        folder, "provider", program, "serve", bank, "--stubs", ROOT / "Stubs", "--seed", "7", "--port", "0", "--admin-port", "0", "--quiet")
    proxy = Server(
        folder, "proxy", program, "record", "--provider", provider.addresses["bank"], "--out", folder / "stubs", "--name", bank, "--seed", "7",
        "--allow-writes", "--port", "0", *OPTIONS.get(bank, []))

    def admin(*command):
        done = subprocess.run(
            [program, *command, "--session", bank, "--admin", provider.addresses["admin"]], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}: {done.stderr}")
        return done.stdout.strip()

    client = Client(program, folder)
    for user, password in PASSWORDS.items() if BANKS[bank] else [(None, None)]:
        login = {} if user is None else {"user": user, "password": password}
        if BANKS[bank] == "token":
            login = {"user": user, "token": admin("tokens", "issue", "--login", user)}
        use(client, bank, proxy.addresses["proxy"], login, admin)
    client.process.stdin.close()
    client.process.wait(10)
    proxy.end()
    provider.end()
    return folder / "stubs"


def verdicts(program, bank, stubs, report):
    """The number of instances by verdict."""
    done = subprocess.run(
        [program, "test", "--client", f"{program} client --drive", "--bank", bank, "--stubs", stubs, "--contracts", ROOT / "Contracts",
         "--seed", "7", "--json", report, "--max-inconclusive", "9999"], capture_output=True, text=True)
    if not report.exists():
        raise Failure(f"{bank}: no report:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return collections.Counter(result["verdict"] for result in json.loads(report.read_text())["results"])


def instances(program, bank):
    """The number of instances that apply to the bank itself."""
    done = subprocess.run(
        [program, "test", "--list", "--bank", bank, "--stubs", ROOT / "Stubs", "--contracts", ROOT / "Contracts"],
        capture_output=True, text=True, check=True)
    return int(re.search(r"([\d,]+) instances? on", done.stdout)[1].replace(",", ""))


def main(program, banks, folder):
    print("                       the bank    recorded        pass        fail inconclusive")
    for bank in banks:
        (folder / bank).mkdir()
        stubs, whole = record(program, bank, folder / bank), instances(program, bank)
        show(bank, whole, verdicts(program, bank, stubs, folder / bank / "report.json"))
        if bank in BY_HAND:
            with (stubs / bank / "bank.yaml").open("a") as definition:
                definition.write(BY_HAND[bank])
            show("  with roles by hand", whole, verdicts(program, bank, stubs, folder / bank / "by-hand.json"))


def show(name, whole, found):
    applying = sum(found.values())
    print(f"{name:<19}{whole:12,}{applying:12,}{found['pass']:12,}{found['fail']:12,}{applying - found['pass'] - found['fail']:12,}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} COUNTERFOIL [BANK]...")
    try:
        with tempfile.TemporaryDirectory(prefix="counterfoil-recorded-") as name:
            kept = os.environ.get("KEEP")
            main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(BANKS), pathlib.Path(kept or name))
    except Failure as failure:
        sys.exit(f"recorded_bench: {failure}")
