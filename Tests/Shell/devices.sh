# The consoles in docs/devices.md are true: parts/console.sh runs them.
. "$ROOT/Tests/Shell/parts/serve.sh"
. "$ROOT/Tests/Shell/parts/console.sh"
mkdir bin
ln -s "$counterfoil" bin/counterfoil
ln -s "$ROOT/Stubs" .
export PATH=$PWD/bin:$PATH COUNTERFOIL_HOME=$PWD/home
console "$ROOT/docs/devices.md"

# The certificate has the names of the page's table: the emulator's name for this machine, and the address given as --host.
serve feed --host 127.0.0.2 --admin-token SECRET --tls --tls-port 0 --ca-out ca.pem
port=$(sed -E 's|.*"tls":"https://127.0.0.2:([0-9]+)".*|\1|' ready)
for name in 127.0.0.2 10.0.2.2 127.0.0.1 localhost; do
    curl -s -o /dev/null --cacert ca.pem --connect-to "::127.0.0.2:$port" "https://$name:8443/v2/transactions" ||
        { echo "the certificate does not name $name"; exit 1; }
done

# And of absolute addresses: they name what the server was started with.
token=$(sed -nE 's/.*Bearer (cf_[a-z0-9_]+).*/\1/p' served)
curl -s -H "Authorization: Bearer $token" "$bank/v2/transactions" | grep -qF "\"$bank/icons/" || { echo "found no icons at $bank"; exit 1; }
