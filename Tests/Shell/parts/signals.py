"""signals.py COMMAND...: ends a server by each signal, with pipes that nobody reads from, and looks at its status."""
import json, os, signal, subprocess, sys, time


def full_pipe():
    """A pipe that takes no more; who writes into it waits."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(write, True)
    return read, write


def check(name, number, goes_on=False, ignored=None, **streams):
    """Starts the server, sends it the signal once it is ready, and expects it to end with 0; or to go on, until it is asked otherwise."""
    ready = "ready-" + name.replace(" ", "-")
    pipes = {stream: full_pipe() for stream in streams}
    outputs = {stream: pipes[stream][1] if stream in pipes else subprocess.DEVNULL for stream in ("stdout", "stderr")}
    ignore = lambda: signal.signal(ignored, signal.SIG_IGN) if ignored else None
    server = subprocess.Popen(sys.argv[1:] + ["--ready-file", ready], preexec_fn=ignore, **outputs)
    try:
        until = time.monotonic() + 300
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            assert server.poll() is None, f"{name}: found status {server.returncode} before it was ready"
            assert time.monotonic() < until, f"{name}: found no ready file after 300 s"
            time.sleep(0.05)
        assert json.load(open(ready))["pid"] == server.pid
        server.send_signal(number)
        if goes_on:
            try:
                server.wait(timeout=1)
                raise AssertionError(f"{name}: found status {server.returncode}, expected it to go on")
            except subprocess.TimeoutExpired:
                server.terminate()
        try:
            status = server.wait(timeout=300)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name}: found that it still runs after 300 s, expected its end")
        assert status == 0, f"{name}: found status {status}, expected 0"
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()
        for pipe in pipes.values():
            for end in pipe:
                os.close(end)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    check(number.name, number)
    check(f"full stdout and {number.name}", number, stdout=True)
    check(f"full stderr and {number.name}", number, stderr=True)
    check(f"both full and {number.name}", number, stdout=True, stderr=True)
# Under nohup the terminal's end means nothing.
check("nohup", signal.SIGHUP, goes_on=True, ignored=signal.SIGHUP)
