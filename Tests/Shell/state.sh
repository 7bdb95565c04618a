# `serve --state` and `state check`: what a killed server leaves behind agrees, and what was made wrong on purpose is found.
. "$ROOT/Tests/Shell/parts/serve.sh"

# check EXPECTED-STATUS ARGUMENTS...: what it says is in $out and $err.
check() {
    local expected=$1 status=0
    shift
    "$counterfoil" state check --stubs "$ROOT/Stubs" "$@" >out 2>err || status=$?
    out=$(cat out) err=$(cat err) command="counterfoil state check $*"
    [ $status = "$expected" ] || { echo "$command: found status $status, expected $expected: $out$err"; exit 1; }
}

# says out|err PATTERN: the last check said so.
says() {
    local found=${!1}
    [[ $found == $2 ]] || { echo "$command: found «$found» on std$1, expected «$2»"; exit 1; }
}

# There is none yet, and looking makes none.
check 2 bank.state
says err 'counterfoil: found no state file bank.state, expected one that counterfoil serve --state has made'
[ ! -e bank.state ] && [ ! -e bank.state.lock ] || { echo "state check made a file: $(ls)"; exit 1; }
echo 'a shopping list' >list
check 2 list
says err '*list is not a state file*'
check 2
says err '*Missing expected argument*'

# A server that is killed in the middle of its life. Its first command is the token that it prints for people.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7 --state bank.state
token=$("$counterfoil" tokens issue 2>/dev/null)
"$counterfoil" session new counterfoil --name mine >/dev/null 2>&1

# pay KEY AMOUNT: of ava's; its status.
pay() {
    curl -s -o /dev/null -w '%{http_code}' "$bank/v1/payments" -H "Authorization: Bearer $token" -H "Idempotency-Key: $1" \
        -H 'Content-Type: application/json' \
        -d "{\"from\": \"ava-gbp\", \"to\": \"payee-lark\", \"amount\": {\"amount\": \"$2\", \"currency\": \"GBP\"}}"
}
[ "$(pay tea 5.00)$(pay cake 7.50)$(pay tea 5.00)" = 201201201 ] || { echo "the payments failed: $(cat served)"; exit 1; }

check 2 bank.state
says err '*bank.state is in use by another counterfoil (process *'
kill -9 $server
{ wait $server; } 2>/dev/null || true

check 0 bank.state
says out $'counterfoil (counterfoil): 4 commands, 2 movements, 2 keys, 4 tokens; balanced, and all agrees\nmine (counterfoil): 0 commands, 0 movements, 0 keys, 0 tokens; balanced, and all agrees'
says err ''
check 0 bank.state --json
says out '{"sessions":?{"session":"counterfoil","bank":"counterfoil","commands":4,"movements":2,*"balanced":true,"faults":??},*,"faults":??}'

# broken SQL: a copy with something made wrong.
broken() {
    rm -f broken.state*
    cp bank.state broken.state
    python3 -c 'import sqlite3, sys
database = sqlite3.connect("broken.state")
database.executescript(sys.argv[1])' "$1"
}
broken 'DELETE FROM command WHERE seq = 3'
check 1 broken.state
says out *$'counterfoil (counterfoil): 4 commands, 1 movement, 1 key, 4 tokens; 2 faults\n*'
says err *'broken.state: session counterfoil: command 4 comes where 3 was expected'*
broken "UPDATE command SET changes = CAST(replace(CAST(changes AS TEXT), '\"units\":500', '\"units\":99999999') AS BLOB) WHERE seq = 3"
check 1 broken.state
says err *'session counterfoil: command 3: accounts/ava-gbp has *, expected at least *'
broken 'UPDATE command SET reply = (SELECT reply FROM command WHERE seq = 3) WHERE seq = 2'
check 1 broken.state --json
says out *'"faults":?"command 2: found a reply, expected none: the command keeps no key"?'*
broken "DELETE FROM session WHERE id = 'counterfoil'"
check 1 broken.state
says err 'broken.state: found 4 commands of no session, expected none'
broken "UPDATE session SET bank = 'nobank' WHERE id = 'mine'"
check 2 broken.state
says err 'broken.state: session mine: found no bank nobank, expected the one that the session was of*'
says out *'mine (nobank): 0 commands, not looked into'
