# counterfoil export pact and import pact, and provider states, without Pact's own tools: those are in Tests/Interop/checks/pact.

# counterfoil EXPECTED-STATUS ARGUMENTS…
counterfoil() { run "$1" timeout 300 "$counterfoil" "${@:2}"; }

# All banks, a file each, the same bytes each time; one bank on stdout or in a file of any name.
counterfoil 0 export pact --stubs "$ROOT/Stubs" --output one
counterfoil 0 export pact --stubs "$ROOT/Stubs" --output two/
diff -r one two
# Banks whose sign-ins must name a consent are exported only by name.
[ "$(ls one | wc -l)" = "$(grep -L '^    parameter: ' "$ROOT"/Stubs/*/bank.yaml | wc -l)" ]
counterfoil 0 export pact --bank roundup --stubs "$ROOT/Stubs"
cmp -s out one/app-roundup.json || { echo "found another pact on stdout"; exit 1; }
counterfoil 0 export pact roundup --stubs "$ROOT/Stubs" --consumer wallet --output deep/er/mine.json
shows deep/er/mine.json '"name": "wallet"'
counterfoil 2 export pact --stubs "$ROOT/Stubs"
shows err 'found 6 banks, expected one, or a folder for their files'
counterfoil 2 export pact nobody --stubs "$ROOT/Stubs"
counterfoil 2 export pact roundup --stubs "$ROOT/Stubs" --output ""
shows err 'found an empty path'
counterfoil 2 export pact roundup --stubs "$ROOT/Stubs" --output /dev/null/x.json

# A pact is imported, is valid, and is served; parts that cannot be converted are listed by their JSON Pointer.
cat >shop.json <<'JSON'
{"consumer": {"name": "app"}, "provider": {"name": "shop"}, "metadata": {"pactSpecification": {"version": "3.0.0"}},
 "interactions": [
  {"description": "the accounts", "request": {"method": "GET", "path": "/accounts"},
   "response": {"status": 200, "headers": {"Content-Type": "application/json"}, "body": {"accounts": [{"balance": 12.30}]}}},
  {"description": "some account", "request": {"method": "GET", "path": "/accounts/1",
   "matchingRules": {"path": {"matchers": [{"match": "regex", "regex": "^/accounts/\\d+$"}]}}}, "response": {"status": 410}},
  {"description": "by magic", "request": {"method": "GET", "path": "/m",
   "matchingRules": {"path": {"matchers": [{"match": "magic"}]}}}, "response": {"status": 200}}]}
JSON
counterfoil 0 import pact shop.json --into shop
shows out 'shop-stubs/shop: 2 of 3 interactions, 2 operations; serve it with: counterfoil serve shop --stubs shop-stubs'
shows err 'shop.json: `by magic`: /interactions/2/request/matchingRules/path/matchers/0: found'
counterfoil 2 import pact shop.json --into shop
shows err 'found a folder that is not empty'
counterfoil 1 import pact shop.json --into shop --replace --json --strict
shows out '"operations":2'
counterfoil 2 import pact shop.json --into Shop
cat >old.json <<'JSON'
{"messages": [{"description": "a receipt", "contents": {}}],
 "interactions": [
  {"description": "payees", "request": {"method": "POST", "path": "/payees", "headers": {"Accept": "text/plain,application/json"},
   "body": [{"name": "Ben"}], "matchingRules": {"$.body": {"min": 1, "match": "type"}}}, "response": {"status": 202}}]}
JSON
counterfoil 0 import pact old.json --into old
shows out 'old-stubs/old: 1 of 1 interaction, 1 operation;'
shows err 'old.json: pact: /metadata: found null; it names no version: the pact is read as version 2'
shows err 'old.json: `a receipt`: /messages/0: found'
counterfoil 2 import pact nothing.json --into other
echo '{"interactions": [], "metadata": {"pactSpecification": {"version": "4.0"}}}' >empty.json
counterfoil 2 import pact shop.json empty.json --into other
shows err 'empty.json: found a pact without interactions, expected at least one interaction'
[ ! -e other-stubs ] || { echo "found other-stubs, expected nothing written"; exit 1; }

export COUNTERFOIL_HOME=$PWD/home
"$counterfoil" serve shop --stubs shop-stubs --port 0 --admin-port 0 --ready-file shop.ready >/dev/null 2>shop.served &
shop=$!
"$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --seed 7 --ready-file bank.ready >/dev/null 2>bank.served &
bank=$!
trap 'kill $shop $bank 2>/dev/null; wait $shop $bank 2>/dev/null || true' EXIT
await shop.ready $shop && await bank.ready $bank || fail "found no ready lines after 120 s: $(cat ./*.served)"
address() { sed -E "s|.*\"$2\":\"(https?://[^\"]*)\".*|\1|" "$1.ready"; }

[ "$(curl -s "$(address shop bank)/accounts")" = '{"accounts":[{"balance":12.30}]}' ]
[ "$(curl -s -o /dev/null -w '%{http_code}' "$(address shop bank)/accounts/42")" = 410 ]
[ "$(curl -s -o /dev/null -w '%{http_code}' "$(address shop bank)/accounts/ava")" = 404 ]

# The states that a verifier asks for before an interaction.
state() { curl -s -d "{\"state\": \"$1\", \"params\": {}, \"action\": \"setup\"}" "$(address bank admin)/__admin/sessions/counterfoil/provider-state"; }
token=$(state 'customer ava is signed in' | sed -E 's/.*"token":"([^"]*)".*/\1/')
code() { curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$(address bank bank)/v1/accounts"; }
[ "$(code)" = 200 ]
state 'the token is revoked' >/dev/null
[ "$(code)" = 401 ]
state 'the moon is full' | grep -qF 'expected one of: customer {customer} is known'
