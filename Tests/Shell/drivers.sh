# The drivers that we ship, in Python, shell and JavaScript, pass; and the judge fails no correct client that does things differently.
# A short selection; with ALL=1 (make soak) every case, and every variant over the suites auth, pay, retry, errors and data: ROUNDS
# times (20), every second time beside two busy loops. ALL=shipped leaves out the variants: 2 minutes a round instead of 7.
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
banks=(--bank counterfoil --bank roundup)
python="python3 '$ROOT/Contracts/drivers/python/driver.py'"
javascript="node '$ROOT/Contracts/drivers/javascript/driver.mjs'"
shell="sh '$ROOT/Contracts/drivers/shell/driver.sh'"
one_shot=(--one-shot --operations login,logout,status,accounts,balance,pay,payment_status --features persistence,ca,pins --bank counterfoil)
node=yes
command -v node >/dev/null || { node=no; echo "drivers: found no node, so the JavaScript driver is not run"; }

python3 -B -m unittest discover --quiet --start-directory "$ROOT/Tests/Drivers"

# passes NAME AT-LEAST CLIENT OPTION…: the client ends with 0, fails no `must`, and passes at least AT-LEAST cases.
passes() {
    local name=$1 least=$2 client=$3 passed
    shift 3
    if ! timeout 1800 "$counterfoil" test "${folders[@]}" --seed "${SEED:-7}" --client "$client" "$@" >printed; then
        echo "$name: expected a client that passes, found:"
        cat printed
        exit 1
    fi
    passed=$(sed -nE 's/^([0-9]+) passed.*/\1/p' printed)
    [ "${passed:-0}" -ge "$least" ] || { cat printed; echo "$name: $passed passed, expected at least $least"; exit 1; }
    echo "$name: $passed passed"
}

# everything: every driver and every variant over all that it can do.
everything() {
    local suites=(--filter auth --filter pay --filter errors --filter data --filter retry --filter locale) variant
    passes python 650 "$python" "${banks[@]}"
    [ $node = no ] || passes javascript 650 "$javascript" "${banks[@]}"
    passes shell 130 "$shell" "${one_shot[@]}" "${suites[@]}"
    [ "$ALL" != shipped ] || return 0
    passes swift-json-encoder 300 "'$mutants' --right json-encoder" "${banks[@]}" "${suites[@]}"
    passes swift-resuming 60 "'$mutants' --right resuming" --bank counterfoil --bank openbanking --filter signin
    python3 "$ROOT/Tests/Drivers/variant.py" --list >variants
    [ -s variants ] || { echo "found no variant in variant.py --list, expected some"; exit 1; }
    while read -r variant; do
        passes "$variant" 300 "python3 '$ROOT/Tests/Drivers/variant.py' $variant" "${banks[@]}" "${suites[@]}"
    done <variants
}

# Two processes that do nothing as fast as they can. They end with this script, however it ends.
burning=()
burn() {
    for _ in 1 2; do
        sh -c 'while kill -0 "$0" 2>/dev/null; do :; done' $$ &
        burning+=($!)
    done
}
cool() {
    [ ${#burning[@]} -eq 0 ] || kill "${burning[@]}" 2>/dev/null || :
    burning=()
}
trap cool EXIT

if [ -n "${ALL:-}" ]; then
    for round in $(seq "${ROUNDS:-20}"); do
        echo "round $round$([ $((round % 2)) -eq 1 ] || echo ", beside two busy loops")"
        [ $((round % 2)) -eq 1 ] || burn
        everything
        cool
    done
    exit 0
fi

passes python 60 "$python" "${banks[@]}" --filter auth --filter 'pay.*protocol=h1]' --filter 'data.exact*' --filter locale --filter webhooks
[ $node = no ] || passes javascript 40 "$javascript" "${banks[@]}" --filter auth --filter 'pay.reply-lost*' --filter 'data.exact*' --filter locale
passes shell 15 "$shell" "${one_shot[@]}" --filter 'pay.replay*' --filter 'pay.server-error*' --filter 'auth.token-*' --filter 'errors.4*'
short=(--filter 'pay.replay*' --filter 'pay.cut-head*' --filter 'pay.key-well-formed' --filter 'errors.40*'
    --filter 'auth.no-refresh-loop' --filter 'retry.payment-maintenance*')
for variant in no-retry refresh-ahead look-first ulid-bare connection-each encodes-anew parallel-accounts; do
    passes "$variant" 12 "python3 '$ROOT/Tests/Drivers/variant.py' $variant" "${banks[@]}" "${short[@]}"
done
passes hedges 12 "python3 '$ROOT/Tests/Drivers/variant.py' hedges" "${banks[@]}" "${short[@]}" --filter 'retry.after-*' --level should
passes strict 12 "python3 '$ROOT/Tests/Drivers/variant.py' strict" "${banks[@]}" "${short[@]}" --filter body.null-for-optional
passes small-letters 12 "python3 '$ROOT/Tests/Drivers/variant.py' small-letters" "${banks[@]}" "${short[@]}" \
    --filter 'auth.refresh-token-stays*' --filter 'auth.lifetime-*' --filter signin.long-token --level should
passes swift-json-encoder 12 "'$mutants' --right json-encoder" "${banks[@]}" "${short[@]}"
passes swift-resuming 5 "'$mutants' --right resuming" --bank counterfoil --bank openbanking --filter 'signin.redirect-after-a-kill*' \
    --filter signin.killed-in-the-middle-restarts

# A driver gets no credential of Counterfoil's own commands: reports show the end of its stderr.
cat >prints.sh <<'SH'
env | grep sesame | tee -a "$0.saw" >&2
case ${COUNTERFOIL_OP:-} in
login) echo '{"signed_in": true}' ;;
accounts) echo '{"accounts": []}' ;;
*) echo unsupported; exit 127 ;;
esac
SH
for kind in "--one-shot --operations login,accounts" ""; do
    status=0
    rm -f prints.sh.saw
    # shellcheck disable=SC2086 # words of a list
    COUNTERFOIL_ADMIN_TOKEN=sesame COUNTERFOIL_PROVIDER_PASSWORD=sesame COUNTERFOIL_PROVIDER_TOKEN=sesame COUNTERFOIL_DOWNLOAD_TOKEN=sesame \
        OTHER=open-sesame-street "$counterfoil" test "${folders[@]}" --client "sh '$PWD/prints.sh'" $kind --bank counterfoil \
        --filter data.exact-amounts --seed 7 --json printed.json >printed 2>&1 || status=$?
    [ $status != 0 ] || fail "a driver without an account: found status 0, expected a failure: $(cat printed)"
    grep -q OTHER=open-sesame-street prints.sh.saw || fail "expected the inherited environment, found: $(cat printed prints.sh.saw)"
    ! grep '=sesame' prints.sh.saw || fail "found a credential in a driver's environment, expected none ($kind)"
done
