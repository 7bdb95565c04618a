# counterfoil import har: the traffic of our own bank becomes a bank that answers the same requests the same.
. "$ROOT/Tests/Shell/parts/serve.sh"
trap stop EXIT

# session NAME PASSWORD ACCOUNT PAYEE: what a client does; prints the responses without what is replaced or new.
session() {
    local token headers path
    token=$(curl -s -d "grant_type=password&username=$1&password=$2" "$bank/oauth/token" | sed -E 's/.*"access_token":"([^"]*)".*/\1/')
    headers=(-s -H "Authorization: Bearer $token" -H 'Content-Type: application/json')
    for path in accounts "accounts/$3" payees "accounts/$3/goals" "accounts/$3/transactions"; do curl "${headers[@]}" "$bank/v1/$path"; echo; done
    curl "${headers[@]}" -H 'Idempotency-Key: key-1' \
        -d "{\"from\":\"$3\",\"to\":\"$4\",\"amount\":{\"amount\":\"5.00\",\"currency\":\"GBP\"}}" "$bank/v1/payments"
    echo
    curl "${headers[@]}" "$bank/v1/accounts"
    echo
    curl -s "$bank/v1/images/coin.png" | sha256sum
}
plain() { sed -E 's/"(id|name|description|counterparty|account_number|created_at|booked_at|next_cursor|atm_id)":"[^"]*"/"\1":""/g'; }

serve counterfoil --stubs "$ROOT/Stubs"
session ava correct-horse ava-gbp payee-lark | plain >before
"$counterfoil" journal --har bank.har >/dev/null 2>&1
run 0 "$counterfoil" import har bank.har --out learned --name mine --seed 7
if found=$(grep -rlE 'correct-horse|ava-gbp|Lark Energy|cf_counterfoil' learned); then fail "found an original in $found, expected none"; fi

definition=learned/mine/bank.yaml
field() { sed -nE "s/.*$1: \"?([^\",}]*).*/\1/p" "$definition" | head -n 1; }
user=$(field '- login') password=$(field ' password') account=$(field 'pay: \{from') payee=$(field 'pay: \{from: [^,]*, to')
serve mine --stubs learned
session "$user" "$password" "$account" "$payee" | plain >after
diff before after || fail "found the differences above, expected the same responses"

# The same seed gives the same files; a folder that is there is kept; a file that is no HAR gives nothing.
run 0 "$counterfoil" import har bank.har --out again --name mine --seed 7
diff -r learned again || fail "found different files, expected the same seed to give the same files"
run 2 "$counterfoil" import har bank.har --out again --name mine
echo '{}' >no.har
run 2 "$counterfoil" import har no.har --out none
[ ! -e none ] || fail "found none, expected nothing written"

# A name in the traffic begins no line of the report.
cat >names.har <<'HAR'
{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
  "request": {"method": "GET", "url": "https://api.example/v1/things", "httpVersion": "HTTP/1.1", "headers": []},
  "response": {"status": 200, "httpVersion": "HTTP/1.1", "headers": [{"name": "X-A\r\nSet-Cookie", "value": "a"}],
    "content": {"size": 2, "mimeType": "application/json", "text": "{}"}}}]}}
HAR
run 0 "$counterfoil" import har names.har --out names --seed 7
! grep -n '^Set-Cookie' out || fail "found a line of the traffic in the report: $(cat out)"
