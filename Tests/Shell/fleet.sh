# The checks of `make fleet` look: a changed cell, a table that is not there and a name that nobody has are noticed, and where there is no
# proxy it reports that nothing was checked. (The nodes and proxies themselves: Tests/Fleet/run, in `make check` too.)

mkdir -p clone/.ci clone/Tests/Fleet clone/.build/release
cp "$ROOT/Tests/Fleet/run" clone/Tests/Fleet/
cp "$ROOT/.ci/environment" clone/.ci/
printf '#!/bin/sh\nexit 1\n' >clone/.ci/need
chmod +x clone/.ci/need
status=0
output=$(clone/Tests/Fleet/run 2>&1) || status=$?
[ $status = 1 ] && [[ $output == *'found no program'* ]] || fail "without a program: found status $status and «$output», expected an error"
printf '#!/bin/sh\nexit 0\n' >clone/.build/release/counterfoil
chmod +x clone/.build/release/counterfoil
output=$(clone/Tests/Fleet/run 2>&1) || fail "without a proxy: found status $?, expected 0"
[[ $output == *SKIPPED* ]] || fail "without a proxy: found «$output», expected a line about it"

python3 - "$ROOT" <<'PYTHON'
import copy, pathlib, socket, struct, sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/Tests/Fleet")
import table
from names import Names
from parts import Failure, Response, expect

# A table that is written and read again is the same, and each changed cell is one line.
kinds = [
    {"kind": "status", "verdict": "arrives", "found": []},
    {"kind": "slow", "verdict": "altered", "found": ["arrived within 12 ms | instead of 1203.5 ms", "Date added"]},
    {"kind": "certificate", "verdict": "not-probed", "found": ["it exists on TLS only"]},
]
cells = table.cells({column: {"kinds": kinds} for column in table.COLUMNS})
assert table.read(table.drawn(cells)) == cells, (table.read(table.drawn(cells)), cells)
assert table.differences(cells, cells) == []
later = copy.deepcopy(kinds)
later[1]["found"][0] = "arrived within 19 ms | instead of 1190 ms"
assert table.cells({column: {"kinds": later} for column in table.COLUMNS}) == cells, "found other cells for other milliseconds"
for kind in cells:
    for column, title in table.COLUMNS.items():
        changed = copy.deepcopy(cells)
        changed[kind][column] = "**swallowed**: 2 attempts"
        (line,) = table.differences(changed, cells)
        assert line == f"{kind}, {title}: found «**swallowed**: 2 attempts», expected «{cells[kind][column]}»", line
assert len(table.differences(cells, {})) == len(table.differences({}, cells)) == len(cells) * len(table.COLUMNS)

# Names: all addresses of a name, in any case; none for another type; an error for a stranger.
names = Names()
names.addresses = {"nodes": ["127.0.1.1", "127.0.1.2"], "n1": ["127.0.1.1"]}


def asked(name, kind=1):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        client.sendto(b"id" + struct.pack("!HHHHH", 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1), ("127.0.0.1", names.port))
        response = client.recv(4096)
    count = struct.unpack("!H", response[6:8])[0]
    return response[:2], response[3] & 15, [socket.inet_ntoa(response[len(response) - 16 * rest + 12 :][:4]) for rest in range(count, 0, -1)]


assert asked("Nodes") == (b"id", 0, ["127.0.1.1", "127.0.1.2"]), asked("Nodes")
assert asked("n1") == (b"id", 0, ["127.0.1.1"])
assert asked("n1", kind=28) == (b"id", 0, [])
assert asked("n9.test") == (b"id", 3, [])
names.close()

# An unexpected status is reported with the location and the response.
try:
    expect(Response(502, {}, b"no"), 200, 201, at="a place")
    raise AssertionError("found 502 taken for 200 or 201")
except Failure as failure:
    assert str(failure) == "a place: found 502 no, expected 200 or 201", failure
PYTHON
