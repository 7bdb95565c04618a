# The commands that steer a running server: sessions, clocks and tokens. Results on stdout, all else on stderr.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil roundup --stubs "$ROOT/Stubs" --seed 7

# counterfoil EXPECTED-STATUS ARGUMENTS…
counterfoil() { run "$1" "$counterfoil" "${@:2}"; }

# status TOKEN: of a read of accounts in the session `mine`.
status() { curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$bank/s/mine/v1/accounts"; }

# expect FOUND EXPECTED
expect() { [ "$1" = "$2" ] || { echo "after $command: found $1, expected $2"; exit 1; }; }

# Sessions.
counterfoil 0 session new counterfoil --name mine --seed 9 --clock 2026-01-12T09:15:00Z
matches out "$bank/s/mine"
matches err '*session mine of counterfoil*seed 9'
counterfoil 0 session list
matches out $'SESSION * BANK * ADDRESS * NOW\n*mine * counterfoil * '"$bank"$'/s/mine * 2026-01-12T09:15:00.000Z\n*'
counterfoil 0 session list --json
matches out '{*"sessions":*"id": "mine"*'
counterfoil 0 session new roundup --name labelled --label team=ios --label run=7 --ttl 10m
counterfoil 0 session list --label team=ios --label run=7 --json
matches out '*"id": "labelled"*"labels":*"run": "7"*"ttl": "10m"*'
counterfoil 0 session list --label team=ios
matches out $'SESSION * NOW * LABELS\nlabelled * run=7 team=ios'

# A page of another address: the journal names the option that allows it.
curl -s -o /dev/null -X OPTIONS -H 'Origin: http://localhost:3000' -H 'Access-Control-Request-Method: GET' "$bank/s/labelled/api/v2/accounts"
counterfoil 0 journal labelled --unmatched
matches err '*#1 is a browser?s preflight; to allow the page, start the server with --cors http://localhost:3000*'
counterfoil 0 session reset labelled
curl -s -o /dev/null -X OPTIONS -H 'Origin: http://a$(id)' -H 'Access-Control-Request-Method: GET' "$bank/s/labelled/api/v2/accounts"
counterfoil 0 journal labelled --unmatched
matches err $'*start the server with --cors \'http://a$(id)\'*'

counterfoil 0 session list --label team=web
matches out '(none)'
counterfoil 2 session new roundup --label team
matches err '*found --label team, expected a name and a value such as team=ios*'
counterfoil 0 session rm labelled
counterfoil 0 session new roundup --listen --json
matches out '*"id": "roundup-*"port":*'
counterfoil 2 session new counterfoil --name mine
matches err 'error: a session named mine already exists; remove it first, or choose another name'
matches out ''
counterfoil 2 session new roundap
matches err '*found the bank "roundap", expected*'
counterfoil 2 session new roundup --listen --tls
matches err '*found --listen and --tls, expected one*'
counterfoil 2 session new roundup --clock yesterday
matches err '*found the instant yesterday, expected*'

# Clocks.
counterfoil 0 clock show --session mine
matches out '2026-01-12T09:15:00.000Z frozen'
counterfoil 0 clock advance 45s --session mine
matches out '2026-01-12T09:15:45.000Z frozen'
counterfoil 0 clock set 2026-01-12T10:00:00Z --skew -90s --session mine
matches out '2026-01-12T10:00:00.000Z frozen, the Date header is off by -90s'
counterfoil 0 clock run --session mine
matches out '2026-01-12T10:0* running*'
counterfoil 0 clock freeze --session mine --json
matches out '*"mode": "frozen"*"skew": "-90s"*'
counterfoil 2 clock set 2026-01-12T09:00:00Z --session mine
matches err '*only a reset of the session moves its clock back*'
counterfoil 2 clock advance 5 --session mine
matches err '*found the duration 5, expected*'
counterfoil 2 clock set --session mine
matches err '*expected an instant, or --skew*'
counterfoil 2 clock show --session 'no one/?'
matches err $'error: there is no session no one/?\nhint: `counterfoil session list` lists the sessions'

# Tokens.
counterfoil 0 tokens issue --session mine
token=$out
matches out 'cf_mine_0_*'
# The clock ran between two commands.
matches err 'counterfoil: token#1 is valid until 2026-01-12T10:1[5-9]:*'
expect "$(status "$token")" 200
counterfoil 0 tokens issue --login ben --scope accounts --lifetime 5m --session mine --json
matches out '*"id": "token#2"*"token": "cf_mine_0_*"refresh_token": "cf_mine_0_*'
counterfoil 0 tokens list --session mine
matches out $'TOKEN * LOGIN * STATE * EXPIRES * SCOPES\ntoken#1 * ava * live *accounts payments\nrefresh#1 *token#2 * ben * live * 2026-01-12T10:0[5-9]:*Z  accounts\n*'
[[ $out$err != *cf_* ]] || { echo "tokens list shows the text of a token: $out"; exit 1; }
counterfoil 0 tokens downscope 'token#1' --session mine
expect "$(status "$token")" 403
counterfoil 2 tokens expire --session mine
matches err "*expected a token's name, or --all*"
counterfoil 2 tokens expire 'token#1' --all --session mine
counterfoil 2 tokens revoke 'token#9' --session mine
matches err '*found the token "token#9", expected*'
counterfoil 0 tokens expire --all --session mine
counterfoil 0 tokens list --session mine --json
matches out '*"token#1"*"expired"*"refresh#1"*"live"*"token#2"*"expired"*'
counterfoil 0 tokens issue --session mine
token=$out
counterfoil 0 tokens revoke 'token#3' --session mine
expect "$(status "$token")" 401
counterfoil 2 tokens issue --login nobody --session mine
matches err '*found the customer "nobody", expected*'

# The whole state.
counterfoil 2 session restore mine
matches err $'*there is no snapshot*\nhint: `counterfoil session snapshot` saves one'
counterfoil 0 session snapshot mine
counterfoil 0 tokens issue --session mine
token=$out
expect "$(status "$token")" 200
counterfoil 0 session restore mine
expect "$(status "$token")" 401
counterfoil 0 session reset mine
counterfoil 0 tokens list --session mine
matches out '(none)'
counterfoil 0 session rm mine
counterfoil 2 session rm mine
matches err $'error: there is no session mine\nhint: *'
counterfoil 2 session rm roundup
matches err '*default session and cannot be removed*'

# Outages, rules and the journal.
counterfoil 2 outage show --session counterfoil
matches err $'error: no outage was started; *\nhint: `counterfoil outage start` starts one *'
counterfoil 2 outage start payday.yml --session counterfoil
matches err 'error: found the file payday.yml, expected a name of *, or a file that ends in .yaml*'
counterfoil 2 fault rm rule-9 --session counterfoil
matches err $'error: there is no rule rule-9; *\nhint: `counterfoil fault list` lists the rules'
counterfoil 0 outage start maintenance --session counterfoil
matches out 'maintenance is running in counterfoil'
counterfoil 0 outage show --session counterfoil
matches out $'maintenance is running\n*maintenance-1  status 503 retry_after 120 *'
curl -s -o /dev/null "$bank/counterfoil/v1/accounts"
counterfoil 0 journal counterfoil
matches out $'*\n*  outage maintenance begins\n*GET /v1/accounts*503*status*'
counterfoil 0 judge --session counterfoil --sequential --for 1ms --suites invariant
matches out $'*outage maintenance: 1 request affected, no successful response for ?*since exchange ?*, not recovered yet\n*'
counterfoil 0 outage stop --session counterfoil
counterfoil 0 fault set '{fault: hang, on: {role: accounts}}' --session roundup
matches out 'rule-1'
counterfoil 0 fault list --session roundup
matches out '*rule-1*hang*'
counterfoil 0 fault rm --all --session roundup
counterfoil 2 fault list --session 'no one/?'
matches err $'error: there is no session no one/?\nhint: `counterfoil session list` lists the sessions'
counterfoil 0 session new counterfoil --name fresh
counterfoil 0 session reset counterfoil
counterfoil 2 journal
matches err 'error: found no session, expected *counterfoil*roundup*'
curl -s -o /dev/null "$bank/s/fresh/v1/atms"
for words in 'fresh' '--session fresh' 'fresh --session fresh'; do
    counterfoil 0 journal $words
    matches out '*GET /v1/atms*200*'
done
# Both faults that act on one exchange are shown.
counterfoil 0 fault set '{fault: {status: {status: 502}}, on: {role: atms}}' --session fresh
counterfoil 0 fault set '{fault: {delay: {at_point: head, fixed: 1ms}}, on: {role: atms}}' --session fresh
curl -s -o /dev/null "$bank/s/fresh/v1/atms"
counterfoil 0 journal fresh
matches out '*GET /v1/atms*502*status + delay*'
# Keys and effects, on request.
counterfoil 0 fault rm --all --session fresh
counterfoil 0 tokens issue --login ava --session fresh
for _ in 1 2; do
    curl -s -o /dev/null "$bank/s/fresh/v1/payments" -H "Authorization: Bearer $out" -H 'Content-Type: application/json' \
        -H 'Idempotency-Key: tea-1' -d '{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}'
done
counterfoil 0 journal fresh --keys
matches out $'*STATUS * EFFECT * KEY\n*POST /v1/payments * 201 * committed * tea-1\n*POST /v1/payments * replayed * tea-1'
counterfoil 0 journal fresh
matches out $'*END\n*'
counterfoil 0 ledger fresh
matches out $'ACCOUNT * POSTINGS\naccounts/ava-gbp * 24910.55 GBP * -500\n*payees/payee-lark * 500\nthe ledger adds up'
counterfoil 0 ledger --session fresh --json
matches out '*"key": "tea-1"*"balanced": true*'
counterfoil 2 ledger
matches err 'error: found no session, expected *'
counterfoil 2 journal fresh --session roundup
matches err '*found the sessions fresh and roundup, expected one*'

# With one bank served its session is meant; an empty journal may be another session's.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
counterfoil 0 outage start maintenance
matches out 'maintenance is running in counterfoil'
counterfoil 0 session new counterfoil --name other
counterfoil 0 session reset
counterfoil 0 journal
matches out '(none)'
matches err $'counterfoil: the session counterfoil has received no request yet\nhint: the other sessions are other'

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
counterfoil 2 session list --admin http://127.0.0.1:1
matches err $'error: cannot reach the admin API at http://127.0.0.1:1 (curl 7: Failed to connect to 127.0.0.1 port 1 after *)\nhint: start `counterfoil serve`, *'
counterfoil 2 session list --admin 127.0.0.1:1
matches err $'error: found the address 127.0.0.1:1, expected one such as http://127.0.0.1:8081, without user, query and fragment\nhint: *'
counterfoil 2 session list --admin http://ava:secret@127.0.0.1:1
matches err 'error: found the address http://…@127.0.0.1:1, expected *'
counterfoil 2 session list --admin-token $'secret\nsecond line'
matches err $'error: found a line break or control character in the admin token, expected one line of text\nhint: *'

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
await redirected $redirecting || fail "found no server, expected one"
counterfoil 2 session list --admin "http://127.0.0.1:$(head -1 redirected)"
matches err 'error: found status 302 from http://127.0.0.1:*'
kill $redirecting
[ "$(tail -n +2 redirected)" = /__admin/sessions ] || { echo "found the requests $(tail -n +2 redirected), expected one"; exit 1; }
