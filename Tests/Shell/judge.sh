# The judge at work: the model client passes, and every mutant fails each case that it names.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=$ROOT/.build/debug/counterfoil
mutants=$ROOT/.build/debug/MutantClients
[ -x "$counterfoil" ] && [ -x "$mutants" ] || { echo "found no $counterfoil or no $mutants, expected a debug build"; exit 1; }

# judges EXPECTED ARGUMENTS...: counterfoil test ends with that exit code; what it told is in the file `told`.
judges() {
    local expected=$1 code=0
    shift
    timeout 120 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 "$@" >told 2>&1 || code=$?
    [ $code -eq "$expected" ] || { cat told; echo "counterfoil test $* ended with $code, expected $expected"; exit 1; }
}

judges 0 --client "'$counterfoil' client --drive"

count=0
while IFS=$'\t' read -r name cases; do
    for case in $cases; do
        judges 1 --client "'$mutants' $name" --filter "$case@*"
        grep -q "^FAIL  $case@" told || { cat told; echo "mutant $name: found no failure of $case"; exit 1; }
        count=$((count + 1))
    done
done < <("$mutants" --list | python3 -c 'import json, sys
for line in sys.stdin:
    mutant = json.loads(line)
    print(mutant["name"], " ".join(mutant["killed_by"]), sep="\t")')
[ $count -ge 13 ] || { echo "found $count kills, expected at least one for each of 13 mutants"; exit 1; }
