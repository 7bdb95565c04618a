# `serve --state` and `state check`: what a killed server leaves behind agrees, and what was made wrong on purpose is found.
. "$ROOT/Tests/Shell/parts/serve.sh"

# check EXPECTED-STATUS ARGUMENTS…
check() { run "$1" "$counterfoil" state check --stubs "$ROOT/Stubs" "${@:2}"; }

# There is none yet, and looking makes none.
check 2 bank.state
matches err 'error: found no state file bank.state, expected one written by counterfoil serve --state'
[ ! -e bank.state ] || { echo "state check made a file: $(ls)"; exit 1; }
echo 'a shopping list' >list
check 2 list
matches err '*list is not a state file*'
check 2
matches err '*Missing expected argument*'

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
matches err '*bank.state is in use by another counterfoil (process *'
kill -9 $server
{ wait $server; } 2>/dev/null || true

check 0 bank.state
matches out $'counterfoil (counterfoil): 4 commands, 2 movements, 2 keys, 4 tokens; balanced, no errors\nmine (counterfoil): 0 commands, 0 movements, 0 keys, 0 tokens; balanced, no errors'
matches err ''
check 0 bank.state --json
matches out '{"sessions":?{"session":"counterfoil","bank":"counterfoil","commands":4,"movements":2,*"balanced":true,"errors":??},*,"errors":??}'

# `state check` changes no file; a server that ends in order leaves only the state file.
[ -s bank.state-journal ] || { echo "state check changed the files: $(ls)"; exit 1; }
mkdir killed
cp bank.state* killed
serve counterfoil --stubs "$ROOT/Stubs" --seed 7 --state bank.state --quiet
stop
[ "$(echo bank.state*)" = bank.state ] || { echo "the server left $(echo bank.state*), expected bank.state"; exit 1; }

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
matches out *$'counterfoil (counterfoil): 4 commands, '*$'; 2 errors\n*'
matches err *'broken.state: session counterfoil: found command 4 where 3 was expected'*'found a row that shows movement 2, expected one of the 1 movements before it'*
broken "UPDATE command SET changes = CAST(replace(CAST(changes AS TEXT), '\"units\":500,', '\"units\":99999999,') AS BLOB) WHERE seq = 3"
check 1 broken.state
matches err *'session counterfoil: command 3: accounts/ava-gbp has *, expected at least *'
broken 'UPDATE command SET reply = (SELECT reply FROM command WHERE seq = 3) WHERE seq = 2'
check 1 broken.state --json
matches out *'"record 2: found the checksum '*'"command 2: found a response, expected none: the command stores no key"?'*
broken "DELETE FROM session WHERE id = 'counterfoil'"
check 1 broken.state
matches err *'broken.state: found 4 rows of command without a session, expected none'*
mkdir some
ln -s "$ROOT/Stubs/roundup" "$ROOT/Stubs/dialects" some
check 2 bank.state --stubs some
matches err 'bank.state: session counterfoil: found no bank counterfoil, expected the bank of the session*'
matches out *'mine (counterfoil): 0 commands, not checked'
check 1 bank.state broken.state --json
matches out '{"file":"bank.state","sessions":'*'{"file":"broken.state",'*

# rejected NAME PATTERN: no server starts on the state file, and the error has the reason.
rejected() {
    run 2 timeout 300 "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --state "$1"
    matches err "$2"
}

# No server starts on a file that `state check` rejects.
rejected broken.state *'broken.state is damaged: *Restore a complete copy*'
# An amount, a key and an id are changed.
for change in 's/"units":500,/"units":400,/' 's/"key":"tea"/"key":"tee"/' 's/pay-/bay-/'; do
    LC_ALL=C sed "$change" bank.state >changed.state
    ! cmp -s bank.state changed.state || { echo "found nothing to change by $change"; exit 1; }
    check 1 changed.state
    matches err *'changed.state: session counterfoil: record '*': found the checksum '*
    rejected changed.state *'the session counterfoil in *changed.state cannot be read*: record '*': found the checksum '*
done
printf x >byte.state
rejected byte.state *'byte.state is not a state file'*
check 2 byte.state
rejected '' *'found an empty --state, expected a file'*
[ ! -e -journal ] || { echo "serve --state '' left $(ls -A)"; exit 1; }

# All that a killed server has acknowledged is in the file itself: its journal concerns what was being written.
rm killed/bank.state-journal
check 0 killed/bank.state
matches out 'counterfoil (counterfoil): 4 commands, 2 movements, *'
python3 -c 'data = bytearray(open("killed/bank.state", "rb").read())
open("killed/bank.state", "wb").write(data[:-4096])'
check 1 killed/bank.state
matches err *'killed/bank.state is damaged: '*
rejected killed/bank.state *'killed/bank.state is damaged: '*

# A transaction that was under way is rolled back, in a copy as long as the file is only examined.
cp bank.state torn.state
python3 -c 'import os, sqlite3
database = sqlite3.connect("torn.state", isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN")
database.execute("UPDATE command SET changes = zeroblob(20000)")
os._exit(0)'
[ -s torn.state-journal ] && ! cmp -s bank.state torn.state || { echo "found no transaction under way in torn.state: $(ls)"; exit 1; }
cp torn.state torn
TMPDIR=$PWD/nowhere check 2 torn.state
matches err *'cannot examine the state file '*'torn.state: its server was killed during a write, and it could not be copied to '*'nowhere'*': No such file or directory; set TMPDIR'*
check 0 torn.state
cmp torn.state torn || { echo "state check changed the file"; exit 1; }
serve counterfoil --stubs "$ROOT/Stubs" --state torn.state --quiet
stop
check 0 torn.state
[ "$(echo torn.state*)" = torn.state ] || { echo "the server left $(echo torn.state*), expected torn.state"; exit 1; }

# One server a file, by whatever name.
serve counterfoil --stubs "$ROOT/Stubs" --state bank.state --quiet
ln -s bank.state soft.state
ln bank.state hard.state
for name in bank.state soft.state hard.state; do rejected $name *"$name is in use by another counterfoil"*; done
stop
serve counterfoil --stubs "$ROOT/Stubs" --state soft.state --quiet
stop
check 0 bank.state

# A file of an older development build is rejected by name.
cp bank.state older.state
python3 -c 'import sqlite3
sqlite3.connect("older.state").executescript("PRAGMA user_version = 2")'
check 2 older.state
matches err *'older.state was written by an older development build of counterfoil'*
rejected older.state *'older.state was written by an older development build of counterfoil'*

# A path that is no plain file of the bank blocks no reader, and leads nowhere.
mkdir odd
cp -r "$ROOT/Stubs/counterfoil" "$ROOT/Stubs/dialects" odd
rm odd/counterfoil/accounts.json
for odd in pipe link; do
    if [ $odd = pipe ]; then mkfifo odd/counterfoil/accounts.json; else ln -sf /etc/hostname odd/counterfoil/accounts.json; fi
    status=0
    timeout 300 "$counterfoil" validate --stubs odd >out 2>&1 || status=$?
    [ $status != 0 ] && [ $status != 124 ] || { echo "validate with a $odd: found status $status, expected a rejection"; exit 1; }
done
grep -q 'accounts.json: found a link that leads out of odd/counterfoil' out || { echo "validate did not reject the link: $(cat out)"; exit 1; }
