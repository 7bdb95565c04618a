"""table: which fault survives which proxy, asked by `counterfoil probe`, and held against docs/many-machines.md cell by cell."""
import json
import os
import re
import subprocess

from parts import PATIENCE, ROOT, Failure, Proxy

PAGE = ROOT / "docs/many-machines.md"
COLUMNS = {"nginx": "nginx", "haproxy-http": "HAProxy, HTTP", "haproxy-tcp": "HAProxy, TCP"}
DIRECT = "no proxy"
VERDICTS = ("arrives", "altered", "swallowed", "not-probed")


def probe(fleet, paths, *options):
    """The reports of `counterfoil probe` through each of these paths, by name; they run side by side, each on a node of its own."""
    running = {}
    for (name, address), node in zip(paths.items(), fleet.nodes):
        file = fleet.folder / f"probe-{name.replace(' ', '-')}.json"
        file.unlink(missing_ok=True)
        # A machine that is busy with other tests may take long to respond.
        command = [fleet.program, "probe", "--limit", "10s", "--through", address or node.bank, "--admin", node.admin, "--json", str(file), *options]
        running[name] = file, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                               env=os.environ | node.environment)
    reports = {}
    for name, (file, process) in running.items():
        try:
            said, _ = process.communicate(timeout=4 * PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"probe through {name}: found it running after {4 * PATIENCE} s, expected its end") from None
        if process.returncode not in (0, 1) or not file.exists():
            raise Failure(f"probe through {name}: found status {process.returncode}, expected 0 or 1 and a report: {said}")
        reports[name] = json.loads(file.read_text())
        counts = {verdict: sum(kind["verdict"] == verdict for kind in reports[name]["kinds"]) for verdict in VERDICTS}
        reported = {verdict: reports[name][verdict.replace("-", "_")] for verdict in VERDICTS}
        if counts != reported or process.returncode != (1 if counts["altered"] or counts["swallowed"] else 0):
            raise Failure(f"probe through {name}: found status {process.returncode} and the counts {reported}, expected those of its kinds, {counts}")
    return reports


def cell(kind):
    """A verdict and its reason, without what differs from run to run."""
    found = re.sub(r"\d+(\.\d+)?( ?(ms|s|seconds|milliseconds)\b)", r"…\2", "; ".join(kind["found"])).replace("|", "\\|")
    if kind["verdict"] == "arrives":
        return "arrives"
    found = re.sub(r"^found [a-z-]+, which ", "", found)
    verdict = "–" if kind["verdict"] == "not-probed" else f"**{kind['verdict']}**"
    return f"{verdict}: {found}" if found else verdict


def cells(reports):
    """The cells by kind and column. A kind that no path can be probed with stands in no row."""
    table = {}
    for column, report in reports.items():
        for kind in report["kinds"]:
            table.setdefault(kind["kind"], {})[column] = cell(kind)
    return table


def drawn(table):
    """The table of the page: the kinds with the same cells share a row."""
    kinds = {}
    for kind, row in table.items():
        kinds.setdefault(tuple(row.get(column, "") for column in COLUMNS), []).append(f"[`{kind}`](reference/faults.md#fault-{kind})")
    lines = [f"| kind | {' | '.join(COLUMNS.values())} |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {', '.join(links)} | {' | '.join(row)} |" for row, links in kinds.items()]
    return "\n".join(lines)


def read(text):
    """The cells of the page; empty if there is no table yet."""
    table = {}
    link = r"\[`[a-z-]+`\]\(\S+\)"
    for links, rest in re.findall(rf"(?m)^\| ({link}(?:, {link})*) \| (.*) \|$", text):
        for kind in re.findall(r"\[`([a-z-]+)`\]", links):
            table[kind] = dict(zip(COLUMNS, re.split(r" (?<!\\)\| ", rest)))
    return table


def differences(found, expected):
    """One line for each cell that differs."""
    lines = []
    for kind in [*expected, *(kind for kind in found if kind not in expected)]:
        for column, title in COLUMNS.items():
            cell_found, cell_expected = found.get(kind, {}).get(column), expected.get(kind, {}).get(column)
            if cell_found != cell_expected:
                lines.append(f"{kind}, {title}: found «{cell_found}», expected «{cell_expected}»")
    return lines


def catch_retries(fleet):
    """A proxy that sends again what got no response is caught: the probe has more attempts in the journal than it made requests."""
    # One node twice: nginx asks another server than the one that failed.
    server = f"server {fleet.nodes[0].host}:8080 max_fails=0;"
    changes = [("proxy_next_upstream off;", f"upstream twice {{ {server} {server} }}\nproxy_next_upstream error timeout invalid_header non_idempotent;"),
               ("proxy_pass http://$host_of_request:8080;", "proxy_pass http://twice;")]
    proxy = Proxy("nginx-that-retries", "nginx.conf.template", fleet.folder, fleet.node_ports, fleet.names, changes)
    try:
        proxy.start()
        report = probe(fleet, {proxy.kind: proxy.bank}, "--kinds", "status,close,lose-reply")[proxy.kind]
    finally:
        proxy.stop()
    found = {kind["kind"]: (kind["verdict"], kind.get("attempts")) for kind in report["kinds"] if kind["kind"] in ("status", "close", "lose-reply")}
    expected = {"status": ("arrives", 1), "close": ("swallowed", 2), "lose-reply": ("swallowed", 2)}
    if found != expected:
        raise Failure(f"probe through an nginx that retries: found {found}, expected {expected}")
    return "a proxy that retries is caught by `probe`: close and lose-reply were sent twice"


def hold(fleet, is_written):
    reports = probe(fleet, {DIRECT: None} | {proxy.kind: proxy.bank for proxy in fleet.proxies})
    direct = reports.pop(DIRECT)
    failed = [f"{kind['kind']}: {kind['verdict']}, {kind['found']}" for kind in direct["kinds"] if kind["verdict"] not in ("arrives", "not-probed")]
    if failed:
        raise Failure(f"probe without a proxy: found {'; '.join(failed)}; expected that each kind arrives")
    table = cells(reports)
    summary = ", ".join(f"{COLUMNS[name]}: {report['arrives']} arrive, {report['altered']} altered, {report['swallowed']} swallowed" for name, report in reports.items())
    swallowed = [f"{name}: {kind['kind']}, {kind['found']}" for name, report in reports.items() for kind in report["kinds"] if kind["verdict"] == "swallowed" and kind.get("attempts", 1) > 1]
    if swallowed:
        raise Failure(f"found requests that a proxy sent again, expected none with the files of deploy/: {'; '.join(swallowed)}")
    page = PAGE.read_text()
    if is_written:
        text, times = re.subn(r"(?s)(<!-- fleet -->\n).*(<!-- /fleet -->)", lambda match: f"{match[1]}{drawn(table)}\n{match[2]}", page)
        if times != 1:
            raise Failure(f"found no <!-- fleet --> … <!-- /fleet --> in {PAGE}")
        PAGE.write_text(text)
        return f"faults: {summary}; written to {PAGE.relative_to(ROOT)}"
    different = differences(table, read(page.partition("<!-- fleet -->")[2].partition("<!-- /fleet -->")[0]))
    if different:
        raise Failure(f"the table of faults: found {len(different)} cells that are not those of {PAGE.relative_to(ROOT)} (make fleet WRITE=1 writes them):\n  " + "\n  ".join(different))
    return f"faults: {summary}; {sum(len(row) for row in table.values())} cells as in {PAGE.relative_to(ROOT)}"
