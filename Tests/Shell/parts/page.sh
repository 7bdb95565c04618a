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
mkdir -p bin
ln -s "$counterfoil" bin/counterfoil
export PATH=$PWD/bin:$PATH COUNTERFOIL_HOME=$PWD/home

page() {
    local file=$1 folder
    folder=$(basename "$file" .md)
    mkdir -p "$folder/.build/debug"
    cp -R "$ROOT/Stubs" "$ROOT/Contracts" "$folder/"
    ln -s "$mutants" "$folder/.build/debug/MutantClients"
    (cd "$folder" && console "$file")
}
