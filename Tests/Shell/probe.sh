# `counterfoil probe`: directly, and through proxies that pass bytes, add a field, answer resets, retry, buffer and answer themselves.
. "$ROOT/Tests/Shell/parts/serve.sh"
export COUNTERFOIL_HOME=$PWD/home
proxy= probe=
trap 'stop; for process in $proxy $probe; do kill $process 2>/dev/null && wait $process || true; done' EXIT

# probe EXPECTED-STATUS ARGUMENTS…: its lines are narrow, and it leaves no session. A machine that is busy with other tests may take long
# to respond.
probe() {
    run "$1" "$counterfoil" probe --limit 10s "${@:2}"
    ! awk 'length > 80' out | grep . || fail "$command: found a line of more than 80 columns"
    ! "$counterfoil" session list 2>&1 | grep probe- || fail "$command: found its session, expected it to be removed"
}

# row KIND VERDICT [PATTERN]: the kind's verdict, and how its finding begins, as JSON has it.
row() {
    python3 - "$@" <<'END' || { echo "$command: $1: expected $2 ${3:-}"; exit 1; }
import fnmatch, json, sys
rows = {row["kind"]: row for row in json.load(open("report.json"))["kinds"]}
row = rows[sys.argv[1]]
found = "; ".join(row["found"])
if row["verdict"] != sys.argv[2] or not fnmatch.fnmatchcase(found, sys.argv[3] if len(sys.argv) > 3 else "*"):
    sys.exit(f"found {row}")
END
}

# through MODE: starts that proxy instead of the one before; its address is in $path.
through() {
    [ -z "$proxy" ] || { kill $proxy && wait $proxy || true; }
    rm -f port
    python3 "$ROOT/Tests/Shell/parts/probe_proxy.py" "$1" "${bank##*:}" >port 2>proxy-output &
    proxy=$!
    await port $proxy || { echo "found no proxy, expected its port: $(cat proxy-output)"; exit 1; }
    path=http://127.0.0.1:$(cat port)
}

serve --stubs "$ROOT/Stubs" --seed 7
# Several banks are served: the address of the port is that of one without its path.
bank=${bank%/}
[[ ${bank##*:} =~ ^[0-9]+$ ]] || { echo "found the address $bank, expected one that ends with a port"; exit 1; }

# Directly everything arrives that can act there.
probe 0 --json report.json
[[ $out =~ ([0-9]+)\ of\ ([0-9]+)\ arrive,\ ([0-9]+)\ not\ probed$ && ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" && ${BASH_REMATCH[3]} = 13 ]] ||
    { echo "found «$out», expected all to arrive but 13"; exit 1; }
row certificate not-probed "it exists under TLS only"
row goaway not-probed "it exists on HTTP/2 only"
row blackhole not-probed "*in a session without a separate port"
for kind in reset hang garbage huge-head stall-body slow bad-chunk surplus expire-cursor business-failure; do row $kind arrives; done

# Every other bank, as far as it goes.
for name in bins roundup snapshot feed login; do probe 0 --bank $name --kinds close,reset,status,truncate,surplus,delay; done

through pass
probe 0 --through "$path" --json report.json
matches out '* arrive, 13 not probed'

through date
probe 1 --through "$path/" --json report.json
row status altered "Date added"
row huge-head altered "Date added"
row close arrives
row hang arrives

through resets
probe 1 --through "$path" --json report.json --kinds close,reset,reset-body
matches out '*reset *altered  502 instead of a reset (RST)*2 of 3 arrive, 1 altered'
row close arrives
row reset-body arrives

through retry
probe 1 --through "$path" --json report.json --kinds close,reset,status,lose-reply
row close swallowed "2 attempts reached the server for 1 request; the client saw 200"
row reset swallowed "2 attempts*"
row status arrives
matches out '*2 of 4 arrive, 2 swallowed'

through buffer
probe 1 --through "$path" --json report.json --kinds slow,stall-body,status
row slow altered "arrived immediately instead of slowly"
row stall-body altered "silence instead of 200"
row status arrives

through own
probe 1 --through "$path" --json report.json --kinds reset
row reset swallowed "the request never reached the server; the client saw 503"

# Wrong usage, no server, no path.
probe 2 --through https://proxy.example
matches err '*expected an http address: the probe uses clear text*'
probe 2 --through http://ann:hunter2@127.0.0.1
[[ $err != *hunter2* ]] || { echo "found the password in $err"; exit 1; }
probe 2 --through http://127.0.0.1:1
matches err '*cannot connect to http://127.0.0.1:1/s/probe-*Connection refused*'
probe 2 --through "$COUNTERFOIL_ADMIN" --kinds reset
matches err '*which did not reach the session*'
probe 2 --kinds resett
matches err '*did you mean `reset`?*'
probe 2 --bank bons
matches err '*did you mean `bins`?*'
probe 2 --limit 1ms
matches err '*expected a time such as 2s*'
COUNTERFOIL_ADMIN=http://127.0.0.1:1 "$counterfoil" probe >out 2>err && { echo "found success without a server"; exit 1; }
grep -q 'cannot reach the admin API' err || { echo "found «$(cat err)», expected that the admin API cannot be reached"; exit 1; }

# A signal ends it at once, and its session.
"$counterfoil" probe --kinds hang --limit 60s >out 2>err &
probe=$!
holds() { curl -s "$COUNTERFOIL_ADMIN/__admin/metrics" | grep -qE '^counterfoil_exchanges_held\{bank="counterfoil"\} 1$'; }
eventually holds || fail "found no exchange that is held after 120 s, expected that of the probe: $(cat err)"
kill $probe
status=0
wait $probe || status=$?
probe=
[ $status = 2 ] || { echo "found status $status after SIGTERM, expected 2: $(cat out err)"; exit 1; }
! "$counterfoil" session list | grep probe- || { echo "found the session after SIGTERM, expected it to be removed"; exit 1; }
