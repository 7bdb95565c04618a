# `test --baseline`: failures that a bare client has too are reported apart; they count unless --forgive-platform is given.
[ -x "$counterfoil" ] && [ -x "$mutants" ] || { echo "found no $counterfoil or no $mutants, expected a build with tests"; exit 1; }

# run NAME CODE ARGS…: the report is in NAME.out, and the run ends with CODE.
run() {
    local name=$1 expected=$2 code=0
    shift 2
    timeout -k 1 600 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank snapshot \
        --filter 'body.html-200*' --filter 'body.wrong-type*' --client "'$mutants' unreadable-is-an-empty-list" "$@" >"$name.out" 2>&1 || code=$?
    [ $code -eq "$expected" ] || { echo "$name: found exit code $code, expected $expected"; cat "$name.out"; exit 1; }
}

run alone 1
run alike 1 --baseline "'$mutants' unreadable-is-an-empty-list" --json alike.json
grep -qE '^the platform does this too: ([0-9]+) of \1 failures? \(baseline ' alike.out ||
    { echo "alike: found no list of the platform's failures"; cat alike.out; exit 1; }
grep -q '^FAIL' alike.out && { echo "alike: found a failure of the client"; cat alike.out; exit 1; }
grep -q '"platform": *"shared"' alike.json || { echo "alike: found no shared failure in JSON"; exit 1; }
run forgiven 0 --baseline "'$mutants' unreadable-is-an-empty-list" --forgive-platform
run other 1 --baseline "'$counterfoil' client --drive" --forgive-platform
grep -q 'the platform does this too' other.out && { echo "other: found a failure forgiven that the baseline has not"; cat other.out; exit 1; }
grep -q '^FAIL  body.html-200@snapshot' other.out || { echo "other: found no failure of the client"; cat other.out; exit 1; }
run broken 1 --baseline "sh -c 'exit 3'" --forgive-platform
grep -q '^warning: no failure was compared with the baseline, because it could not be run: ' broken.out ||
    { echo "broken: found no warning"; cat broken.out; exit 1; }
run missing 2 --forgive-platform
grep -q 'found --forgive-platform without --baseline, expected the driver of a baseline' missing.out ||
    { echo "missing: found no usage error"; cat missing.out; exit 1; }
