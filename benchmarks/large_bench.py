#!/usr/bin/env python3
"""large_bench: what benchmarks/bench measures of a bank of a million rows; alone: benchmarks/large_bench.py COUNTERFOIL.

Load: from spawning `serve` until a client that signed in has the first page. The files were just written, so that no disk is
measured. Pages: one connection walks from the newest row to the oldest by the cursors it is given; then the pages of both
ends are asked for by turns, each once and one row shorter than in the walk, so that no response was kept from before.
"""
import collections
import http.client
import json
import statistics
import sys
import time

sys.dont_write_bytecode = True
from servers import Failure, Stub, free_ports, run_alone, sign_in, stop  # noqa: E402
from session_bench import bank_of  # noqa: E402

ROWS, LOADS = 1_000_000, 3
PAGE, PAGES = 20, 3000  # rows of a page of the walk; pages measured at each end
TARGETS = {"load": 5.0, "ends": 1.25}
LIST = "/v1/accounts/ava-gbp/transactions"


class Reader:
    """Asks for pages on one connection."""

    def __init__(self, bank):
        self.connection = http.client.HTTPConnection(bank.removeprefix("http://"), timeout=30)
        self.headers = {"Authorization": f"Bearer {sign_in(bank)}"}

    def page(self, cursor, size):
        """The response's bytes."""
        self.connection.request("GET", f"{LIST}?limit={size}" + (f"&cursor={cursor}" if cursor else ""), headers=self.headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise Failure(f"a page at the cursor {cursor} got {response.status}, expected 200: {body!r}")
        return body


def walk(reader):
    """The cursors of the first and of the last full pages, and how many rows there are."""
    first, last, rows, cursor = [], collections.deque(maxlen=PAGES), 0, None
    while True:
        page = json.loads(reader.page(cursor, PAGE))
        count = len(page["transactions"])
        rows += count
        if count == PAGE:
            if len(first) < PAGES:
                first.append(cursor)
            last.append(cursor)
        cursor = page.get("next_cursor")
        if not cursor:
            return first, list(last), rows


def measure(stub):
    """Seconds until the first page; milliseconds of the pages at the start and at the end; rows walked."""
    seconds = []
    for number in range(LOADS):
        began = time.perf_counter()
        pid, _ = stub.start()
        try:
            reader = Reader(stub.addresses()[0])
            reader.page(None, PAGE)
            seconds.append(time.perf_counter() - began)
            if number < LOADS - 1:
                continue
            first, last, rows = walk(reader)
            times = [[], []]
            for cursors in zip(first, last):
                for cursor, measured in zip(cursors, times):
                    began = time.perf_counter()
                    reader.page(cursor, PAGE - 1)
                    measured.append((time.perf_counter() - began) * 1000)
        finally:
            stop(pid)
    return seconds, times, rows


def report(program, folder):
    """Measures all, and returns the lines of the report."""
    print("Measuring a bank of a million rows: half a minute.", file=sys.stderr)
    place = folder / "large"
    place.mkdir()
    bank_of(place / "Stubs", program, ROWS)
    seconds, times, rows = measure(Stub(program, place, *free_ports(2), "--stubs", str(place / "Stubs")))
    load = statistics.median(seconds)
    start, end = (statistics.quantiles(column, n=100)[98] for column in times)
    middles = [statistics.median(column) for column in times]

    def missed(met):
        return "" if met else "  MISSED"

    return f"""
{ROWS:,} rows, {rows:,} of them in the list that is paged
load to first page, s (median)          {load:10.2f}              at most {TARGETS['load']:g}{missed(load <= TARGETS['load'])}
                                   start       end     ratio    target
a page, ms (median)           {middles[0]:10.3f}{middles[1]:10.3f}{middles[1] / middles[0]:10.2f}
  (99th of 100)               {start:10.3f}{end:10.3f}{end / start:10.2f}    at most {TARGETS['ends']:g}{missed(end <= start * TARGETS['ends'])}
  {len(times[0]):,} pages of {PAGE - 1} rows at each end, by turns"""


if __name__ == "__main__":
    run_alone(report)
