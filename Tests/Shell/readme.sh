# README.md tells the truth: the commands of its ```console blocks are run, in their order and in one shell, against a
# server started here. Each must end with 0 and print what is shown, where … stands for anything and what differs from
# run to run (tokens, ids, instants, durations) counts as equal.
# COUNTERFOIL, MUTANTS and README name other programs, and another text, than those of this folder.
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
mutants=${MUTANTS:-$ROOT/.build/debug/MutantClients}
readme=${README:-$ROOT/README.md}
for program in "$counterfoil" "$mutants"; do
    [ -x "$program" ] || { echo "found no program $program, expected it built: swift build --build-tests"; exit 1; }
done

# The folder a person would be in, and a path with the program on it.
mkdir -p .build/debug bin
ln -s "$ROOT/Stubs" "$ROOT/Contracts" .
ln -s "$mutants" .build/debug/MutantClients
ln -s "$counterfoil" bin/counterfoil
export PATH=$PWD/bin:$PATH

export COUNTERFOIL_HOME=$PWD/home
counterfoil serve --port 0 --admin-port 0 --tls --tls-port 0 --ca-out ca.pem --ready-file ready >/dev/null 2>served &
server=$!
trap 'kill $server 2>/dev/null && wait $server || true' EXIT
for ((tries = 0; tries < 300; tries++)); do
    [ ! -s ready ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
[ -s ready ] || { echo "found no ready line after 30 s, expected one: $(cat served)"; exit 1; }

address() { sed -E "s|.*\"$1\":\"https?://([^\"]*)\".*|\1|" ready; }
bank=$(address bank) admin=$(address admin) tls=$(address tls)
export COUNTERFOIL_ADMIN=http://$admin
# What `make serve` alone does not say.
sed -i '/^and at https:/d' served

# same: standard input without what differs from run to run.
same() {
    tr -d '\r' | sed -E \
        -e "s/$bank/127.0.0.1:8080/g; s/$admin/127.0.0.1:8081/g; s/$tls/127.0.0.1:8443/g" \
        -e 's/cf_([a-z]+)_0_[a-z0-9]+/cf_\1_TOKEN/g' \
        -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/INSTANT/g' \
        -e 's/ +[0-9]+\.[0-9] ms/ MS/; s/[0-9]+\.[0-9] s\)/SECONDS)/; s/seed: [0-9]+/seed: SEED/'
}

# Takes the blocks apart into N.line (where), N.command and N.shown.
awk '
    /^```console$/ { inside = 1; next }
    /^```/ { inside = 0; next }
    !inside { next }
    /^\$ / { n++; print NR >(n ".line"); print substr($0, 3) >(n ".command"); printf "" >(n ".shown"); next }
    { print >(n ".shown") }
' "$readme"
[ -e 1.command ] || { echo "found no console block in $readme, expected some"; exit 1; }

# One shell runs all, so that what one command sets the next may use; an ending with another status than 0 is told.
for ((n = 1; ; n++)); do
    [ -e $n.command ] || break
    command=$(sed "s/127\.0\.0\.1:8080/$bank/g; s/127\.0\.0\.1:8081/$admin/g; s/127\.0\.0\.1:8443/$tls/g" $n.command)
    if [ "$command" = 'make serve' ]; then
        echo "sed 1d served >$n.found"   # the server runs already, and begins with an empty line
    else
        printf '{ %s\n} >%s.found 2>&1\n' "$command" $n
    fi
    echo "echo \$? >$n.status"
done >commands
timeout --kill-after 5 400 bash commands </dev/null || { echo "the commands took more than 400 s or ended early"; exit 1; }

failed=0
for ((n = 1; ; n++)); do
    [ -e $n.command ] || break
    place="README.md:$(cat $n.line): $(cat $n.command)"
    if [ "$(cat $n.status 2>/dev/null)" != 0 ]; then
        failed=1
        printf '%s\n  found status %s, expected 0: %s\n' "$place" "$(cat $n.status 2>/dev/null)" "$(cat $n.found)"
    fi
    found=$(same <$n.found)
    shown=$(same <$n.shown | sed 's/[][\\*?]/\\&/g; s/…/*/g')
    # shellcheck disable=SC2053 # it is a pattern
    if [[ $found != $shown ]]; then
        failed=1
        printf '%s\n--- found\n%s\n--- expected\n%s\n' "$place" "$found" "$(same <$n.shown)"
    fi
done
exit $failed
