# The guided tours (docs/tours/*.md) tell the truth: parts/console.sh says how. Each has a folder of its own, with
# the banks and contracts that come along, and ends with the server that it started.
# COUNTERFOIL and MUTANTS name other programs than those of this folder; TOURS other texts.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
mutants=${MUTANTS:-$ROOT/.build/debug/MutantClients}
[ -x "$counterfoil" ] || { echo "found no program $counterfoil, expected it built: swift build --build-tests"; exit 1; }
. "$ROOT/Tests/Shell/parts/console.sh"

mkdir bin
ln -s "$counterfoil" bin/counterfoil
export PATH=$PWD/bin:$PATH COUNTERFOIL_HOME=$PWD/home

failed=0
for tour in "${TOURS:-$ROOT/docs/tours}"/*.md; do
    grep -q '^```console$' "$tour" || { echo "found no console block in $tour, expected some"; failed=1; continue; }
    folder=$(basename "$tour" .md)
    mkdir -p "$folder/.build/debug"
    # Copies: the reader adds files of their own.
    cp -R "$ROOT/Stubs" "$ROOT/Contracts" "$folder/"
    ln -s "$mutants" "$folder/.build/debug/MutantClients"
    (cd "$folder" && console "$tour") || failed=1
done
exit $failed
