# counterfoil judge --har: files of recorded traffic, checked without a server.
# archive FILE ENTRY…: a HAR of these entries.
archive() {
    local file=$1 entries
    shift
    entries=$(IFS=,; echo "$*")
    echo "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"mitmproxy\",\"version\":\"11\"},\"entries\":[$entries]}}" >"$file"
}

# entry SECONDS METHOD PATH STATUS REQUEST-HEADERS [BODY [RESPONSE-HEADERS]]: an exchange that takes 20 ms; headers are NAME=VALUE;…
entry() {
    local headers='' response='' pair data=''
    IFS=';' read -ra pairs <<<"$5"
    for pair in "${pairs[@]}"; do headers+="${headers:+,}{\"name\":\"${pair%%=*}\",\"value\":\"${pair#*=}\"}"; done
    IFS=';' read -ra pairs <<<"${7:-}"
    for pair in "${pairs[@]}"; do response+="${response:+,}{\"name\":\"${pair%%=*}\",\"value\":\"${pair#*=}\"}"; done
    [ -z "${6:-}" ] || data=",\"postData\":{\"mimeType\":\"application/json\",\"text\":\"${6//\"/\\\"}\"}"
    echo "{\"startedDateTime\":\"2026-03-01T10:00:0$1Z\",\"time\":20,
        \"request\":{\"method\":\"$2\",\"url\":\"https://bank.example$3\",\"httpVersion\":\"HTTP/1.1\",\"headers\":[$headers]$data},
        \"response\":{\"status\":$4,\"httpVersion\":\"HTTP/1.1\",\"headers\":[$response],\"content\":{\"size\":0}}}"
}

old='Authorization=Bearer old-secret-token-1' new='Authorization=Bearer new-secret-token-2'
order='{"amount":"5.00","to":"b-2"}'

# A client with three mistakes. Its tokens are in no output.
archive bad.har \
    "$(entry 0.000 GET /v1/accounts 401 "$old")" "$(entry 0.900 GET /v1/accounts 401 "$old")" \
    "$(entry 2.000 GET '/v1/rates?access_token=old-secret-token-1' 429 "$new" '' Retry-After=5)" \
    "$(entry 2.700 GET '/v1/rates?access_token=old-secret-token-1' 200 "$new")" \
    "$(entry 4.000 POST /v1/payments 500 "$new;Idempotency-Key=key-0001" "$order")" \
    "$(entry 4.300 POST /v1/payments 201 "$new;Idempotency-Key=key-0002" "$order")"
ln -s "$ROOT/Contracts" "$ROOT/Stubs" .
run 1 "$counterfoil" judge --har bad.har --json bad.json --junit bad.xml --html bad.html --sarif bad.sarif --badge bad.svg
shows bad.sarif '"uri": "Contracts/auth.refusals.yaml"'
shows bad.svg '>4 failed</text>'
for rule in auth.token-cleared-on-rejection auth.token-never-in-url pay.server-error-same-key retry.after-429-seconds; do
    shows out "FAIL  $rule@bank.example"
done
shows out 'assumed  pays: POST /v1/payments (by name)'
shows out 'sent token#1 again after the bank rejected it in exchange 1'
for file in bad.json bad.xml bad.html; do shows $file 'assumed  key: header idempotency-key (by name)'; done
if found=$(grep -l secret-token out err bad.json bad.xml bad.html bad.sarif bad.svg); then fail "found a token in $found"; fi

# No report replaces what was checked, by whatever name.
cp bad.har kept.har
ln -s bad.har linked.har
for option in --html --json --junit --sarif --gitlab --badge; do
    run 2 "$counterfoil" judge --har bad.har $option linked.har
    shows err 'cannot write linked.har: the command reads this file, expected another one'
    cmp bad.har kept.har || fail "$option has changed the HAR"
done
run 2 "$counterfoil" golden save bad.har --har bad.har
cmp bad.har kept.har || fail "golden save has changed the HAR"

# A good client: the same requests as a conforming client makes them.
archive good.har \
    "$(entry 0.000 GET /v1/accounts 401 "$old")" "$(entry 0.900 GET /v1/accounts 200 "$new")" \
    "$(entry 2.000 GET /v1/rates 429 "$new" '' Retry-After=2)" "$(entry 4.200 GET /v1/rates 200 "$new")" \
    "$(entry 5.000 POST /v1/payments 500 "$new;Idempotency-Key=key-0001" "$order")" \
    "$(entry 5.300 POST /v1/payments 201 "$new;Idempotency-Key=key-0001" "$order")"
run 0 "$counterfoil" judge --har good.har --require auth,pay,retry
if grep -qE '^(FAIL|INCONCLUSIVE)' out; then fail "found $(cat out), expected no failure"; fi

# api.yaml corrects what names suggest: here POST /v1/payments only looks for payments.
printf 'hosts: [bank.example]\npays: [POST /v1/orders]\n' >api.yaml
run 1 "$counterfoil" judge --har bad.har --api api.yaml
shows out 'assumed  pays: POST /v1/orders (given)'
if grep -q '^FAIL  pay' out; then fail "found $(cat out), expected no failure of a payment"; fi
printf 'hosts: [bank.example]\npay: [POST /v1/orders]\n' >api.yaml
run 2 "$counterfoil" judge --har bad.har --api api.yaml
shows err 'api.yaml:2:1: unknown key `pay` in a description of an API'
printf 'pays: [payments]\n' >api.yaml
run 2 "$counterfoil" judge --har bad.har --api api.yaml
shows err 'api.yaml:1:8: found `payments`, expected a method and a path'

# No request of a bank: nothing is exercised. No HAR: the place. Options of sessions: rejected.
archive empty.har
run 4 "$counterfoil" judge --har empty.har
head -c 300 bad.har >cut.har
run 2 "$counterfoil" judge --har cut.har bad.har
shows err 'cut.har:'
echo '{"log":{}}' >no.har
run 2 "$counterfoil" judge --har no.har
shows err 'no.har: found no `log.entries`, expected a HAR file'
run 2 "$counterfoil" judge --har missing.har
run 2 "$counterfoil" judge --har bad.har --session one
shows err 'found --session with --har'
run 2 "$counterfoil" judge --api api.yaml
