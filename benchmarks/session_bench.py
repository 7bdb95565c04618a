"""session_bench: what benchmarks/bench measures of sessions: payments in memory and kept, resets, many sessions.

Payments: wrk, each under its own key, beside nginx serving a file, by turns. Kept: the same with --state at 64
connections, beside a bare loop on the same disk that commits 64 rows of the same size with each fsync (SQLite by Python,
write-ahead log, synchronous = FULL), by turns. Reset: the admin call, by turns to a bank of 1,000 and one of 1,000,000 rows,
after a payment each. Webhooks: payments with a receiver where nobody listens, and without one, by turns. Sessions: resident memory
before and after making 9,999 more.
"""
import http.client
import json
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from servers import Failure, Stub, call, fetch, free_ports, measured, resident_megabytes, sign_in, stop

ROUNDS, SECONDS = 3, 4
CONNECTIONS = 64
RESETS, ROWS = 300, (1_000, 1_000_000)
SESSIONS = 10_000  # the standing one included
TARGETS = {"payments": 0.2, "kept": 5000, "reset": 1.25, "sessions": 500.0, "webhook": 0.95}
HERE = pathlib.Path(__file__).parent


def pay_with_wrk(stub, pid, round_number, connections, webhook=None):
    """Payments a second of a bank as new, and the server's processor time for each, in microseconds."""
    bank, admin = stub.addresses()
    call(admin, "POST", "/sessions/default/reset")
    if webhook:
        call(admin, "POST", "/sessions/default/webhooks", {"url": webhook})
    arguments = [sign_in(bank), f"round-{round_number}-"]
    url = bank + "/v1/payments"
    return measured(pid, url, seconds=SECONDS, connections=connections, script=HERE / "payments.lua", arguments=arguments)[1:]


def payments(nginx, stub):
    """Rates and processor times by turns: of nginx serving the accounts from a file, of the stub doing payments."""
    nginx_pid, _ = nginx.start()
    try:
        stub_pid, _ = stub.start()
        try:
            bank, _ = stub.addresses()
            nginx.put("/v1/accounts", fetch(bank + "/v1/accounts", token=sign_in(bank)))
            url = f"http://127.0.0.1:{nginx.port}/v1/accounts"
            return [
                (measured(nginx_pid, url, seconds=SECONDS)[1:], pay_with_wrk(stub, stub_pid, number, 32)) for number in range(ROUNDS)]
        finally:
            stop(stub_pid)
    finally:
        stop(nginx_pid)


def beside_dead_receiver(stub):
    """Rates and processor times by turns: without a webhook, and with one whose receiver is dead."""
    pid, _ = stub.start()
    try:
        dead = f"http://127.0.0.1:{free_ports(1)[0]}/hook"
        return [(pay_with_wrk(stub, pid, 2 * number, 32), pay_with_wrk(stub, pid, 2 * number + 1, 32, dead)) for number in range(ROUNDS)]
    finally:
        stop(pid)


def bare_rows(file, size):
    """Rows a second that a loop commits, 64 with each fsync, and its processor time for each, in microseconds."""
    file.unlink(missing_ok=True)
    database = sqlite3.connect(file, isolation_level=None)
    for setting in ("page_size = 16384", "locking_mode = EXCLUSIVE", "journal_mode = DELETE", "synchronous = FULL"):
        database.execute(f"PRAGMA {setting}")
    database.execute("CREATE TABLE command (session INTEGER, seq INTEGER, row BLOB, PRIMARY KEY (session, seq)) WITHOUT ROWID")
    row, count, began, used = bytes(size), 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < SECONDS:
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO command VALUES (1, ?, ?)", ((count + number, row) for number in range(CONNECTIONS)))
        database.execute("COMMIT")
        count += CONNECTIONS
    rate = count / (time.perf_counter() - began)
    database.close()
    return rate, (time.process_time() - used) * 1e6 / count


def row_size(state):
    """Bytes of the middle row of a state file; its server is gone."""
    with sqlite3.connect(state) as database:
        rows = database.execute("SELECT length(text) + length(changes) + length(coalesce(reply, '')) FROM command").fetchall()
    if not rows:
        raise Failure(f"{state} holds no command")
    return statistics.median(size for size, in rows)


def kept(make_stub, folder):
    """Rates and processor times by turns: of the bare loop, of the stub with a state file; and the size of a row."""
    rates, size = [], None
    for number in range(ROUNDS):
        state = folder / f"bench-{number}.state"
        stub = make_stub("--state", str(state))
        pid, _ = stub.start()
        try:
            rate = pay_with_wrk(stub, pid, number, CONNECTIONS)
        finally:
            stop(pid)
        size = size or round(row_size(state))
        rates.append((bare_rows(folder / "bare.sqlite", size), rate))
        for file in folder.glob(f"{state.name}*"):
            file.unlink()
    return rates, size


