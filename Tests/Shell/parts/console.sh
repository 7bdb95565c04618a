# console FILE: checks that FILE is correct. The commands of its ```console blocks are run, in their order and in one shell. Each
# must end with 0 and print what is shown, where … stands for anything and what differs from run to run (tokens, ids,
# instants, durations) counts as equal. A command's further lines begin with "> ".
#
# A block of ```yaml, ```json, ```sh or ```python whose first line is "# PATH" is a file that the reader saves, and is saved.
# `make serve` and `counterfoil serve …`, alone in a line, stand for a shell of their own: the server is started in the
# background on free ports, with SERVE_WITH as well, and its ready line is what is shown; the next one ends it.
# In commands and in what they print, its ports are 8080, 8081 and 8443.
# Sourced by tests that stand in a folder of their own, with the program `counterfoil` on the path, or else in CONSOLE_PROGRAM.

# same: standard input without what differs from run to run.
same() {
    sed -E \
        -e 's/127\.0\.0\.1:[0-9]{5}/127.0.0.1:PORT/g' \
        -e 's/cf_([a-z]+)_0_[a-z0-9]+/cf_\1_TOKEN/g' \
        -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/INSTANT/g' \
        -e 's/ +[0-9]+\.[0-9] ms/ MS/; s/[0-9]+\.[0-9] s\)/SECONDS)/; s/seed: [0-9]+/seed: SEED/'
}

# blocks FILE: takes the blocks apart into N.line (where), N.command and N.shown.
blocks() {
    awk '
        function begin() { n++; print NR >(n ".line"); printf "" >(n ".shown") }
        /^```console$/ { inside = 1; next }
        /^```(yaml|json|sh|python)$/ { first = 1; next }
        /^```/ { if (saving) print "END_OF_FILE" >(n ".command"); inside = first = saving = 0; next }
        first { first = 0; if (/^# [A-Za-z0-9_.\/-]+$/) { begin(); saving = 1
            printf "mkdir -p \"$(dirname %s)\" && cat >%s <<\"END_OF_FILE\"\n", $2, $2 >(n ".command") } }
        saving { print >(n ".command"); next }
        !inside { next }
        /^\$ / { begin(); print substr($0, 3) >(n ".command"); next }
        /^> / { print substr($0, 3) >(n ".command"); next }
        { print >(n ".shown") }
    ' "$1"
    [ -e 1.command ] || { echo "found no console block in $1, expected some"; exit 1; }
}

# prelude: what the shell of the commands begins with. The commands may have a `server` of their own.
prelude() {
    cat <<'END_OF_PRELUDE'
: >to-ports && : >from-ports
console_server=''
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null' EXIT

serve() {
    [ -z "$console_server" ] || { kill $console_server && wait $console_server; } 2>/dev/null
    rm -f ready
    [[ " $* " != *" --tls "* ]] || set -- "$@" --tls-port 0
    "${CONSOLE_PROGRAM:-counterfoil}" serve "$@" --port 0 --admin-port 0 --ready-file ready >/dev/null 2>served &
    console_server=$!
    for ((tries = 0; tries < 1200; tries++)); do
        [ ! -s ready ] || break
        kill -0 $console_server 2>/dev/null || break
        sleep 0.1
    done
    [ -s ready ] || { echo "found no ready line after 120 s, expected one: $(cat served)"; return 1; }
    : >to-ports && : >from-ports
    local name port known
    for known in bank:8080 admin:8081 tls:8443; do
        name=${known%:*} port=${known#*:}
        grep -q "\"$name\"" ready || continue
        local given=$(sed -E "s|.*\"$name\":\"https?://([^\"/]*).*|\1|" ready)
        echo "s/${given%:*}:$port/$given/g" >>to-ports
        echo "s/$given/${given%:*}:$port/g" >>from-ports
    done
    export COUNTERFOIL_ADMIN=http://$(sed -E 's|.*"admin":"http://([^"/]*).*|\1|' ready)
    # The server begins with an empty line; what SERVE_WITH adds is not shown.
    if [ -n "$SERVE_WITH" ]; then sed -e 1d -e '/^and at https:/d' served; else sed 1d served; fi
}

step() {
    sed -f to-ports "$1.command" >"$1.run"
    . "./$1.run" >"$1.printed" 2>&1
    echo $? >"$1.status"
    tr -d '\r' <"$1.printed" | sed -f from-ports >"$1.found"
}
END_OF_PRELUDE
}

# console FILE
console() {
    local file=$1 failed=0 n command place found shown
    rm -f [0-9]*.*
    blocks "$file"
    for ((n = 1; ; n++)); do
        [ -e $n.command ] || break
        command=$(cat $n.command)
        if [[ $command =~ ^(make|counterfoil)\ serve([^\&\;]*)$ ]]; then
            echo "serve ${BASH_REMATCH[2]} ${SERVE_WITH:-}" >$n.command
        fi
        echo "step $n"
    done >steps
    SERVE_WITH=${SERVE_WITH:-} timeout --kill-after 5 1200 bash <(prelude; cat steps) </dev/null ||
        { echo "the commands of $file took more than 1200 s or ended early"; return 1; }

    for ((n = 1; ; n++)); do
        [ -e $n.command ] || break
        place="$(basename "$file"):$(cat $n.line): $(head -n 1 $n.command)"
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
    return $failed
}
