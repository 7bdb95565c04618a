# counterfoil judge: a bad client and a good one, judged from a session's journal alone.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=$ROOT/.build/debug/counterfoil
[ -x "$counterfoil" ] || { echo "found no program $counterfoil, expected it built: swift build --build-tests"; exit 1; }

"$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --seed 7 --ready-file ready >/dev/null 2>served &
server=$!
trap 'kill $server 2>/dev/null && wait $server || true' EXIT
for ((tries = 0; tries < 300; tries++)); do
    [ ! -s ready ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
[ -s ready ] || { echo "found no ready line after 30 s, expected one: $(cat served)"; exit 1; }
COUNTERFOIL_ADMIN=$(sed -E 's|.*"admin":"([^"]*)".*|\1|' ready)
bank=$(sed -E 's|.*"bank":"([^"]*)".*|\1|' ready)
export COUNTERFOIL_ADMIN

# judge EXPECTED-STATUS ARGUMENTS...: what it says is in the files out and err.
judge() {
    local expected=$1 status=0
    shift
    timeout 60 "$counterfoil" judge "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || { echo "judge $*: found status $status, expected $expected: $(cat out err)"; exit 1; }
}

# says FILE TEXT
says() { grep -qF -- "$2" "$1" || { echo "found in $1: $(cat "$1"); expected «$2»"; exit 1; }; }

# token SESSION: a new one of ava's.
token() { "$counterfoil" tokens issue --login ava --session "$1" 2>/dev/null; }

# get SESSION TOKEN...: reads the accounts with each token in turn, on one connection: what follows a reply has read it.
get() {
    local session=$1 arguments=()
    shift
    for token in "$@"; do
        [ ${#arguments[@]} -eq 0 ] || arguments+=(--next)
        arguments+=(-s -o /dev/null -H "Authorization: Bearer $token" "$bank/s/$session/v1/accounts")
    done
    curl "${arguments[@]}"
}

for session in silent good bad; do "$counterfoil" session new counterfoil --name $session >/dev/null 2>&1; done

# Nothing was asked: nothing was exercised, and what is required is missed.
judge 4 --session silent --for 1ms
judge 1 --session silent --for 1ms --require auth
says out 'the required suite `auth` was not exercised'
judge 2 --session silent --require body
judge 2 --session nobody --for 1ms

# A good client: reads side by side and again, its token is refused, it goes on with a new one.
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
says err 'pass  auth.token-cleared-on-rejection'
if grep -q $'\e' out err; then echo "found control codes in a file, expected lines"; exit 1; fi
grep -q '<testsuites' good.xml && grep -q '"report": 1' good.json && grep -q '<html' good.html

# A bad one: it sends the refused token again, and then an empty one.
first=$(token bad)
get bad "$first"
"$counterfoil" tokens revoke --all --session bad >/dev/null 2>&1
get bad "$first" "$first"
curl -s -o /dev/null -H 'Authorization: Bearer ' "$bank/s/bad/v1/accounts"
judge 1 --session bad --for 1ms --suites auth
says out 'FAIL  auth.token-cleared-on-rejection@counterfoil'
says out 'is never sent again after exchange 2'
says out 'FAIL  auth.no-empty-bearer@counterfoil'
curl -sf "$COUNTERFOIL_ADMIN/__admin/sessions/bad/verdict?suites=auth" | grep -q '"id":"auth.no-empty-bearer"[^}]*"verdict":"fail"'
