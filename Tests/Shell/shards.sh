# A run divided among three machines and merged is the whole run, but for times; reports of other runs are rejected.
export COUNTERFOIL_HOME=$PWD/home
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
test=("$counterfoil" test "${folders[@]}" --filter 'errors.40*' --filter 'auth.scope*' --jobs 4)
good=(--client "'$counterfoil' client --drive")
bad=(--client "'$mutants' clears-on-scope-refusal")

# Every instance is in one shard; the list needs no client.
: >all
for shard in 1 2 3; do
    run 0 "${test[@]}" --list --shard $shard/3
    [ -s out ] || { echo "found no instance in shard $shard/3"; exit 1; }
    cat out >>all
done

# As CI does it: each job ends by itself, with the code of what it ran.
run 1 "${test[@]}" "${bad[@]}" --seed 7 --json whole.json
for shard in 1 2 3; do
    "${test[@]}" "${bad[@]}" --seed 7 --shard $shard/3 --json "bad-$shard.json" >/dev/null 2>&1 || [ -s "bad-$shard.json" ]
done
run 1 "$counterfoil" report --merge bad-3.json bad-1.json bad-2.json --json merged.json --junit merged.xml --html merged.html
grep -q '^FAIL  auth.scope-refusal-keeps-token@' out || { cat out; exit 1; }
grep -q '<testsuites' merged.xml
grep -q '<html' merged.html
python3 - <<'PY'
import json, re

def same(value):
    """The value without what differs between any two runs: durations, instants, ports, random ids, and receipts that came late."""
    if isinstance(value, dict):
        rest = {key: same(inner) for key, inner in value.items() if key not in ("duration_ms", "started_at")}
        # Lines of one instant have no order.
        return rest | {"timeline": sorted(rest["timeline"])} if "timeline" in rest else rest
    if isinstance(value, list):
        return [same(inner) for inner in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"^ *-?[0-9]+\.[0-9] ms  ", "", value)
    value = re.sub(r", [a-z-]+, [0-9]+ B head \+ [0-9]+ B body", "", value)
    value = re.sub(r"127\.0\.0\.1:[0-9]+", "ADDRESS", value)
    value = re.sub(r"^([Dd]ate): .*", r"\1: DATE", value)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", value)

whole, merged = same(json.load(open("whole.json"))), same(json.load(open("merged.json")))
names = [result["name"] for result in whole["results"]]
assert [result["name"] for result in merged["results"]] == names
assert sorted(name for name in names if not name.startswith("invariant.")) == sorted(open("all").read().split()), names
for one, other in zip(whole["results"], merged["results"]):
    assert one == other, (one, other)
assert whole == merged, (whole.keys(), merged.keys())
assert merged["counts"]["fail"] > 0 and merged["counts"]["pass"] > 0, merged["counts"]
PY

# Reports that do not belong together are named, and nothing is written.
rm -f merged.*
run 2 "$counterfoil" report --merge bad-1.json bad-3.json --json merged.json --html merged.html
shows err '--merge: found no report of the shard 2/3, expected one of each of the 3 shards that bad-1.json names'
cp bad-2.json copy.json
run 2 "$counterfoil" report --merge bad-*.json copy.json --json merged.json
shows err 'copy.json: found shard 2/3 again, expected it once: bad-2.json has it'
run 0 "${test[@]}" "${good[@]}" --seed 8 --shard 2/3 --json other.json
run 2 "$counterfoil" report --merge bad-1.json other.json bad-3.json --json merged.json
shows err 'other.json: found the seed 8, expected 7 as in bad-1.json'
shows err 'other.json: found the client counterfoil-model'
cp -R "$ROOT/Contracts" contracts
echo '# changed' >>contracts/errors.yaml
run 0 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts contracts --filter 'errors.40*' "${good[@]}" --seed 7 --shard 2/3 --json edited.json
run 2 "$counterfoil" report --merge bad-1.json edited.json bad-3.json --json merged.json
shows err 'edited.json: found contracts with the digest'
shows err 'give each shard the same --filter'
run 2 "$counterfoil" report --merge bad-1.json whole.json bad-3.json --json merged.json
shows err "whole.json: found a report that is not of a shard, expected one of \`counterfoil test --shard\`"
echo '{}' >foreign.json
echo 'no JSON' >text.json
run 2 "$counterfoil" report --merge bad-1.json foreign.json text.json gone.json --json merged.json
shows err 'foreign.json: '
shows err 'text.json: found no JSON'
shows err 'gone.json: found no file, expected a report'
[ ! -e merged.json ] && [ ! -e merged.html ] || { echo "found a report of what cannot be merged"; exit 1; }

# The demands are judged once, over the whole; known failures are held against the contracts that were run.
run 2 "${test[@]}" "${good[@]}" --seed 7 --shard 1/3 --require auth
shows err 'found --require with --shard, expected it with'
for shard in 1 2 3; do
    run 0 "${test[@]}" "${good[@]}" --seed 7 --shard $shard/3 --durations whole.json --json "good-$shard.json"
done
run 0 "$counterfoil" report --merge good-*.json --require auth,errors --max-unsupported 0
grep -qE '^[0-9]+ passed of [0-9]+ \(counterfoil-model' out || { cat out; exit 1; }
run 1 "$counterfoil" report --merge good-*.json --require pay
grep -q 'the required suite `pay` was not exercised' out || { cat out; exit 1; }
echo 'auth.scope-refusal-keeps-token@*  # being fixed, until 2999-01-01' >known
run 0 "$counterfoil" report --merge bad-*.json --known-failing known "${folders[@]}"
run 5 "$counterfoil" report --merge good-*.json --known-failing known "${folders[@]}"
run 2 "$counterfoil" report --merge good-*.json --known-failing known --stubs "$ROOT/Stubs" --contracts contracts
shows err 'contracts: found contracts with the digest'
