# `counterfoil probe`: directly, and through proxies that pass bytes, add a field, answer resets, retry, buffer and answer themselves.
. "$ROOT/Tests/Shell/parts/serve.sh"
export COUNTERFOIL_HOME=$PWD/home
proxy= probe=
trap 'stop; for process in $proxy $probe; do kill $process 2>/dev/null && wait $process || true; done' EXIT

# run EXPECTED-STATUS ARGUMENTS...: its output is in $out and $err. A machine that is busy with other tests may take long to respond.
run() {
    local expected=$1 status=0
    shift
    "$counterfoil" probe --limit 10s "$@" >out 2>err || status=$?
    out=$(cat out) err=$(cat err) command="probe $*"
    [ $status = "$expected" ] || { echo "$command: found status $status, expected $expected: $out$err"; exit 1; }
    ! awk 'length > 80' out | grep . || { echo "$command: found a line of more than 80 columns"; exit 1; }
    ! "$counterfoil" session list 2>&1 | grep probe- || { echo "$command: found its session, expected it to be removed"; exit 1; }
}

# shows out|err PATTERN: the last command's output matches it.
shows() {
    local found=${!1}
    [[ $found == $2 ]] || { echo "$command: found «$found» on std$1, expected «$2»"; exit 1; }
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
run 0 --json report.json
[[ $out =~ ([0-9]+)\ of\ ([0-9]+)\ arrive,\ ([0-9]+)\ not\ probed$ && ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" && ${BASH_REMATCH[3]} = 13 ]] ||
    { echo "found «$out», expected all to arrive but 13"; exit 1; }
row certificate not-probed "it exists under TLS only"
row goaway not-probed "it exists on HTTP/2 only"
row blackhole not-probed "*in a session without a separate port"
for kind in reset hang garbage huge-head stall-body slow bad-chunk surplus expire-cursor business-failure; do row $kind arrives; done

# Every other bank, as far as it goes.
for name in bins roundup snapshot feed login; do run 0 --bank $name --kinds close,reset,status,truncate,surplus,delay; done

through pass
run 0 --through "$path" --json report.json
shows out '* arrive, 13 not probed'

through date
run 1 --through "$path/" --json report.json
row status altered "Date added"
row huge-head altered "Date added"
row close arrives
row hang arrives

through resets
run 1 --through "$path" --json report.json --kinds close,reset,reset-body
shows out '*reset *altered  502 instead of a reset (RST)*2 of 3 arrive, 1 altered'
row close arrives
row reset-body arrives

through retry
run 1 --through "$path" --json report.json --kinds close,reset,status,lose-reply
row close swallowed "2 attempts reached the server for 1 request; the client saw 200"
row reset swallowed "2 attempts*"
row status arrives
shows out '*2 of 4 arrive, 2 swallowed'

through buffer
run 1 --through "$path" --json report.json --kinds slow,stall-body,status
row slow altered "arrived immediately instead of slowly"
row stall-body altered "silence instead of 200"
row status arrives

through own
run 1 --through "$path" --json report.json --kinds reset
row reset swallowed "the request never reached the server; the client saw 503"

# Wrong usage, no server, no path.
run 2 --through https://proxy.example
shows err '*expected an http address: the probe uses clear text*'
run 2 --through http://ann:hunter2@127.0.0.1
[[ $err != *hunter2* ]] || { echo "found the password in $err"; exit 1; }
run 2 --through http://127.0.0.1:1
shows err '*cannot connect to http://127.0.0.1:1/s/probe-*Connection refused*'
run 2 --through "$COUNTERFOIL_ADMIN" --kinds reset
shows err '*which did not reach the session*'
run 2 --kinds resett
shows err '*did you mean `reset`?*'
run 2 --bank bons
shows err '*did you mean `bins`?*'
run 2 --limit 1ms
shows err '*expected a time such as 2s*'
COUNTERFOIL_ADMIN=http://127.0.0.1:1 "$counterfoil" probe >out 2>err && { echo "found success without a server"; exit 1; }
grep -q 'cannot reach the admin API' err || { echo "found «$(cat err)», expected that the admin API cannot be reached"; exit 1; }

# A signal ends it at once, and its session.
"$counterfoil" probe --kinds hang --limit 60s >out 2>err &
probe=$!
held=
for ((tries = 0; tries < 1200; tries++)); do
    held=$(curl -s "$COUNTERFOIL_ADMIN/__admin/metrics" | grep -E '^counterfoil_exchanges_held\{bank="counterfoil"\} 1$' || true)
    [ -z "$held" ] || break
    sleep 0.1
done
[ -n "$held" ] || { echo "found no exchange that is held after 120 s, expected that of the probe: $(cat err)"; exit 1; }
kill $probe
status=0
wait $probe || status=$?
probe=
[ $status = 2 ] || { echo "found status $status after SIGTERM, expected 2: $(cat out err)"; exit 1; }
! "$counterfoil" session list | grep probe- || { echo "found the session after SIGTERM, expected it to be removed"; exit 1; }
