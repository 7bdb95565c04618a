# A server for a shell test: `. "$ROOT/Tests/Shell/parts/serve.sh"`.
server=
# The command that starts the program, such as setpriv; none unless a test sets one.
started_by=()

# serve ARGUMENTS...: `counterfoil serve` with these, on free ports, instead of the server before it. Its address is in $bank,
# its admin API's in $COUNTERFOIL_ADMIN, its process in $server; its ready line is in the file ready, its messages in served.
serve() {
    stop
    rm -f ready
    "${started_by[@]}" "$counterfoil" serve "$@" --port 0 --admin-port 0 --ready-file ready >/dev/null 2>served &
    server=$!
    await ready $server || { echo "found no ready line after 120 s, expected one: $(cat served)"; exit 1; }
    bank=$(address bank)
    COUNTERFOIL_ADMIN=$(address admin)
    export COUNTERFOIL_ADMIN
}

# address NAME: the address of that name in the ready line.
address() { sed -E "s|.*\"$1\":\"([^\"]*)\".*|\1|" ready; }

# stop: ends the server, if there is one.
stop() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
    server=
}
trap stop EXIT
