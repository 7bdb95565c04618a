# README.md tells the truth: parts/console.sh says how.
# COUNTERFOIL, MUTANTS and README name other programs, and another text, than those of this folder.
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
mutants=${MUTANTS:-$ROOT/.build/debug/MutantClients}
for program in "$counterfoil" "$mutants"; do
    [ -x "$program" ] || { echo "found no program $program, expected it built: swift build --build-tests"; exit 1; }
done
. "$ROOT/Tests/Shell/parts/console.sh"

# The folder a person would be in, and a path with the program on it.
mkdir -p .build/debug bin
ln -s "$ROOT/Stubs" "$ROOT/Contracts" .
ln -s "$mutants" .build/debug/MutantClients
ln -s "$counterfoil" bin/counterfoil
export PATH=$PWD/bin:$PATH COUNTERFOIL_HOME=$PWD/home

# One server for the whole text: TLS is there from the beginning.
SERVE_WITH="--tls --tls-port 0 --ca-out ca.pem"
console "${README:-$ROOT/README.md}"
