# counterfoil judge --through and record: a proxy before a bank, here one of our own; wrong usage, faults and a provider that does not answer.
. "$ROOT/Tests/Shell/parts/serve.sh"
proxy=
trap 'stop; [ -z "$proxy" ] || { kill $proxy 2>/dev/null && wait $proxy || true; }' EXIT
# proxy NAME ARGUMENT…: starts it; its address is in address.
proxy() {
    local name=$1
    shift
    "$counterfoil" "$@" --port 0 --ready-file $name.ready >$name.out 2>$name.err &
    proxy=$!
    await $name.ready $proxy || fail "found no ready line, expected one: $(cat $name.err)"
    address=$(sed -E 's|.*"proxy":"([^"]*)".*|\1|' $name.ready)
}

# ends NAME STATUS: Ctrl-C ends it with that status.
ends() {
    local status=0
    kill -INT $proxy
    wait $proxy || status=$?
    proxy=
    [ $status = "$2" ] || fail "$1: found status $status, expected $2: $(cat $1.out $1.err)"
}

# Wrong usage is found before anything listens.
run 2 "$counterfoil" judge --through sandbox.bank.example
shows err 'found --through sandbox.bank.example, expected an http or https address'
run 2 "$counterfoil" judge --through https://ann:hunter2@bank.example
if grep -q hunter2 out err; then fail "found the password in $(cat out err)"; fi
run 2 "$counterfoil" judge --through https://bank.example --har x.har
run 2 "$counterfoil" judge --through https://bank.example --session one
run 2 "$counterfoil" judge --har x.har --allow-writes
shows err 'found --allow-writes without --through'
run 2 "$counterfoil" judge --through https://bank.example --provider-ca missing.pem --port 0
shows err 'cannot read --provider-ca missing.pem: found no file, expected a PEM file of trusted authorities'
mkfifo pipe
run 2 timeout 60 "$counterfoil" record --provider https://bank.example --provider-ca pipe --out none --port 0
shows err 'cannot read --provider-ca pipe: found a pipe, expected a regular file'
run 2 "$counterfoil" judge --through https://bank.example --api missing.yaml --port 0
run 2 "$counterfoil" judge --through https://bank.example --port 0 --fault '{"fault": {"stale-read": {"by": "1h"}}}'
shows err 'in a proxy to a real bank'
# A proxy to itself would forward one request without an end.
run 2 "$counterfoil" judge --through http://localhost:9000/v1
shows err "found the provider http://localhost:9000, which is the proxy's own address"
run 2 "$counterfoil" judge --through https://127.0.0.1:29443 --port 0 --tls --tls-port 29443
run 2 "$counterfoil" record --provider http://127.0.0.1:29000 --port 29000 --out loop
mkdir full && touch full/file
run 2 "$counterfoil" record --provider https://bank.example --out full --port 0
shows err 'full: found a folder that is not empty'
touch plain
run 2 "$counterfoil" record --provider https://bank.example --out plain/stubs --port 0
[ ! -e plain/stubs ] || fail "found plain/stubs, expected nothing"
run 2 "$counterfoil" judge --through https://bank.example --port 0 --ready-file nowhere/ready
shows err 'error: cannot write nowhere/ready: No such file or directory'
shows err 'hint: create its folder, or name a file in another one'

# A provider that refuses connections: a problem for the client, a line for the user. Nothing is recorded: nothing is written.
proxy refused record --provider http://127.0.0.1:1 --out none
status=$(curl -s -o problem -w '%{http_code} %{content_type}' "$address/v1/accounts")
[ "$status" = '502 application/problem+json' ] || fail "found $status, expected a problem with 502"
run 2 "$counterfoil" judge --through http://127.0.0.1:1 --port "${address##*:}"
shows err 'cannot listen on'
ends refused 4
shows refused.err 'the provider did not respond: cannot connect'
shows refused.err 'nothing was recorded'
[ ! -e none ] || fail "found the folder none, expected nothing"

# --on-miss: an unreadable bank is found before anything listens; a bank that has everything leaves nothing to write.
run 2 "$counterfoil" record --provider http://127.0.0.1:1 --out none --on-miss "$ROOT/Stubs/nosuch" --port 0
shows err 'nosuch'
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
proxy missed record --provider "$bank" --out missed --name part --on-miss "$ROOT/Stubs/feed"
token=$(curl -sf -d 'grant_type=password&username=ava&password=correct-horse' "$address/oauth/token" | sed -E 's|.*"access_token":"([^"]*)".*|\1|')
curl -sf -o accounts -H "Authorization: Bearer $token" "$address/v1/accounts"
ends missed 0
shows missed.out 'missed/part: '
proxy known record --provider "$bank" --out known --on-miss counterfoil --stubs "$ROOT/Stubs"
curl -sf -o accounts -H "Authorization: Bearer $token" "$address/v1/accounts"
ends known 2
shows known.err 'the bank counterfoil has operations for all of them'
[ ! -e known ] || fail "found the folder known, expected nothing"
stop

# Faults: from the command line, and by the admin API while the proxy runs; roles go by names.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
proxy struck judge --through "$bank" --allow-writes --admin-port 0 --fault '{"fault": {"dialect": {"name": "rate-limited", "retry_after": 1}}, "on": {"role": "pay"}, "times": 1}'
admin=$(sed -E 's|.*"admin":"([^"]*)".*|\1|' struck.ready)
token=$(curl -sf -d 'grant_type=password&username=ava&password=correct-horse' "$address/oauth/token" | sed -E 's|.*"access_token":"([^"]*)".*|\1|')
pay() {
    curl -s -o paid -w '%{http_code}' -H "Authorization: Bearer $token" -H "Idempotency-Key: tea-1" -H "Content-Type: application/json" \
        -d '{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}' "$address/v1/payments"
}
[ "$(pay)" = 429 ] || fail "found $(cat paid), expected 429 by the fault"
run 0 "$counterfoil" fault set '{"fault": {"lose-reply": {"by": "close"}}, "on": {"role": "pay"}, "times": 1}' --admin "$admin"
sleep 1.2
[ "$(pay || true)" = 000 ] || fail "found $(cat paid), expected a lost response"
[ "$(pay)" = 201 ] || fail "found $(cat paid), expected 201"
run 0 curl -sf "$admin/__admin/sessions"
if grep -q "$token" out; then fail "found the token in the admin API"; fi
ends struck 0
for file in struck.out struck.err; do if grep -q "$token" $file; then fail "found the token in $file"; fi; done
grep -q '^FAIL' struck.out && fail "found $(cat struck.out), expected no failure"
shows struck.out 'assumed  pays: POST /v1/payments (by name)'
movements=$(curl -s "$COUNTERFOIL_ADMIN/__admin/sessions/counterfoil/ledger" | grep -o "\"key\":\"tea-1\",\"state\"" | wc -l)
[ "$movements" = 1 ] || fail "found $movements movements, expected 1: the key makes the payment once"
