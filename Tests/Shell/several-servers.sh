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

# The judge asks both, by label too: a required suite must have been exercised in one of them.
"$counterfoil" session new counterfoil --name mine --label team=ios --admin "$first" >address 2>/dev/null
"$counterfoil" session new bins --name yours --label team=ios --admin "$second" >/dev/null 2>&1
token=$("$counterfoil" tokens issue --session mine --admin "$first" 2>/dev/null)
curl -s -o /dev/null -H "Authorization: Bearer $token" "$(cat address)/v1/accounts"
"$counterfoil" judge --label team=ios --admin "$first" --admin "$second" --for 1ms --require auth --json judged.json >judged 2>output ||
    { echo "judge of two servers: found status $?, expected 0: $(cat judged output)"; exit 1; }
grep -q '^2 sessions, 1 exchange: no rule was broken$' judged || { echo "found $(cat judged), expected both sessions"; exit 1; }
grep -q '\[session=yours\]' judged.json || { echo "found no result of yours in judged.json"; exit 1; }
status=0
"$counterfoil" judge --session mine --session nobody --admin "$first" --admin "$second" --for 1ms >judged 2>output || status=$?
[ $status = 2 ] || { echo "judge of an unknown session: found status $status, expected 2"; exit 1; }
grep -q 'there is no session nobody' output || { echo "found $(cat output), expected the session that is not there"; exit 1; }

# A silent one: nothing listens there any more.
stop
status=0
"$counterfoil" session list --admin "$second" --admin "$first" >listed 2>output || status=$?
[ $status = 2 ] || { echo "a silent server: found status $status, expected 2"; exit 1; }
grep -q "cannot reach the admin API at $second " output || { echo "a silent server: found $(cat output), expected its address"; exit 1; }
grep -q '^counterfoil ' listed || { echo "a silent server: found $(cat listed), expected the sessions of the other"; exit 1; }
status=0
"$counterfoil" judge --label team=ios --admin "$second" --admin "$first" --for 1ms >judged 2>output || status=$?
[ $status = 2 ] || { echo "judge beside a silent server: found status $status, expected 2"; exit 1; }
grep -q "cannot reach the admin API at $second " output || { echo "found $(cat output), expected the silent server"; exit 1; }
grep -q '(session mine, 1 exchange)' judged || { echo "found $(cat judged), expected the session of the other"; exit 1; }
