# Clients that move something else than was ordered, each faulty in one thing only: each fails, and the invariant names it. The same client
# without a mistake passes.

# judge NAME: its report is in NAME.out; ends as the run did.
judge() {
    timeout -k 1 600 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank counterfoil --bank roundup \
        --filter 'pay.replay*' --filter 'pay.exact-amounts*' --filter 'roundup.sum@roundup' \
        --client "python3 '$ROOT/Tests/Drivers/wrong_payer.py' $1" >"$1.out" 2>&1
}

python3 "$ROOT/Tests/Drivers/wrong_payer.py" --list >names
[ -s names ] || { echo "found no mistake in wrong_payer.py --list, expected some"; exit 1; }
judge right || { echo "right: expected a client that passes, found:"; cat right.out; exit 1; }
while read -r name; do
    code=0
    judge "$name" || code=$?
    [ $code -eq 1 ] || { echo "$name: found exit code $code, expected 1"; cat "$name.out"; exit 1; }
    grep -q 'FAIL.*invariant\.pays-what-was-wished' "$name.out" ||
        { echo "$name: found no failure of invariant.pays-what-was-wished"; cat "$name.out"; exit 1; }
done <names
