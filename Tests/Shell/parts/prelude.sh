# Each script of Tests/Shell starts with this (.ci/shell-tests). $counterfoil and $mutants are the programs that `make build` has built;
# COUNTERFOIL and MUTANTS name others.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=$(realpath "${COUNTERFOIL:-$ROOT/.build/release/counterfoil}")
mutants=$(realpath "${MUTANTS:-$ROOT/.build/release/MutantClients}")

fail() {
    echo "$1"
    exit 1
}

for program in "$counterfoil" "$mutants"; do
    [ -x "$program" ] || fail "found no program $program, expected it built: make build"
done

# run EXPECTED-STATUS COMMAND…: its output is in the files out and err, and in $out and $err.
run() {
    local expected=$1 status=0
    shift
    command="$*"
    "$@" >out 2>err || status=$?
    out=$(cat out) err=$(cat err)
    [ $status = "$expected" ] || fail "$command: found status $status, expected $expected: $out$err"
}

# matches out|err PATTERN: what the last command printed matches it.
matches() {
    # shellcheck disable=SC2053 # it is a pattern
    [[ ${!1} == $2 ]] || fail "$command: found «${!1}» on std$1, expected «$2»"
}

# shows FILE TEXT: the file has the text.
shows() { grep -qF -- "$2" "$1" || fail "found in $1: $(cat "$1"); expected «$2»"; }

# eventually COMMAND…: returns once the command succeeds; false after 120 s.
eventually() {
    local tries
    for ((tries = 0; tries < 1200; tries++)); do
        if "$@"; then return; fi
        sleep 0.1
    done
    return 1
}

# await FILE PROCESS: returns once there is something in the file; false if the process ends before, or after 120 s.
await() {
    eventually is_ready "$@"
    [ -s "$1" ]
}
is_ready() { [ -s "$1" ] || ! kill -0 "$2" 2>/dev/null; }
