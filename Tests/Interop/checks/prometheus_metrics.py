"""prometheus_metrics.py READY: parses a server's metrics, and checks names, types and labels, and that sessions add no series."""
import json, sys, time, urllib.error, urllib.request
from prometheus_client.parser import text_string_to_metric_families

ready = json.load(open(sys.argv[1]))
UNITS = ("_seconds", "_bytes", "_fds", "_info")


def ask(address, body=None):
    """The text of a response, whatever its status."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body), timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def families(query=""):
    """The metrics by name; each must be there once."""
    text = ask(f"{ready['admin']}/__admin/metrics{query}")
    found = list(text_string_to_metric_families(text))
    names = [family.name for family in found]
    assert len(names) == len(set(names)), f"found {names}, expected each family once"
    return {family.name: family for family in found}


def sample(family, **labels):
    """The value of the one sample of that name with these labels."""
    values = [one.value for one in family.samples if one.labels == labels]
    assert len(values) == 1, f"found {family}, expected one sample {labels}"
    return values[0]


for bank in ready["banks"].values():
    ask(f"{bank}/nothing")
for name, family in families().items():
    assert name.startswith(("counterfoil_", "process_")), f"found {name}, expected the prefix of the program"
    assert family.documentation.endswith("."), f"found the help «{family.documentation}» of {name}, expected a sentence"
    assert family.type in ("counter", "gauge", "histogram"), f"found {name} of the type {family.type}"
    samples = {one.name for one in family.samples}
    # The parser takes the suffix from the name of a counter.
    if family.type == "counter":
        assert samples <= {name + "_total"}, f"found {samples}, expected the counter's name to end in _total"
    if family.type == "histogram":
        assert name.endswith("_seconds"), f"found the histogram {name}, expected its unit"
        for bank in ready["banks"]:
            counts = [one.value for one in family.samples if one.name == name + "_bucket" and one.labels["bank"] == bank]
            assert counts == sorted(counts) and len(counts) > 5, f"found {counts}, expected numbers that rise"
    if name.startswith("process_") and family.type == "gauge":
        assert name.endswith(UNITS), f"found {name}, expected a unit"

# An exchange is counted when it has ended, perhaps shortly after its response was read.
until = time.monotonic() + 120
while len((exchanges := families()["counterfoil_exchanges"]).samples) < len(ready["banks"]) and time.monotonic() < until:
    time.sleep(0.05)
for bank in ready["banks"]:
    # Open Banking UK has no 404.
    assert sample(exchanges, bank=bank, operation="", status="400" if bank == "openbanking" else "404") == 1
before = sum(len(family.samples) for family in families().values())
bank = next(iter(ready["banks"]))
for number in range(50):
    ask(f"{ready['admin']}/__admin/sessions", json.dumps({"bank": bank, "name": f"many-{number}"}).encode())
after = families()
assert sample(after["counterfoil_sessions"], bank=bank) == 51
assert sum(len(family.samples) for family in after.values()) == before, "found more series with more sessions, expected as many"
each = families("?sessions=true")["counterfoil_session_rules"]
assert sample(each, session="many-7", bank=bank) == 0
