# Clients that do nothing right: no run of one ends with 0.

cat >null.py <<'END'
"""null.py KIND: a driver that shows hello as it should, and then does nothing right."""
import contextlib
import json
import os
import sys
import urllib.request

KIND = sys.argv[1]
OPERATIONS = ["login", "logout", "status", "accounts", "balance", "transactions", "pay", "resume"]


def say(**message):
    print(json.dumps(message), flush=True)


if KIND == "silent-and-gone":
    sys.exit(0)
for number, line in enumerate(sys.stdin):
    if KIND == "silent":
        continue
    message = json.loads(line)
    kind = message.get("t")
    if kind == "hello":
        if KIND == "noise":
            print("starting up…\n{not json", flush=True)
        say(t="hello", v=1, nonce=message["nonce"], client=KIND, banks=["counterfoil"], operations=OPERATIONS, features=[])
    elif kind == "case":
        base = message["base_url"]
        say(t="ready", case=message["case"])
    elif kind == "step":
        result = {"t": "result", "case": message["case"], "n": message["n"]}
        if message["op"] not in OPERATIONS:
            # The harness asks for a made-up operation first.
            say(**result, outcome="ok" if KIND == "blind-impostor" else "unsupported", **({"view": {}} if KIND == "blind-impostor" else {}))
        elif KIND == "dropper" and message["op"] != "login":
            continue
        elif KIND == "crash":
            os._exit(70)
        elif KIND == "nothing-new":
            # The poorest cache there is: one request a step, and always the same empty list.
            if message["op"] not in ("login", "logout", "status"):
                with contextlib.suppress(Exception):
                    urllib.request.urlopen(base + "/v1/accounts", timeout=2)
            say(**result, outcome="ok", view={"accounts": [], "transactions": [], "stale": True})
        elif KIND == "unsupported":
            say(**result, outcome="unsupported")
        elif KIND == "impostor":
            # Well-formed views without a request behind them.
            lists = {name: [] for name in ("accounts", "transactions") if name == message["op"]}
            say(**result, outcome="ok", view=lists)
        else:
            say(**result, outcome="ok", view={})
    elif kind == "end":
        say(t="ended", case=message["case"])
    elif kind == "bye":
        break
END

# ends_with KIND CODE: the run with that client must end with that code, never with 0.
ends_with() {
    code=0
    timeout -k 1 600 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank counterfoil \
        --filter 'auth.no-empty-bearer*' --filter 'pay.new-intent-new-key*' --client "python3 '$PWD/null.py' $1" >"$1.out" 2>&1 || code=$?
    [ $code -eq "$2" ] || { echo "$1: found exit code $code, expected $2"; cat "$1.out"; exit 1; }
}

ends_with silent-and-gone 3
ends_with silent 3
ends_with noise 3
ends_with blind-impostor 3
ends_with impostor 1
ends_with empty-views 3
ends_with dropper 3
ends_with crash 3
ends_with unsupported 4

# A client that shows an empty list marked as old, with a request behind it, meets no more than what asks for no data.
timeout -k 1 1200 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank counterfoil \
    --client "python3 '$PWD/null.py' nothing-new" >nothing-new.out 2>&1 && { echo "nothing-new: found exit code 0"; exit 1; }
passed=$(sed -nE 's/^([0-9]+) passed.*/\1/p' nothing-new.out)
[ "${passed:-999}" -le 10 ] || { tail -40 nothing-new.out; echo "nothing-new: $passed passed, expected at most 10"; exit 1; }

# Errors before the first question to a client: filters that fit nothing, reports that cannot be written; and that a driver is
# found beside one, and tried out first.
shows() {
    local expected=$1 pattern=$2 status=0
    shift 2
    output=$("$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --bank counterfoil "$@" 2>&1) || status=$?
    [ $status = "$expected" ] && [[ $output == $pattern ]] ||
        { echo "test $*: found status $status and «$output», expected $expected and «$pattern»"; exit 1; }
}
shows 4 '*--filter: found `paay`, which matches no case of the banks*did you mean `pay`?*' --client "python3 $PWD/null.py silent" --filter paay
shows 2 $'error: cannot write nowhere/x.xml: No such file or directory\nhint: create its folder, or name a file in another one' --client "python3 $PWD/null.py silent" --junit nowhere/x.xml
shows 3 '*the driver violates the protocol: found a line that is not JSON*' --client "python3 null.py noise" --filter auth.no-empty-bearer
shows 3 '*failed; no case was run*accounts*--try*' --client "python3 null.py dropper" --filter auth.no-empty-bearer
