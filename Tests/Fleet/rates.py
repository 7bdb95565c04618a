"""rates: requests a second of one, two and three nodes at once, as ratios. Printed, never a pass or a failure."""
import os
import re
import shutil
import subprocess

SECONDS = 2


def rate(sessions, nodes):
    """The sum over the nodes, each asked by a wrk of its own at the same time."""
    running = []
    for node in nodes:
        session = next(session for session in sessions if session.node == node.name)
        command = ["wrk", "-t1", "-c8", f"-d{SECONDS}s", "-H", f"Authorization: Bearer {session.token}", f"{node.bank}/s/{session.id}/v1/accounts"]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    total = 0.0
    for process in running:
        said, _ = process.communicate()
        found = re.search(r"Requests/sec:\s+([\d.]+)", said)
        total += float(found[1]) if found else 0
    return total


def compare_rates(fleet):
    if not shutil.which("wrk"):
        return "requests/s of 1, 2, 3 nodes: not measured, there is no wrk"
    rates = [rate(fleet.sessions, fleet.nodes[:count]) for count in (1, 2, 3)]
    return ("requests/s of 1, 2, 3 nodes, as ratios: " + ", ".join(f"{each / rates[0]:.2f}" if rates[0] else "none" for each in rates)
            + f" (on this machine's {os.cpu_count()} cores, which wrk uses too)")
