# page FILE [SETTING=VALUE…]: runs the console blocks of a page of the documents (parts/console.sh) in a folder of its own, as a
# reader would: with copies of the banks and contracts, to which a reader adds files, and the mutants where a build puts them.
# COUNTERFOIL and MUTANTS name other programs than those of this clone.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
mutants=${MUTANTS:-$ROOT/.build/debug/MutantClients}
for program in "$counterfoil" "$mutants"; do
    [ -x "$program" ] || { echo "found no program $program, expected it built: swift build --build-tests"; exit 1; }
done
. "$ROOT/Tests/Shell/parts/console.sh"
export COUNTERFOIL_HOME=$PWD/home CONSOLE_PROGRAM=$counterfoil

page() {
    local file=$1 folder
    folder=$(basename "$file" .md)
    mkdir -p "$folder/.build/debug" "$folder/.build/release"
    cp -R "$ROOT/Stubs" "$ROOT/Contracts" "$folder/"
    ln -s "$mutants" "$folder/.build/debug/MutantClients"
    ln -s "$counterfoil" "$folder/.build/release/counterfoil"
    # A page whose reader comes from `make serve` alone puts the program on the path itself.
    if ! grep -q '^\$ PATH=' "$file"; then PATH=$PWD/$folder/.build/release:$PATH; fi
    (cd "$folder" && console "$file")
}
