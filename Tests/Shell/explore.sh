# `counterfoil explore`: a correct client has no failure, a mistake is found and shrunk to a contract; bad input.
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
python="python3 '$ROOT/Contracts/drivers/python/driver.py'"

# ends NAME CODE ARGS…: `explore` ends with CODE; what it prints is in NAME.out and NAME.err.
ends() {
    local name=$1 expected=$2 code=0
    shift 2
    timeout -k 1 900 "$counterfoil" explore "${folders[@]}" --bank counterfoil "$@" >"$name.out" 2>"$name.err" || code=$?
    [ $code -eq "$expected" ] || { echo "$name: found exit code $code, expected $expected"; cat "$name.out" "$name.err"; exit 1; }
}

ends right 0 --client "'$counterfoil' client --drive" --seed 3 --runs 20 --out right
[ ! -e right ] || { echo "found a folder without a contract, expected none"; exit 1; }
grep -qE '^20 runs in .*; no failure \(counterfoil-model' right.out || { cat right.out; exit 1; }

# A new key for each attempt: found among scenarios of some twenty steps. The contract fails this client, and not one without the mistake.
wrong="'$mutants' new-key-per-attempt"
# What a seed draws changes with the bank's operations, so one seed may find nothing.
for seed in 3 2 4 5 6; do
    code=0
    "$counterfoil" explore "${folders[@]}" --bank counterfoil --client "$wrong" --seed $seed --runs 30 --json wrong.json --out found \
        >wrong.out 2>wrong.err || code=$?
    [ $code = 0 ] || break
done
[ $code = 1 ] || { echo "wrong: found exit code $code, expected 1"; cat wrong.out wrong.err; exit 1; }
python3 - <<'PYTHON'
import json

[failure] = json.load(open("wrong.json"))["failures"]
assert failure["oracle"] == "no-unrequested-payments", failure
assert len(failure["steps"]) <= 6, failure["steps"]
assert 1 <= failure["run"] <= 30, failure
PYTHON
again() { "$counterfoil" test --stubs "$ROOT/Stubs" --contracts found --client "$1" >again.out 2>&1; }
again "'$counterfoil' client --drive" || { echo "the contract fails the model client"; cat again.out; exit 1; }
! again "$wrong" || { echo "the contract passes the client with the mistake"; cat again.out; exit 1; }

ends absent 3 --client "sh -c 'exit 3'" --runs 5
echo file >taken
ends unwritable 2 --client "$python" --out taken/explored --runs 5
ends both 2 --client "$python" --minutes 1 --runs 5
