# A file of known failures: written from a run, read again, with lines that have expired, match nothing or are malformed.
export COUNTERFOIL_HOME=$PWD/home
# run CODE OPTION…: tests a client with one mistake, and expects that exit code.
run() {
    local expected=$1 code=0
    shift
    "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --filter 'pay.*reply-lost*' --filter pay.exact-amounts \
        --client "'$mutants' new-key-per-attempt" "$@" >printed 2>&1 || code=$?
    [ $code -eq "$expected" ] || { echo "found exit code $code, expected $expected: $*"; cat printed; exit 1; }
}
shows() { grep -qE "$1" "${2:-printed}" || { cat "${2:-printed}"; echo "expected $1"; exit 1; }; }

run 1 --write-known-failing known
shows '^pay\.reply-lost-after-commit@counterfoil\[\*\]  # the client sends a payment order again under a new idempotency key, until 20..-..-..$' known
if grep -q '^invariant' known; then cat known; echo "expected no line for an invariant of a case that has one"; exit 1; fi

# The file covers the cases, and the invariants that were broken in them; written again it keeps reasons and dates.
sed -i 's/  # .*/  # APP-1, until 2099-01-01/' known
run 0 --known-failing known --write-known-failing again
shows '^[0-9]+ passed, [0-9]+ failed, [0-9]+ of them known'
diff <(grep -v '^#' known) <(grep -v '^#' again)

# A line that has expired covers nothing, and is reported; so is one that matches nothing.
sed 's/2099/2020/' known >old
run 1 --known-failing old
shows '^known-failing line 2 `pay\..*` expired on 2020-01-01: the failures that it covers count again$'
shows '^exit 1: [0-9]+ failures'
(cat known; echo 'pay.no-such-case@*  # APP-2, until 2099-01-01') >more
run 5 --known-failing more
shows 'matches nothing$'
shows '^exit 5: 1 known-failing line without a match$'
echo 'pay.*  # some day' >malformed
run 2 --known-failing malformed
shows 'malformed:1:1: found `pay\.\*  # some day`, expected `pattern  # reason, until 2027-01-01`'
shows 'no case was run'
