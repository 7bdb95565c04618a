"""child: a command run to its end, with its output, its time and its memory bounded."""
import contextlib
import math
import os
import resource
import signal
import subprocess
import tempfile
import threading

from soaking import Failure

LARGEST = 600  # megabytes: the most that a command may take in memory; a command with nothing hostile takes some 100


class Ended:
    """How a command ended: its exit code, its output as text, the most memory that it had, in megabytes."""

    def __init__(self, code, out, err, megabytes):
        self.code, self.out, self.err, self.megabytes = code, out, err, megabytes


def run(command, seconds, work=None, largest=LARGEST, environment=None, **options):
    """Runs a command.

    - Parameters: seconds, by the clock on the wall; work, seconds of a processor; largest, megabytes.
    - Throws: Failure if it takes more of one of them.
    """
    work = work and math.ceil(work)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"} | (environment or {}),
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_CPU, (work, work + 5))) if work else None, **options)
        late = threading.Event()

        def end():
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        # Popen does not report the memory of one child.
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        timer.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        if late.is_set():
            raise Failure(f"found no end within {seconds:g} s, expected one")
        if process.returncode == -signal.SIGXCPU:
            raise Failure(f"found more than {work} s of work, expected less")
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        megabytes = usage.ru_maxrss / 1000
        if megabytes > largest:
            raise Failure(f"found {megabytes:.0f} MB in memory, expected at most {largest}")
        return Ended(process.returncode, *texts, megabytes)
