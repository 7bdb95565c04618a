#!/usr/bin/env python3
"""growth_bench: what benchmarks/bench measures of a session that has done much; alone: benchmarks/growth_bench.py COUNTERFOIL.

Pages: after each number of payments, the newest pages of the payer's list, each asked for once, in rounds with a payment between, so that
no response was kept from before. Ledger: the latency of payments, one after the other, alone and while another process reads the
whole ledger again and again. Written: what the server's process hands to the disk (/proc/PID/io) for payments by wrk with --state.
Kept beside others: the latency of payments with --state, one after the other, while another connection makes enough of them for several
checkpoints. Memory: resident after as many payments as a session holds, and after a million, the session
reset whenever it is full.
"""
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from session_bench import row_size  # noqa: E402
from servers import Failure, Stub, call, free_ports, resident_megabytes, run_alone, sign_in, stop, wrk  # noqa: E402

STEPS = (1_000, 20_000, 200_000)
LIMIT, MILLION = 200_000, 1_000_000
PAGE, PAGES, ROUNDS = 10, 100, 3
BATCH = 64
KEPT = 40_000  # payments by the other connection
SECONDS = 5
TARGETS = {"pages": 1.5, "p99": 2.0, "memory": 1.1, "longest": 500.0}
LIST = "/v1/accounts/ava-gbp/transactions"
HERE = pathlib.Path(__file__).parent


class Payer:
    """Pays a penny at a time, each under its own key; every other to a payee, so that it settles a minute later."""

    def __init__(self, bank, keys="growth"):
        host, port = bank.removeprefix("http://").split(":")
        self.connection = socket.create_connection((host, int(port)), 30)
        self.bank, self.keys, self.paid = bank, keys, 0
        self.sign_in()

    def sign_in(self):
        self.token = sign_in(self.bank)

    def request(self):
        self.paid += 1
        to = ("goal-rainy", "payee-lark")[self.paid % 2]
        body = f'{{"from":"ava-gbp","to":"{to}","amount":{{"amount":"0.01","currency":"GBP"}}}}'
        return (f"POST /v1/payments HTTP/1.1\r\nHost: bank\r\nAuthorization: Bearer {self.token}\r\nIdempotency-Key: {self.keys}-{self.paid}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def pay(self, count):
        """Makes this number of payments, some sent together."""
        while count > 0:
            batch = min(count, BATCH)
            self.connection.sendall(b"".join(self.request() for _ in range(batch)))
            self.read(batch)
            count -= batch

    def read(self, count):
        """Reads this number of responses, each of which must report success."""
        held = b""
        while count > 0:
            head, mark, rest = held.partition(b"\r\n\r\n")
            length = int(re.search(rb"(?i)content-length: (\d+)", head)[1]) if mark else 0
            if not mark or len(rest) < length:
                more = self.connection.recv(1 << 16)
                if not more:
                    raise Failure(f"the stub ended a connection amid responses: {held!r}")
                held += more
                continue
            if b" 201" not in head.split(b"\r\n")[0]:
                raise Failure(f"a payment got {head.decode()}: {rest[:length].decode()}")
            held = rest[length:]
            count -= 1

    def latencies(self, is_over=None):
        """Milliseconds of payments, one after the other for some seconds, or until something else is over."""
        times, until = [], time.perf_counter() + SECONDS
        while not is_over() if is_over else time.perf_counter() < until:
            request = self.request()
            began = time.perf_counter()
            self.connection.sendall(request)
            self.read(1)
            times.append((time.perf_counter() - began) * 1000)
        return times


def pages(payer):
    """Milliseconds of the newest pages."""
    connection = http.client.HTTPConnection(payer.bank.removeprefix("http://"), timeout=30)
    times = []
    for _ in range(ROUNDS):
        payer.pay(1)
        cursor = None
        for _ in range(PAGES):
            target = f"{LIST}?limit={PAGE}" + (f"&cursor={cursor}" if cursor else "")
            began = time.perf_counter()
            connection.request("GET", target, headers={"Authorization": f"Bearer {payer.token}"})
            response = connection.getresponse()
            body = response.read()
            times.append((time.perf_counter() - began) * 1000)
            if response.status != 200:
                raise Failure(f"a page got {response.status}, expected 200: {body!r}")
            cursor = json.loads(body)["next_cursor"]
    connection.close()
    return times


def ledger_beside(payer, admin):
    """Milliseconds of payments alone, and of others while the ledger is read; how many milliseconds and bytes a ledger takes."""
    alone = payer.latencies()
    url = f"{admin}/__admin/sessions/default/ledger"
    # Standard error: what curl holds back of standard output is lost when it is killed.
    with tempfile.TemporaryFile("w+") as log:
        reader = subprocess.Popen(
            ["curl", "-sf", *[word for _ in range(1000) for word in ("-o", "/dev/null", url)], "-w", "%{stderr}%{size_download}\n"],
            stderr=log)
        try:
            time.sleep(0.2)
            began = time.perf_counter()

            def is_over():
                """Some seconds, and on a slow machine until one ledger is whole, within a minute."""
                spent = time.perf_counter() - began
                return spent > 60 or spent > SECONDS and os.fstat(log.fileno()).st_size > 0

            beside = payer.latencies(is_over)
            if reader.poll() is not None:
                raise Failure(f"curl on {url} ended with {reader.returncode}")
        finally:
            reader.kill()
            reader.wait()
        log.seek(0)
        read = log.read().splitlines()
    if not read:
        raise Failure(f"curl on {url} read no whole ledger in a minute, expected at least one")
    began = time.perf_counter()
    size = len(subprocess.run(["curl", "-sf", url], capture_output=True, check=True).stdout)
    return alone, beside, (time.perf_counter() - began) * 1000, size, len(read)


def grown(stub):
    """The pages' milliseconds at each step; payments beside the ledger at the last."""
    pid, _ = stub.start()
    try:
        bank, admin = stub.addresses()
        payer, times = Payer(bank), []
        for count in STEPS:
            payer.pay(count - payer.paid)
            times.append(pages(payer))
        return times, ledger_beside(payer, admin)
    finally:
        stop(pid)


def memory(stub):
    """Megabytes resident as new, after as many payments as a session holds, and after a million."""
    pid, _ = stub.start()
    try:
        bank, admin = stub.addresses()
        payer = Payer(bank)
        found = [resident_megabytes(pid)]
        while payer.paid < MILLION:
            payer.pay(LIMIT)
            found.append(resident_megabytes(pid))
            if payer.paid < MILLION:
                call(admin, "POST", "/sessions/default/reset")
                payer.sign_in()
        return found
    finally:
        stop(pid)


def kept_beside(make_stub, folder):
    """Milliseconds of kept payments, one after the other, while another connection makes many."""
    state = folder / "beside.state"
    stub = make_stub("--state", str(state))
    pid, _ = stub.start()
    try:
        bank, _ = stub.addresses()
        single, other = Payer(bank, "single"), Payer(bank, "other")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            others = pool.submit(other.pay, KEPT)
            times = single.latencies(others.done)
            others.result()
        return times
    finally:
        stop(pid)
        for file in folder.glob(f"{state.name}*"):
            file.unlink()


def written(make_stub, folder):
    """Bytes that the server writes for each kept payment, and those of its row."""
    state = folder / "growth.state"
    stub = make_stub("--state", str(state))
    pid, _ = stub.start()

    def bytes_written():
        return int(re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)[1])

    try:
        bank, _ = stub.addresses()
        before = bytes_written()
        count, _ = wrk(
            bank + "/v1/payments", seconds=SECONDS, connections=BATCH, script=HERE / "payments.lua", arguments=[sign_in(bank), "written-"])
        each = (bytes_written() - before) / count
    finally:
        stop(pid)
    try:
        return each, count, row_size(state)
    finally:
        for file in folder.glob(f"{state.name}*"):
            file.unlink()


