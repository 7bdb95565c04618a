# The drivers that we ship, in Python and in shell, pass; and the judge fails no correct client that does things differently.
# A short selection; with ALL=1 (make soak) every case, and every variant over the suites auth, pay, retry, errors and data.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
[ -x "$counterfoil" ] || { echo "found no $counterfoil, expected a build"; exit 1; }
python="python3 '$ROOT/Contracts/drivers/python/driver.py'"
shell=(--one-shot --operations login,logout,status,accounts,balance,pay --features persistence)

# passes NAME AT-LEAST CLIENT OPTION…: the client ends with 0, fails no `must`, and passes at least so many cases.
passes() {
    local name=$1 least=$2 client=$3 passed
    shift 3
    if ! timeout 600 "$counterfoil" test "${folders[@]}" --seed 7 --client "$client" "$@" >told; then
        echo "$name: expected a client that passes, found:"
        cat told
        exit 1
    fi
    passed=$(sed -nE 's/^([0-9]+) passed.*/\1/p' told)
    [ "${passed:-0}" -ge "$least" ] || { cat told; echo "$name: $passed passed, expected at least $least"; exit 1; }
}

if [ -n "${ALL:-}" ]; then
    passes python 700 "$python" --bank counterfoil --bank roundup
    passes shell 130 "sh '$ROOT/Contracts/drivers/shell/driver.sh'" "${shell[@]}" --bank counterfoil \
        --filter auth --filter pay --filter errors --filter retry --filter data
    while read -r variant; do
        chosen=(--filter auth --filter pay --filter errors --filter data --filter retry)
        passes "$variant" 300 "python3 '$ROOT/Tests/Drivers/variant.py' $variant" "${chosen[@]}" --bank counterfoil --bank roundup
    done < <(python3 "$ROOT/Tests/Drivers/variant.py" --list)
    exit 0
fi

passes python 50 "$python" --bank counterfoil --bank roundup --filter auth --filter 'pay.*protocol=h1]' --filter 'data.exact*'
passes shell 15 "sh '$ROOT/Contracts/drivers/shell/driver.sh'" "${shell[@]}" --bank counterfoil \
    --filter 'pay.replay*' --filter 'pay.server-error*' --filter 'auth.token-*' --filter 'errors.4*'
for variant in no-retry refresh-ahead look-first ulid-bare connection-each parallel-accounts; do
    passes "$variant" 12 "python3 '$ROOT/Tests/Drivers/variant.py' $variant" --bank counterfoil --bank roundup \
        --filter 'pay.replay*' --filter 'pay.cut-head*' --filter 'pay.key-well-formed' --filter 'errors.40*' \
        --filter 'auth.no-refresh-loop' --filter 'retry.payment-maintenance*'
done
