# `counterfoil verify`: a second stub with drift put in on purpose, and nginx that serves stale fixtures as files.
. "$ROOT/Tests/Shell/parts/serve.sh"
nginx= proxy=
trap 'stop; for process in $nginx $proxy; do kill $process 2>/dev/null && wait $process || true; done' EXIT

# verify EXPECTED-STATUS ARGUMENTS…: with the shipped stubs as what is right.
verify() { run "$1" "$counterfoil" verify --stubs "$ROOT/Stubs" "${@:2}"; }

# hushes TEXT: it stands in no output and no report.
hushes() {
    if grep -qF -e "$1" out err report.json report.xml 2>/dev/null; then echo "$command: found the secret $1 in its output"; exit 1; fi
}

# writes: how many requests of the provider's journal are no reads.
writes() { curl -s "$COUNTERFOIL_ADMIN/__admin/sessions/counterfoil/journal" | grep -oE '"method": ?"[A-Z]+"' | grep -cvE 'GET|HEAD' || true; }
token() { curl -s -d "grant_type=password&username=ava&password=correct-horse" "$bank/oauth/token" | sed 's/.*"access_token":"\([^"]*\)".*/\1/'; }

# A second stub of each bank is as the first.
for name in roundup bins snapshot feed login; do
    serve $name --stubs "$ROOT/Stubs" --seed 7
    case $name in
        login) echo correct-horse >password && verify 0 --provider "$bank" --bank login --login ava --password-file password && hushes correct-horse ;;
        roundup | feed)
            for login in ava ben; do
                "$counterfoil" tokens issue --session $name --login $login >token 2>printed
                verify 0 --provider "$bank/" --bank $name --token-file token
                hushes "$(cat token)"
            done ;;
        *) verify 0 --provider "$bank" --bank $name ;;
    esac
    matches out "* same as the stub* of * checks (bank $name, $bank, * requests)"
done

# Drift put in on purpose, in a copy of the bank's files.
cp -rL "$ROOT/Stubs" drifted
sed -i 's/"direction": "debit"/"direction": 1/' drifted/counterfoil/transactions.json
sed -i 's/"name": /"title": /' drifted/counterfoil/payees.json
sed -i 's|request: GET /v1/atms|request: GET /v2/atms|' drifted/counterfoil/bank.yaml
sed -i 's/urn:counterfoil:problem:token-rejected/urn:counterfoil:problem:no-such-token/' drifted/dialects/problem-json.yaml
serve counterfoil --stubs "$PWD/drifted" --seed 7
token >token
before=$(writes)
verify 1 --provider "$bank" --bank counterfoil --token-file token --json report.json --junit report.xml
matches out '*DRIFT  shapes.transactions  GET /v1/accounts/{id}/transactions*other-type*/transactions/\*/direction*stub: a text; provider: a text or a whole number*'
matches out '*shapes.payees*missing-field*/payees/\*/name*new-field*/payees/\*/title*'
matches out '*shapes.atms*other-status*stub: 200; provider: 404*'
matches out '*auth.unknown-token*other-error-code*/type*'
grep -q '"kind": "new-field"' report.json || { echo "found no new-field in report.json"; exit 1; }
grep -q '<failure' report.xml || { echo "found no failure in report.xml"; exit 1; }
hushes "$(cat token)"
[ "$(writes)" = "$before" ] || { echo "found $(writes) writes in the provider's journal, expected $before: nothing without --allow-writes"; exit 1; }

# With leave: it reports who pays first, pays once, and takes no more.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
echo correct-horse >password
verify 0 --provider "$bank" --bank counterfoil --login ava --password-file password --allow-writes --from ava-gbp --to payee-lark --amount 0.01
matches err '*pays 0.01 GBP from ava-gbp to payee-lark at *'
[ "$(curl -s "$COUNTERFOIL_ADMIN/__admin/sessions/counterfoil/ledger" | grep -oE '"id": ?"movement-[0-9]+"' | wc -l)" = 1 ] ||
    { echo "expected one movement in the provider's ledger: $(curl -s "$COUNTERFOIL_ADMIN/__admin/sessions/counterfoil/ledger")"; exit 1; }

# A bank whose key is in the path.
serve roundup --stubs "$ROOT/Stubs" --seed 7
"$counterfoil" tokens issue --session roundup --login ava >token 2>printed
verify 0 --provider "$bank" --bank roundup --token-file token --allow-writes \
    --from 5f1c0a10-0000-4000-8000-000000000a01 --to 90a10a10-0000-4000-8000-000000000a11
matches out '12 same as the stub of 12 checks*'
serve counterfoil --stubs "$ROOT/Stubs" --seed 7

# A wrong password, and somebody else's token.
echo hunter2 >password
verify 3 --provider "$bank" --bank counterfoil --login ava --password-file password
matches out '*the sign-in was rejected with status 400*'
matches out '*shapes.accounts: it needs a token, and the sign-in returned none*'
hushes hunter2
echo stale-token >token
verify 3 --provider "$bank" --bank counterfoil --token-file token
matches out '*the credentials were rejected with status 401*'
hushes stale-token
COUNTERFOIL_PROVIDER_TOKEN=stale-token verify 3 --provider "$bank" --bank counterfoil
matches out '*the credentials were rejected with status 401*'
COUNTERFOIL_PROVIDER_PASSWORD=correct-horse verify 0 --provider "$bank" --bank counterfoil --login ava

