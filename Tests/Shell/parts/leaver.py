"""leaver.py COMMAND [ARGUMENT...]: starts processes that no signal to its process group reaches, writes their ids to the file LEFT, and becomes
the command."""
import os, signal, sys, time


def leave(begin, has_child=False):
    """Starts a grandchild, whose parent has ended when this returns, perhaps with a child of its own."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    begin()
    read, write = os.pipe()
    if os.fork():
        # Until it has written its id.
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if has_child:
        os.fork()
    with open(os.environ["LEFT"], "a") as file:
        file.write(f"{os.getpid()}\n")
    os.close(write)
    time.sleep(600)
    os._exit(0)


def ignores_sigterm():
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def ends_at_once():
    os.setsid()
    if os.fork():
        os._exit(0)
    os._exit(0)


for way in (os.setsid, ignores_sigterm, os.setpgrp):
    leave(way)
leave(ends_at_once)
leave(os.setsid, has_child=True)
os.execvp(sys.argv[1], sys.argv[1:])
