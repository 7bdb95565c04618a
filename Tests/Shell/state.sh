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
says err 'error: found no state file bank.state, expected one that counterfoil serve --state has made'
[ ! -e bank.state ] && [ ! -e bank.state.mark ] || { echo "state check made a file: $(ls)"; exit 1; }
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
says out $'counterfoil (counterfoil): 4 commands, 2 movements, 2 keys, 4 tokens; balanced, no error\nmine (counterfoil): 0 commands, 0 movements, 0 keys, 0 tokens; balanced, no error'
says err ''
check 0 bank.state --json
says out '{"sessions":?{"session":"counterfoil","bank":"counterfoil","commands":4,"movements":2,*"balanced":true,"errors":??},*,"errors":??}'

# `state check` changes no file; a server that ends in order leaves only the state file.
[ -s bank.state-wal ] && [ -s bank.state.mark ] || { echo "state check changed the files: $(ls)"; exit 1; }
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
says out *$'counterfoil (counterfoil): 4 commands, 1 movement, 1 key, 4 tokens; 2 errors\n*'
says err *'broken.state: session counterfoil: command 4 comes where 3 was expected'*
# The packed form of "units": 500, and of 99999999.
broken "UPDATE command SET changes = CAST(replace(CAST(changes AS TEXT), CAST(x'2d03e807' AS TEXT), CAST(x'2d03fe83af5f' AS TEXT)) AS BLOB) WHERE seq = 3"
check 1 broken.state
says err *'session counterfoil: command 3: accounts/ava-gbp has *, expected at least *'
broken 'UPDATE command SET reply = (SELECT reply FROM command WHERE seq = 3) WHERE seq = 2'
check 1 broken.state --json
says out *'"record 2: found the checksum '*'"command 2: found a reply, expected none: the command keeps no key"?'*
broken "DELETE FROM session WHERE id = 'counterfoil'"
check 1 broken.state
says err *'broken.state: found 4 commands of no session, expected none'*
says err *'found no session of the number 1, expected one with 4 commands, as when the file was closed'*
mkdir some
ln -s "$ROOT/Stubs/roundup" "$ROOT/Stubs/dialects" some
check 2 bank.state --stubs some
says err 'bank.state: session counterfoil: found no bank counterfoil, expected the one that the session was of*'
says out *'mine (counterfoil): 0 commands, not checked'
check 1 bank.state broken.state --json
says out '{"file":"bank.state","sessions":'*'{"file":"broken.state",'*

# refused NAME PATTERN: no server starts on the state file, and it says why.
refused() {
    local status=0
    timeout 60 "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --state "$1" >out 2>err || status=$?
    out=$(cat out) err=$(cat err) command="counterfoil serve --state $1"
    [ $status = 2 ] || { echo "$command: found status $status, expected 2: $out$err"; exit 1; }
    says err "$2"
}

# No server starts on a file that `state check` refuses.
refused broken.state *'broken.state is damaged: *Put back a whole copy*'
# An amount, a key and an id are changed in the packed form.
for change in 's/\x2d\x03\xe8\x07/\x2d\x03\x88\x0e/' 's/\x03tea/\x03tee/' 's/pay-/bay-/'; do
    LC_ALL=C sed "$change" bank.state >changed.state
    ! cmp -s bank.state changed.state || { echo "found nothing to change by $change"; exit 1; }
    check 1 changed.state
    says err *'changed.state: session counterfoil: record '*': found the checksum '*
    refused changed.state *'the session counterfoil in *changed.state cannot be read*: record '*': found the checksum '*
done
printf x >byte.state
refused byte.state *'byte.state is not a state file'*
check 2 byte.state
refused '' *'found an empty --state, expected a file'*
[ ! -e .lock ] && [ ! -e .mark ] || { echo "serve --state '' left $(ls -A)"; exit 1; }

# The files of a killed server, with a bit of the log changed, or without one of them.
again() {
    rm -rf killed.again
    cp -r killed killed.again
}
again
python3 -c 'data = bytearray(open("killed.again/bank.state-wal", "rb").read())
data[len(data) * 3 // 4] ^= 1
open("killed.again/bank.state-wal", "wb").write(data)'
check 1 killed.again/bank.state
says err *'which was acknowledged: the end of the write-ahead log is lost'*
refused killed.again/bank.state *'which was acknowledged: the end of the write-ahead log is lost'*
cmp killed/bank.state killed.again/bank.state && [ -s killed.again/bank.state-wal ] || { echo "a refused file was changed"; exit 1; }
again
rm killed.again/bank.state-wal
refused killed.again/bank.state *'the end of the write-ahead log is lost'*
again
rm killed.again/bank.state.mark
refused killed.again/bank.state *'found no *bank.state.mark beside a file that was not closed'*

# One server a file, by whatever name.
serve counterfoil --stubs "$ROOT/Stubs" --state bank.state --quiet
ln -s bank.state soft.state
ln bank.state hard.state
mv bank.state.mark mark
for name in bank.state soft.state hard.state; do refused $name *"$name is in use by another counterfoil"*; done
mv mark bank.state.mark
stop
serve counterfoil --stubs "$ROOT/Stubs" --state soft.state --quiet
stop
check 0 bank.state

# A file of the version before: read, and told so.
rm -f older.state
python3 - <<'END'
import sqlite3
new, old = sqlite3.connect("bank.state"), sqlite3.connect("older.state")
old.executescript("""
    PRAGMA application_id = 0x63667374;
    CREATE TABLE session (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bank TEXT NOT NULL, opening BLOB NOT NULL,
        checkpoint_seq INTEGER, checkpoint BLOB) STRICT;
    CREATE TABLE command (session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE, seq INTEGER NOT NULL,
        at INTEGER NOT NULL, command TEXT NOT NULL, changes BLOB NOT NULL, reply BLOB, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('1'), ('2')""")
old.executemany("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)",
                new.execute("SELECT number, id, bank, opening, checkpoint_seq, checkpoint FROM session"))
old.executemany("INSERT INTO command VALUES (?, ?, ?, ?, ?, ?)",
                new.execute("SELECT session, seq, at, command, changes, reply FROM command"))
old.commit()
END
check 0 older.state
says err *'older.state is of an older version without checksums'*
serve counterfoil --stubs "$ROOT/Stubs" --state older.state --quiet
stop
grep -q 'is of an older version without checksums' served || { echo "serve took an older file in silence: $(cat served)"; exit 1; }
check 0 older.state
says err ''

# A path that is no plain file of the bank blocks no reader, and leads nowhere.
mkdir odd
cp -r "$ROOT/Stubs/counterfoil" "$ROOT/Stubs/dialects" odd
rm odd/counterfoil/accounts.json
for odd in pipe link; do
    if [ $odd = pipe ]; then mkfifo odd/counterfoil/accounts.json; else ln -sf /etc/hostname odd/counterfoil/accounts.json; fi
    status=0
    timeout 60 "$counterfoil" validate --stubs odd >out 2>&1 || status=$?
    [ $status != 0 ] && [ $status != 124 ] || { echo "validate with a $odd: found status $status, expected a refusal"; exit 1; }
done
grep -q 'accounts.json: found a link that leads out of odd/counterfoil' out || { echo "validate did not refuse the link: $(cat out)"; exit 1; }