# nginx serves stale fixtures as files: rows without a field, and a page for people where there is no file.
if PATH=$PATH:/usr/sbin command -v nginx >/dev/null; then
    mkdir -p web/bins/1a30k8 nginx-logs
    sed 's/"amount"/"sum"/' "$ROOT/Stubs/bins/list.json" >web/bins/1a30k8/index.json
    # Started by root it would read the files as somebody who may not.
    [ "$(id -u)" != 0 ] || echo "user root;" >nginx.conf
    cat >>nginx.conf <<END
daemon off; pid $PWD/nginx.pid; error_log $PWD/nginx-logs/error.log; worker_processes 1;
events { worker_connections 64; }
http {
    access_log $PWD/nginx-logs/access.log;
    client_body_temp_path $PWD/nginx-logs/1; proxy_temp_path $PWD/nginx-logs/2; fastcgi_temp_path $PWD/nginx-logs/3;
    uwsgi_temp_path $PWD/nginx-logs/4; scgi_temp_path $PWD/nginx-logs/5;
    server {
        listen 127.0.0.1:PORT;
        root $PWD/web;
        location = /bins/1a30k8 { default_type application/json; try_files /bins/1a30k8/index.json =404; }
        location = /bins/1a30k8/pages { default_type text/html; return 200 "<html>moved"; }
    }
}
END
    PATH=$PATH:/usr/sbin python3 -B "$ROOT/Tests/Shell/parts/on_a_port.py" nginx.conf nginx -p "$PWD" -c nginx.conf >port 2>/dev/null &
    nginx=$!
    await port $nginx || fail "found no port of nginx, expected one: $(cat nginx-logs/error.log)"
    port=$(cat port)
    verify 1 --provider "http://127.0.0.1:$port" --bank bins
    matches out '*DRIFT  shapes.list  GET /bins/1a30k8*missing-field*amount*new-field*sum*'
    matches out '*shapes.pages*other-content-type*stub: application/json; provider: text/html*'
    verify 3 --provider "https://127.0.0.1:$port" --bank bins
    matches out '*check whether the port uses plain HTTP*'
else
    echo "skipped: nginx is not on this machine"
fi

# No server; https to a server of http; wrong usage.
verify 3 --provider http://127.0.0.1:1 --bank bins
matches out '*the provider could not be checked: offline*'
verify 2 --provider http://ann:hunter2@127.0.0.1:1 --bank bins
hushes hunter2
verify 2 --provider http://127.0.0.1:1 --bank bons
matches err '*did you mean `bins`?*'
verify 2 --provider http://127.0.0.1:1 --bank bins --token-file nowhere
matches err '*cannot read nowhere: found no file, expected one line with the secret'
verify 2 --provider http://127.0.0.1:1 --bank counterfoil --set acount.id=x
matches err '*found --set acount.id=…, expected a parameter of a path*did you mean `account.id`?*'
verify 2 --provider http://127.0.0.1:1 --bank bins --proxy 0 --fault nowhere
matches err 'error: cannot read nowhere: found no file, expected a rule*'
verify 2 --provider http://127.0.0.1:1 --bank bins --junit nowhere/report.xml
matches err $'error: cannot write nowhere/report.xml: No such file or directory\nhint: create its folder, or name a file in another one'
verify 2 --provider http://127.0.0.1:1 --bank counterfoil --from ava-gbp --to payee-lark
matches err '*a payment is a write*'

# A proxy before the bank: a fault applies to passing requests; the other responses are the bank's own.
serve bins --stubs "$ROOT/Stubs" --seed 7
"$counterfoil" verify --stubs "$ROOT/Stubs" --provider "$bank" --bank bins --proxy 0 \
    --fault '{"fault": {"status": {"status": 503}}, "times": 1}' >proxied 2>proxy-printed &
proxy=$!
await proxied $proxy || { echo "found no ready line of the proxy, expected one: $(cat proxy-printed)"; exit 1; }
passed=$(sed -E 's|.*"proxy":"([^"]*)".*|\1|' proxied)
first=$(curl -s -o /dev/null -w '%{http_code}' "$passed/bins/1a30k8")
second=$(curl -s "$passed/bins/1a30k8" | cmp - "$ROOT/Stubs/bins/list.json" && echo same)
written=$(curl -s -o rejected -w '%{http_code}' -X POST "$passed/bins/1a30k8")
kill $proxy && wait $proxy || { echo "found status $? of the proxy, expected 0: $(cat proxy-printed)"; exit 1; }
proxy=
[ "$first $second" = "503 same" ] || { echo "found «$first $second» through the proxy, expected «503 same»"; exit 1; }
[ "$written" = 405 ] && grep -q 'start the proxy with --allow-writes' rejected ||
    { echo "found $written for a write through the proxy, expected 405: $(cat rejected)"; exit 1; }
grep -q 'only reads and sign-ins are forwarded' proxy-printed || { echo "found «$(cat proxy-printed)», expected what is not forwarded"; exit 1; }
grep -q 'forwarded 3 exchanges, 1 with a fault' proxy-printed || { echo "found «$(cat proxy-printed)», expected what passed"; exit 1; }
verify 2 --provider "$bank" --bank bins --proxy 0 --fault '{"fault": {"stale-read": {"by": "1h"}}}'
matches err '*stale-read*in a proxy to a real bank*'
