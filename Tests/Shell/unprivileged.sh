# The bank and the admin API answer a server without rights, as it runs for most people and in a container: with no capability of
# root, even if the tests run as root.
. "$ROOT/Tests/Shell/parts/serve.sh"
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || { echo "skipped: found no setpriv (Debian: util-linux), and these tests run as root"; exit 0; }
    started_by=(setpriv --bounding-set=-all --inh-caps=-all)
fi

COUNTERFOIL_HOME=$PWD serve counterfoil --stubs "$ROOT/Stubs" --tls --tls-port 0 --ca-out ca.pem --quiet
# answers ADDRESS [OPTION…]
answers() {
    local status
    status=$(curl -s -o /dev/null -w '%{http_code}' "$@") || true
    [ "$status" = 200 ] || { echo "$1: found status $status, expected 200: $(cat served)"; exit 1; }
}
answers "$bank/v1/atms"
answers "$(address tls)/v1/atms" --cacert ca.pem
answers "$COUNTERFOIL_ADMIN/__admin/health"
