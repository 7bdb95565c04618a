# What Counterfoil.docc/Devices.md shows is so: parts/console.sh says how.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=${COUNTERFOIL:-$ROOT/.build/debug/counterfoil}
[ -x "$counterfoil" ] || { echo "found no program $counterfoil, expected it built: swift build --build-tests"; exit 1; }
. "$ROOT/Tests/Shell/parts/console.sh"
mkdir bin
ln -s "$counterfoil" bin/counterfoil
ln -s "$ROOT/Stubs" .
export PATH=$PWD/bin:$PATH COUNTERFOIL_HOME=$PWD/home
console "$ROOT/Sources/CounterfoilCLI/Counterfoil.docc/Devices.md"

rm ready   # of the server that is gone

# What its table promises of the certificate: the emulator's name for this machine, and the address given as --host.
counterfoil serve feed --host 127.0.0.2 --admin-token SECRET --port 0 --admin-port 0 --tls --tls-port 0 --ca-out ca.pem \
    --ready-file ready >/dev/null 2>served &
server=$!
trap 'kill $server 2>/dev/null && wait $server || true' EXIT
for ((tries = 0; tries < 300; tries++)); do
    [ ! -s ready ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
[ -s ready ] || { echo "found no ready line after 30 s, expected one: $(cat served)"; exit 1; }
port=$(sed -E 's|.*"tls":"https://127.0.0.2:([0-9]+)".*|\1|' ready)
for name in 127.0.0.2 10.0.2.2 127.0.0.1 localhost; do
    curl -s -o /dev/null --cacert ca.pem --connect-to "::127.0.0.2:$port" "https://$name:8443/v2/transactions" ||
        { echo "the certificate does not name $name"; exit 1; }
done

# And of absolute addresses: they name what the server was started with.
token=$(sed -nE 's/.*Bearer (cf_[a-z0-9_]+).*/\1/p' served)
bank=$(sed -E 's|.*"bank":"([^"]*)".*|\1|' ready)
curl -s -H "Authorization: Bearer $token" "$bank/v2/transactions" | grep -qF "\"$bank/icons/" || { echo "found no icons at $bank"; exit 1; }
