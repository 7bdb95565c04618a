# The bank and the admin API answer a server without rights, as it runs for most people and in a container: with no capability of
# root, even if the tests run as root.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
[ -x "$counterfoil" ] || { echo "found no program $counterfoil, expected it built: swift build --build-tests"; exit 1; }
without_rights=()
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || { echo "skipped: found no setpriv (Debian: util-linux), and these tests run as root"; exit 0; }
    without_rights=(setpriv --bounding-set=-all --inh-caps=-all)
fi

COUNTERFOIL_HOME=$PWD "${without_rights[@]}" "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0 \
    --tls --tls-port 0 --ca-out ca.pem --ready-file ready --quiet >/dev/null 2>served &
server=$!
trap 'kill $server 2>/dev/null && wait $server || true' EXIT
for ((tries = 0; tries < 300; tries++)); do
    [ ! -s ready ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
[ -s ready ] || { echo "found no ready line after 30 s, expected one: $(cat served)"; exit 1; }
address() { sed -E "s|.*\"$1\":\"(https?://[^\"]*)\".*|\1|" ready; }
# answers ADDRESS [OPTION…]
answers() {
    local status
    status=$(curl -s -o /dev/null -w '%{http_code}' "$@") || true
    [ "$status" = 200 ] || { echo "$1: found status $status, expected 200: $(cat served)"; exit 1; }
}
answers "$(address bank)/v1/atms"
answers "$(address tls)/v1/atms" --cacert ca.pem
answers "$(address admin)/__admin/health"
