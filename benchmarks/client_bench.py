"""client_bench: the model client's transport beside a bare libcurl loop in C (curl_loop.c), by turns, against one nginx.

Both ask for the same file 64 at a time over HTTP/1.1 with connections kept, by the same shared libcurl, and look at each answer on
the thread that has read it (the client's tasks prefer their transport as executor). Memory is what the client
holds after a tenth of the requests and at the end. Run by itself (client_bench.py COUNTERFOIL REQUESTS) it asks that often in one
go and ends with 1 if memory grew: what `make soak` does.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from servers import Failure, Nginx, free_ports, stop

HERE = pathlib.Path(__file__).parent
ROUNDS, REQUESTS, JOBS = 5, 60_000, 64
TARGETS = {"client": 0.9, "growth": 4.0}
AGENT = "counterfoil-client/1"
PATH = "/v1/accounts"


def compiled(folder):
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise Failure("found neither clang nor cc to compile curl_loop.c with")
    program = folder / "curl_loop"
    made = subprocess.run([compiler, "-O2", "-o", program, HERE / "curl_loop.c", "-lcurl"], capture_output=True, text=True)
    if made.returncode != 0:
        raise Failure(f"curl_loop.c did not compile:\n{made.stderr}")
    return str(program)


def run(command):
    """A loop's own report: requests, seconds, and the bytes in memory after a tenth and at the end."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def bare(loop, url, requests):
    return run([loop, url, str(requests), str(JOBS), AGENT])


def client(program, url, requests):
    return run([program, "client", "load", "--url", url, "--requests", str(requests), "--jobs", str(JOBS)])


def growth(result):
    """Megabytes between a tenth of the requests and the end."""
    return (result["residentAtEnd"] - result["residentAtTenth"]) / 1e6


def serving(nginx, body):
    """Runs the body with the address of a file of 600 bytes that nginx serves."""
    nginx.put("/v1/atms", b'{"atms":[]}')
    nginx.put(PATH, b'{"accounts":[' + b" " * 585 + b"]}")
    pid, _ = nginx.start()
    try:
        return body(f"http://127.0.0.1:{nginx.port}{PATH}")
    finally:
        stop(pid)


def report(program, nginx, folder):
    """Measures in turns, and returns the lines of the report."""
    print("Measuring the model client: some half a minute.", file=sys.stderr)
    loop = compiled(folder)
    rounds = serving(nginx, lambda url: [(bare(loop, url, REQUESTS), client(program, url, REQUESTS)) for _ in range(ROUNDS)])
    theirs, ours = (statistics.median(result["requests"] / result["seconds"] for result in column) for column in zip(*rounds))
    last = rounds[-1][1]
    missed = "" if ours / theirs >= TARGETS["client"] else "  MISSED"
    grown = "" if growth(last) <= TARGETS["growth"] else "  MISSED"
    return f"""
the client's transport, {JOBS} at a time, {ROUNDS} rounds of {REQUESTS:,} requests to nginx by turns
                                curl in C    client     ratio    target
requests/s (median)           {theirs:10,.0f}{ours:10,.0f}{ours / theirs:10.2f}    at least {TARGETS['client']:g}{missed}

                              after 10 %    at end      grew
resident, MB                  {last['residentAtTenth'] / 1e6:10.1f}{last['residentAtEnd'] / 1e6:10.1f}{growth(last):10.1f}    at most {TARGETS['growth']:g}{grown}"""


def main(program, requests):
    with tempfile.TemporaryDirectory(prefix="counterfoil-client-", dir=pathlib.Path(program).parent) as name:
        nginx = Nginx(pathlib.Path(name), *free_ports(1))
        result = serving(nginx, lambda url: client(program, url, requests))
    print(f"client: {result['requests']:,} requests in {result['seconds']:.1f} s; resident after 10 % {result['residentAtTenth'] / 1e6:.1f} MB, "
          f"at the end {result['residentAtEnd'] / 1e6:.1f} MB")
    if growth(result) > TARGETS["growth"]:
        raise Failure(f"the client's memory grew by {growth(result):.1f} MB, expected at most {TARGETS['growth']:g} MB")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if len(sys.argv) != 3:
        sys.exit("usage: client_bench.py COUNTERFOIL REQUESTS")
    try:
        main(os.path.abspath(sys.argv[1]), int(sys.argv[2]))
    except Failure as failure:
        sys.exit(f"client_bench: {failure}")
