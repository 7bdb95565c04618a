"""door_bench: what the program costs before it does anything: its size, and the time until it answers."""
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from servers import NGINX, stop  # noqa: E402

STARTS = 45
TARGETS = {"size": 100.0, "start": 60.0, "version": 50.0}


def missed(met):
    return "" if met else "  MISSED"


def start_times(*servers):
    """Each server's median milliseconds from spawning the process to its first 200, started by turns."""
    times = [[] for _ in servers]
    for _ in range(STARTS):
        for server, found in zip(servers, times):
            pid, milliseconds = server.start()
            stop(pid)
            found.append(milliseconds)
    return [statistics.median(found) for found in times]


def run_times(*commands):
    """Each command's median milliseconds from spawning it to its end, by turns."""
    times = [[] for _ in commands]
    for _ in range(STARTS):
        for command, found in zip(commands, times):
            began = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            found.append((time.perf_counter() - began) * 1000)
    return [statistics.median(found) for found in times]


def installed_megabytes(program, folder):
    """The size of the program as `make install` puts it there: without its table of symbols."""
    copy = shutil.copy(program, folder / "installed")
    subprocess.run(["strip", copy], check=True)
    return pathlib.Path(copy).stat().st_size / 1e6


def report(program, nginx, stub, folder):
    nginx_start, stub_start = start_times(nginx, stub)
    nginx_version, version = run_times([NGINX, "-v"], [program, "--version"])
    size = installed_megabytes(program, folder)
    return f"""
                                   nginx      stub     ratio    target
start to first answer, ms     {nginx_start:10.1f}{stub_start:10.1f}{stub_start / nginx_start:10.2f}    at most {TARGETS['start']:g}{missed(stub_start <= TARGETS['start'])}
--version (nginx: -v), ms     {nginx_version:10.1f}{version:10.1f}{version / nginx_version:10.2f}    at most {TARGETS['version']:g}{missed(version <= TARGETS['version'])}
installed program, MB                   {size:10.1f}              at most {TARGETS['size']:g}{missed(size <= TARGETS['size'])}
  one bank; the times are medians of {STARTS}, by turns"""
