# `session list` asks several servers, and names one that does not answer.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil --stubs "$ROOT/Stubs"
first=$COUNTERFOIL_ADMIN
one=$server
mv ready ready-one
server=
trap 'stop; kill $one 2>/dev/null && wait $one || true' EXIT
serve bins --stubs "$ROOT/Stubs"
second=$COUNTERFOIL_ADMIN
unset COUNTERFOIL_ADMIN

"$counterfoil" session list --admin "$first" --admin "$second" >listed
grep -q '^counterfoil ' listed || { echo "two servers: found $(cat listed), expected the sessions of the first"; exit 1; }
grep -q '^bins ' listed || { echo "two servers: found $(cat listed), expected the sessions of the second"; exit 1; }
"$counterfoil" session list --json --admin "$first/" --admin "$second" >listed
python3 - "$first" "$second" <<'PYTHON'
import json, sys
found = [(one["id"], one["admin"]) for one in json.load(open("listed"))["sessions"]]
expected = [("counterfoil", sys.argv[1]), ("bins", sys.argv[2])]
assert found == expected, f"found {found}, expected {expected}"
PYTHON

# A silent one: nothing listens there any more.
stop
status=0
"$counterfoil" session list --admin "$second" --admin "$first" >listed 2>said || status=$?
[ $status = 2 ] || { echo "a silent server: found status $status, expected 2"; exit 1; }
grep -q "cannot reach the admin API at $second " said || { echo "a silent server: found $(cat said), expected its address"; exit 1; }
grep -q '^counterfoil ' listed || { echo "a silent server: found $(cat listed), expected the sessions of the other"; exit 1; }
