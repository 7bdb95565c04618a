# counterfoil judge: a bad client and a good one, judged from a session's journal alone.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil --stubs "$ROOT/Stubs" --seed 7

# judge EXPECTED-STATUS ARGUMENTS…
judge() { run "$1" timeout 300 "$counterfoil" judge "${@:2}"; }

# token SESSION: a new one of ava's.
token() { "$counterfoil" tokens issue --login ava --session "$1" 2>/dev/null; }

# get SESSION TOKEN...: reads the accounts with each token in turn, on one connection: what follows a response has read it.
get() {
    local session=$1 arguments=()
    shift
    for token in "$@"; do
        [ ${#arguments[@]} -eq 0 ] || arguments+=(--next)
        arguments+=(-s -o /dev/null -H "Authorization: Bearer $token" "$bank/s/$session/v1/accounts")
    done
    curl "${arguments[@]}"
}

# until_shows FILE TEXT: waits, up to 120 s, until the file has it.
until_shows() { eventually grep -qsF -- "$2" "$1" || shows "$1" "$2"; }

# ended EXPECTED-STATUS: the watch in the background ends, and so.
ended() {
    local status=0
    timeout 300 tail --pid=$watching -f /dev/null || { kill -9 $watching; echo "found the watch going on, expected its end"; exit 1; }
    wait $watching || status=$?
    [ $status = "$1" ] || { echo "found status $status, expected $1: $(cat watched messages)"; exit 1; }
}

for session in silent good bad hasty held full last; do "$counterfoil" session new counterfoil --name $session >/dev/null 2>&1; done

# Nothing was asked: nothing was exercised, and what is required is missed.
judge 4 --session silent --for 1ms
judge 1 --session silent --for 1ms --require auth --junit missed.xml --html missed.html
shows out 'the required suite `auth` was not exercised'
grep -qF 'message="exit 1: the suite auth has no verdict"' missed.xml
grep -qF 'exit 1: the suite auth has no verdict' missed.html

# An impossible choice is rejected, with the possible ones.
judge 2 --session silent --require body
shows err 'found the suite `body`, expected auth, pay, retry, wire, invariant or webhooks'
judge 2 --suites auht
shows err 'did you mean `auth`?'
judge 2 --suites pay --require auth
judge 2 --session nobody --for 1ms
shows err 'there is no session nobody'
judge 2 --session good --for 1ms --admin http://127.0.0.1:1
shows err 'start `counterfoil serve`'
judge 2 --session silent --for 1ms --json no/such/folder.json
shows err 'cannot write no/such/folder.json'

# A good client: reads side by side and again, its token is rejected, it goes on with a new one.
first=$(token good)
get good "$first" &
reading=$!
get good "$first"
wait $reading
get good "$first" "$first"
"$counterfoil" tokens revoke --all --session good >/dev/null 2>&1
get good "$first"
get good "$(token good)"
judge 0 --session good --until-quiet --quiet 300ms --require auth --junit good.xml --json good.json --html good.html
shows err 'pass so far  auth.token-cleared-on-rejection'
shows err "checking the client at $bank/s/good"
if grep -q $'\e' out err; then echo "found control codes in a file, expected lines"; exit 1; fi
grep -q '<testsuites' good.xml
grep -q '"report": 1' good.json
grep -q '<html' good.html

# A bad one: it sends the rejected token again, and then an empty one.
first=$(token bad)
get bad "$first"
"$counterfoil" tokens revoke --all --session bad >/dev/null 2>&1
get bad "$first" "$first"
curl -s -o /dev/null -H 'Authorization: Bearer ' "$bank/s/bad/v1/accounts"
judge 1 --session bad --for 1ms --suites auth
shows out 'FAIL  auth.token-cleared-on-rejection@counterfoil'
shows out 'sent token#1 again after the bank rejected it in exchange 2'
shows out 'FAIL  auth.no-empty-bearer@counterfoil'
curl -sf "$COUNTERFOIL_ADMIN/__admin/sessions/bad/verdict?suites=auth" | grep -q '"id":"auth.no-empty-bearer"[^}]*"verdict":"fail"'

# A hasty one: it sends the rejected token three times within milliseconds, each time over a new connection. Its requests may all
# have been under way before the first rejection was read, so the journal cannot decide, and never reports pass; only a machine that
# stalls for half a second between them makes it certain.
first=$(token hasty)
"$counterfoil" tokens revoke --all --session hasty >/dev/null 2>&1
curl -s -o /dev/null -o /dev/null -o /dev/null -H 'Connection: close' -H "Authorization: Bearer $first" \
    "$bank/s/hasty/v1/accounts" "$bank/s/hasty/v1/accounts" "$bank/s/hasty/v1/accounts"
timeout 300 "$counterfoil" judge --session hasty --for 1ms --suites auth --html hasty.html >out 2>err || [ $? = 1 ]
grep -qE '^(INCONCLUSIVE|FAIL)  auth.token-cleared-on-rejection@counterfoil' out || { echo "found $(cat out), expected no pass"; exit 1; }
if grep -q '^INCONCLUSIVE' out; then shows out '  because   it arrived '; fi
if grep -q 'pass so far  auth.token-cleared' err; then echo "found $(cat err), expected no pass"; exit 1; fi

# Ctrl-C ends the watch with the summary and its code; before, events are reported as they happen. On a terminal one more line
# is kept up to date, here by script(1), where it is installed.
"$counterfoil" judge --session held >watched 2>messages &
watching=$!
until_shows messages 'Ctrl-C ends the check, as --until-quiet and --for do'
get held "$(token held)"
until_shows messages 'pass so far  auth.no-empty-bearer'
kill -INT $watching
ended 0
shows watched 'passed, '
if command -v script >/dev/null; then
    NO_COLOR=1 script -qec "'$counterfoil' judge --session bad --for 1ms" typescript >/dev/null </dev/null || true
    shows typescript 'FAIL  auth.token-cleared-on-rejection@counterfoil'
    grep -q $'\r\e\[K[0-9]* exchanges; ' typescript || { echo "found no line kept up to date: $(cat -v typescript)"; exit 1; }
fi

# More than the journal holds: a violation would be reported, but nothing is a pass.
curl -s -o /dev/null "$bank/s/full/v1/atms?n=[1-10050]"
judge 3 --session full --for 1ms
shows out 'entries were dropped (journal limit reached)'

# The server ends first: the results so far are still reported.
"$counterfoil" judge --session last >watched 2>messages &
watching=$!
until_shows messages 'Ctrl-C ends the check, as --until-quiet and --for do'
get last "$(token last)"
until_shows messages 'pass so far  auth.no-empty-bearer'
kill $server
wait $server || true
ended 3
shows watched ' rules ('
shows messages 'the server stopped before the check was complete'