def report(program, folder):
    """Measures all, and returns the lines of the report."""
    def make_stub(*arguments):
        return Stub(program, folder, *free_ports(2), *arguments)

    print("Measuring what has done much: pages, ledger, bytes written and a million payments, some four minutes.", file=sys.stderr)
    roomy = ("--session-limit", str(10 * LIMIT))
    times, (alone, beside, took, size, ledgers) = grown(make_stub(*roomy))
    each, kept, row = written(lambda *more: make_stub(*roomy, *more), folder)
    waited = sorted(kept_beside(lambda *more: make_stub(*roomy, *more), folder))
    found = memory(make_stub("--session-limit", str(LIMIT)))

    def missed(met):
        return "" if met else "  MISSED"

    def late(column):
        return statistics.quantiles(column, n=100)[98]

    middles = [statistics.median(column) for column in times]
    ratio, more = middles[-1] / middles[0], found[-1] / found[1]
    return f"""
                              {STEPS[0]:>10,}{STEPS[1]:>10,}{STEPS[2]:>10,}  payments     ratio    target
a page, ms (median)           {middles[0]:10.3f}{middles[1]:10.3f}{middles[2]:10.3f}{ratio:20.2f}    at most {TARGETS['pages']:g}{missed(ratio <= TARGETS['pages'])}
  (99th of 100)               {late(times[0]):10.3f}{late(times[1]):10.3f}{late(times[2]):10.3f}
  the newest {PAGES} pages of {PAGE} rows, {ROUNDS} times

                                   alone    beside    target
a payment, ms (median)        {statistics.median(alone):10.3f}{statistics.median(beside):10.3f}
  (99th of 100)               {late(alone):10.3f}{late(beside):10.3f}    at most {TARGETS['p99']:g}{missed(late(beside) <= TARGETS['p99'])}
  beside a process that reads the ledger of {STEPS[-1]:,} payments, {size:,} bytes in {took:,.0f} ms alone; it read {ledgers} meanwhile

                                     row   written     ratio
each kept payment, bytes      {row:10,.0f}{each:10,.0f}{each / row:10.1f}
  {kept:,} payments by {BATCH} connections

                                  median   99th of 100   99.9th of 100   longest    target
a kept payment beside others, ms {statistics.median(waited):7.2f}{late(waited):14.2f}{waited[len(waited) * 999 // 1000]:16.2f}{waited[-1]:10.1f}    at most {TARGETS['longest']:g}{missed(waited[-1] <= TARGETS['longest'])}
  {len(waited):,} of them, one after the other, beside {KEPT:,} by another connection

                                     new{LIMIT:>10,}{MILLION:>10,}  payments     ratio    target
resident, MB                  {found[0]:10.1f}{found[1]:10.1f}{found[-1]:10.1f}{more:20.2f}    at most {TARGETS['memory']:g}{missed(more <= TARGETS['memory'])}
  in one session, which is reset whenever it holds {LIMIT:,}; {(found[1] - found[0]) * 1000 / LIMIT:.2f} kB for each payment that it holds"""


if __name__ == "__main__":
    run_alone(report)