def bank_of(folder, program, rows):
    """A folder for --stubs with the bank counterfoil with this number of transactions."""
    commands = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    if re.search(r"^  generate ", commands, re.MULTILINE):
        command = [program, "generate", "--rows", str(rows), "--seed", "7", "--bank", "counterfoil", "--out", str(folder)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise Failure(f"{' '.join(command)}: {made.stderr}")
        return
    shutil.copytree(HERE.parent / "Stubs", folder)
    row = {"id": "", "_account": "ava-gbp", "booked_at": "2024-01-01T00:00:00Z", "value_date": "2024-01-01", "status": "booked",
           "direction": "debit", "kind": "card", "amount": {"amount": "1.00", "currency": "GBP"}, "description": "Bakery",
           "counterparty": "Bakery"}
    head, tail = json.dumps(row).split('"id": ""')
    with open(folder / "counterfoil" / "transactions.json", "w") as file:
        file.write("[" + ",\n".join(f'{head}"id": "tx-{number}"{tail}' for number in range(rows)) + "]\n")


def pay_once(bank, key):
    """From the first account to the first payee, whatever bank it is."""
    token = sign_in(bank)
    account = json.loads(fetch(bank + "/v1/accounts", token=token))["accounts"][0]
    payee = json.loads(fetch(bank + "/v1/payees", token=token))["payees"][0]
    body = json.dumps({"from": account["id"], "to": payee["id"], "amount": {"amount": "1", "currency": account["currency"]}})
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    connection = http.client.HTTPConnection(bank.removeprefix("http://"))
    connection.request("POST", "/v1/payments", body, headers)
    status = connection.getresponse().status
    connection.close()
    if status != 201:
        raise Failure(f"a payment got {status}, expected 201")


def resets(program, folder):
    """Microseconds of resets by turns, for a bank of few rows and one of many."""
    stubs, pids, times = [], [], [[], []]
    try:
        for rows in ROWS:
            place = folder / f"rows-{rows}"
            place.mkdir()
            bank_of(place / "Stubs", program, rows)
            stubs.append(Stub(program, place, *free_ports(2), "--stubs", str(place / "Stubs")))
            pids.append(stubs[-1].start()[0])
        addresses = [stub.addresses() for stub in stubs]
        admins = [http.client.HTTPConnection(admin.removeprefix("http://")) for _, admin in addresses]
        for number in range(RESETS):
            for (bank, _), admin, measured in zip(addresses, admins, times):
                pay_once(bank, f"before-reset-{number}")
                began = time.perf_counter()
                admin.request("POST", "/__admin/sessions/default/reset")
                response = admin.getresponse()
                response.read()
                measured.append((time.perf_counter() - began) * 1e6)
                if response.status != 204:
                    raise Failure(f"a reset got {response.status}, expected 204")
    finally:
        for pid in pids:
            stop(pid)
    return times


def sessions(stub):
    """Megabytes resident before and after making the sessions, and how long that took, in seconds."""
    pid, _ = stub.start()
    try:
        bank, admin = stub.addresses()
        sign_in(bank)
        before, began = resident_megabytes(pid), time.perf_counter()
        connection = http.client.HTTPConnection(admin.removeprefix("http://"))
        for _ in range(SESSIONS - 1):
            connection.request("POST", "/__admin/sessions", '{"bank": "counterfoil"}')
            response = connection.getresponse()
            body = response.read()
            if response.status != 201:
                raise Failure(f"a session got {response.status}, expected 201: {body!r}")
        return before, resident_megabytes(pid), time.perf_counter() - began
    finally:
        stop(pid)


def report(program, nginx, folder):
    """Measures all, and returns the lines of the report."""
    def make_stub(*arguments):
        return Stub(program, folder, *free_ports(2), *arguments)

    print("Measuring payments, state files, resets and sessions: about two minutes.", file=sys.stderr)
    in_memory = payments(nginx, make_stub())
    on_disk, size = kept(make_stub, folder)
    with_webhook = beside_dead_receiver(make_stub())
    few, many = resets(program, folder)
    before, after, took = sessions(make_stub())

    def line(name, pairs, target, is_rate=False):
        theirs, ours = (statistics.median(rate for rate, _ in column) for column in zip(*pairs))
        ratio = statistics.median(own[0] / other[0] for other, own in pairs)
        missed = "" if (ours if is_rate else ratio) >= target else "  MISSED"
        wanted = f"{target:,}/s" if is_rate else f"{target:g}"
        each = [statistics.median(used for _, used in column) for column in zip(*pairs)]
        return (f"{name:30}{theirs:10,.0f}{ours:10,.0f}{ratio:10.2f}    at least {wanted}{missed}\n"
                f"{'  CPU of the server for each, us':30}{each[0]:8.1f}{each[1]:10.1f}{each[1] / each[0]:10.2f}")

    few, many = statistics.median(few), statistics.median(many)
    return f"""
payments, each under its own key, {ROUNDS} rounds of {SECONDS} s by turns
                                   nginx      stub     ratio    target
{line("payments/s (nginx: a file)", in_memory, TARGETS["payments"])}
                               bare loop      stub     ratio    target
{line(f"kept/s, {CONNECTIONS} connections", on_disk, TARGETS["kept"], is_rate=True)}
  the bare loop commits {CONNECTIONS} rows of {size:,} bytes with each fsync, on the same disk

                                 without dead receiver  ratio   target
{line("payments/s, a webhook", with_webhook, TARGETS["webhook"])}

                              {ROWS[0]:>10,}{ROWS[1]:>10,}     ratio    target
reset, microseconds (median)  {few:10.0f}{many:10.0f}{many / few:10.2f}    at most {TARGETS['reset']:g}{"" if many / few <= TARGETS['reset'] else "  MISSED"}

                                1 session{SESSIONS:>10,}
resident, MB                  {before:10.1f}{after:10.1f}              at most {TARGETS['sessions']:g}{"" if after <= TARGETS['sessions'] else "  MISSED"}
  made one after the other in {took:.1f} s"""
