# The commands that steer a running server: sessions, clocks and tokens. Results on stdout, all else on stderr.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil roundup --stubs "$ROOT/Stubs" --seed 7

# run EXPECTED-STATUS ARGUMENTS...: its output is in $out and $err.
run() {
    local expected=$1 status=0
    shift
    "$counterfoil" "$@" >out 2>err || status=$?
    out=$(cat out) err=$(cat err)
    [ $status = "$expected" ] || { echo "counterfoil $*: found status $status, expected $expected: $out$err"; exit 1; }
    command="counterfoil $*"
}

# shows out|err PATTERN: the last command's output matches it.
shows() {
    local found=${!1}
    [[ $found == $2 ]] || { echo "$command: found «$found» on std$1, expected «$2»"; exit 1; }
}

# status TOKEN: of a read of accounts in the session `mine`.
status() { curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$bank/s/mine/v1/accounts"; }

# expect FOUND EXPECTED
expect() { [ "$1" = "$2" ] || { echo "after $command: found $1, expected $2"; exit 1; }; }

# Sessions.
run 0 session new counterfoil --name mine --seed 9 --clock 2026-01-12T09:15:00Z
shows out "$bank/s/mine"
shows err '*session mine of counterfoil*seed 9'
run 0 session list
shows out $'SESSION * BANK * ADDRESS * NOW\n*mine * counterfoil * '"$bank"$'/s/mine * 2026-01-12T09:15:00.000Z\n*'
run 0 session list --json
shows out '{*"sessions":*"id": "mine"*'
run 0 session new roundup --name labelled --label team=ios --label run=7 --ttl 10m
run 0 session list --label team=ios --label run=7 --json
shows out '*"id": "labelled"*"labels":*"run": "7"*"ttl": "10m"*'
run 0 session list --label team=ios
shows out $'SESSION * NOW * LABELS\nlabelled * run=7 team=ios'

# A page of another address: the journal names the option that allows it.
curl -s -o /dev/null -X OPTIONS -H 'Origin: http://localhost:3000' -H 'Access-Control-Request-Method: GET' "$bank/s/labelled/api/v2/accounts"
run 0 journal labelled --unmatched
shows err '*#1 is a browser?s preflight; to allow the page, start the server with --cors http://localhost:3000*'
run 0 session reset labelled
curl -s -o /dev/null -X OPTIONS -H 'Origin: http://a$(id)' -H 'Access-Control-Request-Method: GET' "$bank/s/labelled/api/v2/accounts"
run 0 journal labelled --unmatched
shows err $'*start the server with --cors \'http://a$(id)\'*'

run 0 session list --label team=web
shows out '(none)'
run 2 session new roundup --label team
shows err '*found --label team, expected a name and a value such as team=ios*'
run 0 session rm labelled
run 0 session new roundup --listen --json
shows out '*"id": "roundup-*"port":*'
run 2 session new counterfoil --name mine
shows err 'error: a session named mine already exists; remove it first, or choose another name'
shows out ''
run 2 session new roundap
shows err '*found the bank "roundap", expected*'
run 2 session new roundup --listen --tls
shows err '*found --listen and --tls, expected one*'
run 2 session new roundup --clock yesterday
shows err '*found the instant yesterday, expected*'

# Clocks.
run 0 clock show --session mine
shows out '2026-01-12T09:15:00.000Z frozen'
run 0 clock advance 45s --session mine
shows out '2026-01-12T09:15:45.000Z frozen'
run 0 clock set 2026-01-12T10:00:00Z --skew -90s --session mine
shows out '2026-01-12T10:00:00.000Z frozen, the Date header is off by -90s'
run 0 clock run --session mine
shows out '2026-01-12T10:0* running*'
run 0 clock freeze --session mine --json
shows out '*"mode": "frozen"*"skew": "-90s"*'
run 2 clock set 2026-01-12T09:00:00Z --session mine
shows err '*only a reset of the session moves its clock back*'
run 2 clock advance 5 --session mine
shows err '*found the duration 5, expected*'
run 2 clock set --session mine
shows err '*expected an instant, or --skew*'
run 2 clock show --session 'no one/?'
shows err $'error: there is no session no one/?\nhint: `counterfoil session list` lists the sessions'

# Tokens.
run 0 tokens issue --session mine
token=$out
shows out 'cf_mine_0_*'
# The clock ran between two commands.
shows err 'counterfoil: token#1 is valid until 2026-01-12T10:1[5-9]:*'
expect "$(status "$token")" 200
run 0 tokens issue --login ben --scope accounts --lifetime 5m --session mine --json
shows out '*"id": "token#2"*"token": "cf_mine_0_*"refresh_token": "cf_mine_0_*'
run 0 tokens list --session mine
shows out $'TOKEN * LOGIN * STATE * EXPIRES * SCOPES\ntoken#1 * ava * live *accounts payments\nrefresh#1 *token#2 * ben * live * 2026-01-12T10:0[5-9]:*Z  accounts\n*'
[[ $out$err != *cf_* ]] || { echo "tokens list shows the text of a token: $out"; exit 1; }
run 0 tokens downscope 'token#1' --session mine
expect "$(status "$token")" 403
run 2 tokens expire --session mine
shows err "*expected a token's name, or --all*"
run 2 tokens expire 'token#1' --all --session mine
run 2 tokens revoke 'token#9' --session mine
shows err '*found the token "token#9", expected*'
run 0 tokens expire --all --session mine
run 0 tokens list --session mine --json
shows out '*"token#1"*"expired"*"refresh#1"*"live"*"token#2"*"expired"*'
run 0 tokens issue --session mine
token=$out
run 0 tokens revoke 'token#3' --session mine
expect "$(status "$token")" 401
run 2 tokens issue --login nobody --session mine
shows err '*found the customer "nobody", expected*'

# The whole state.
run 2 session restore mine
shows err $'*there is no snapshot*\nhint: `counterfoil session snapshot` saves one'
run 0 session snapshot mine
run 0 tokens issue --session mine
token=$out
expect "$(status "$token")" 200
run 0 session restore mine
expect "$(status "$token")" 401
run 0 session reset mine
run 0 tokens list --session mine
shows out '(none)'
run 0 session rm mine
run 2 session rm mine
shows err $'error: there is no session mine\nhint: *'
run 2 session rm roundup
shows err '*default session and cannot be removed*'

# Outages, rules and the journal.
run 2 outage show --session counterfoil
shows err $'error: no outage was started; *\nhint: `counterfoil outage start` starts one *'
run 2 outage start payday.yml --session counterfoil
shows err 'error: found the file payday.yml, expected a name of *, or a file that ends in .yaml*'
run 2 fault rm rule-9 --session counterfoil
shows err $'error: there is no rule rule-9; *\nhint: `counterfoil fault list` lists the rules'
run 0 outage start maintenance --session counterfoil
shows out 'maintenance is running in counterfoil'
run 0 outage show --session counterfoil
shows out $'maintenance is running\n*maintenance-1  status 503 retry_after 120 *'
curl -s -o /dev/null "$bank/counterfoil/v1/accounts"
run 0 journal counterfoil
shows out $'*\n*  outage maintenance begins\n*GET /v1/accounts*503*status*'
run 0 judge --session counterfoil --sequential --for 1ms --suites invariant
shows out $'*outage maintenance: 1 request affected, no successful response for ?*since exchange ?*, not recovered yet\n*'
run 0 outage stop --session counterfoil
run 0 fault set '{fault: hang, on: {role: accounts}}' --session roundup
shows out 'rule-1'
run 0 fault list --session roundup
shows out '*rule-1*hang*'
run 0 fault rm --all --session roundup
run 2 fault list --session 'no one/?'
shows err $'error: there is no session no one/?\nhint: `counterfoil session list` lists the sessions'
run 0 session new counterfoil --name fresh
run 0 session reset counterfoil
run 2 journal
shows err 'error: found no session, expected *counterfoil*roundup*'
curl -s -o /dev/null "$bank/s/fresh/v1/atms"
for words in 'fresh' '--session fresh' 'fresh --session fresh'; do
    run 0 journal $words
    shows out '*GET /v1/atms*200*'
done
# Both faults that act on one exchange are shown.
run 0 fault set '{fault: {status: {status: 502}}, on: {role: atms}}' --session fresh
run 0 fault set '{fault: {delay: {at_point: head, fixed: 1ms}}, on: {role: atms}}' --session fresh
curl -s -o /dev/null "$bank/s/fresh/v1/atms"
run 0 journal fresh
shows out '*GET /v1/atms*502*status + delay*'
# Keys and effects, on request.
run 0 fault rm --all --session fresh
run 0 tokens issue --login ava --session fresh
for _ in 1 2; do
    curl -s -o /dev/null "$bank/s/fresh/v1/payments" -H "Authorization: Bearer $out" -H 'Content-Type: application/json' \
        -H 'Idempotency-Key: tea-1' -d '{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}'
done
run 0 journal fresh --keys
shows out $'*STATUS * EFFECT * KEY\n*POST /v1/payments * 201 * committed * tea-1\n*POST /v1/payments * replayed * tea-1'
run 0 journal fresh
shows out $'*END\n*'
run 0 ledger fresh
shows out $'ACCOUNT * POSTINGS\naccounts/ava-gbp * 24910.55 GBP * -500\n*payees/payee-lark * 500\nthe ledger adds up'
run 0 ledger --session fresh --json
shows out '*"key": "tea-1"*"balanced": true*'
run 2 ledger
shows err 'error: found no session, expected *'
run 2 journal fresh --session roundup
shows err '*found the sessions fresh and roundup, expected one*'

# With one bank served its session is meant; an empty journal may be another session's.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
run 0 outage start maintenance
shows out 'maintenance is running in counterfoil'
run 0 session new counterfoil --name other
run 0 session reset
run 0 journal
shows out '(none)'
shows err $'counterfoil: the session counterfoil has received no request yet\nhint: the other sessions are other'

# A result that cannot be written whole is no result.
if [ -c /dev/full ]; then
    for printed in "session list" --version --help "--generate-completion-script bash"; do
        status=0
        # shellcheck disable=SC2086 # Several words.
        "$counterfoil" $printed >/dev/full 2>err || status=$?
        [ $status = 2 ] || { echo "$printed >/dev/full: found status $status, expected 2"; exit 1; }
        grep -q 'cannot write the result: No space left on device' err || { echo "$printed: found on stderr: $(cat err)"; exit 1; }
    done
fi
"$counterfoil" session list | head -1 >/dev/null

# No server.
run 2 session list --admin http://127.0.0.1:1
shows err $'error: cannot reach the admin API at http://127.0.0.1:1 (curl 7: Failed to connect to 127.0.0.1 port 1 after *)\nhint: start `counterfoil serve`, *'
run 2 session list --admin 127.0.0.1:1
shows err $'error: found the address 127.0.0.1:1, expected one such as http://127.0.0.1:8081, without user, query and fragment\nhint: *'
run 2 session list --admin http://ava:secret@127.0.0.1:1
shows err 'error: found the address http://…@127.0.0.1:1, expected *'
run 2 session list --admin-token $'secret\nsecond line'
shows err $'error: found a line break or control character in the admin token, expected one line of text\nhint: *'

# A redirect does not get the token.
cat >redirecting.py <<'END'
import http.server

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, flush=True)
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_): pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 -B redirecting.py >redirected &
redirecting=$!
trap 'kill $redirecting 2>/dev/null || true; stop' EXIT
for _ in $(seq 1200); do [ -s redirected ] && break; sleep 0.1; done
run 2 session list --admin "http://127.0.0.1:$(head -1 redirected)"
shows err 'error: found status 302 from http://127.0.0.1:*'
kill $redirecting
[ "$(tail -n +2 redirected)" = /__admin/sessions ] || { echo "found the requests $(tail -n +2 redirected), expected one"; exit 1; }
