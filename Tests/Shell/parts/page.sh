# page FILE [SETTING=VALUE…]: runs the console blocks of a page of the documents (parts/console.sh) in a folder of its own, as a
# reader would: with copies of the banks and contracts, to which a reader adds files, and the mutants where a build puts them.
. "$ROOT/Tests/Shell/parts/console.sh"
export COUNTERFOIL_HOME=$PWD/home CONSOLE_PROGRAM=$counterfoil

page() {
    local file=$1 folder
    folder=$(basename "$file" .md)
    mkdir -p "$folder/.build/release"
    cp -R "$ROOT/Stubs" "$ROOT/Contracts" "$folder/"
    ln -s "$mutants" "$folder/.build/release/MutantClients"
    ln -s "$counterfoil" "$folder/.build/release/counterfoil"
    # A page whose reader comes from `make serve` alone puts the program on the path itself.
    if ! grep -q '^\$ PATH=' "$file"; then PATH=$PWD/$folder/.build/release:$PATH; fi
    (cd "$folder" && console "$file")
}
