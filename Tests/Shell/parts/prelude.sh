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

# run EXPECTED-STATUS COMMAND…: its output is in the files out and err.
run() {
    local expected=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "$*: found status $status, expected $expected: $(cat out err)"
}
