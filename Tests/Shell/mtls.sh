# Tokens that are bound to a client's TLS certificate (RFC 8705): curl and openssl show certificates that they have signed themselves, with
# TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, and on a session that is resumed.
. "$ROOT/Tests/Shell/parts/serve.sh"
command -v openssl >/dev/null || { echo "skipped: found no openssl"; exit 0; }

cp -r "$ROOT/Stubs" Stubs
sed -i 's/^  dpop: {use: accepted}.*/&\n  mtls: accepted/' Stubs/counterfoil/bank.yaml
for name in first second; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem 2>log ||
        fail "openssl req: $(cat log)"
done
COUNTERFOIL_HOME=$PWD serve counterfoil --stubs Stubs --tls --tls-port 0 --ca-out ca.pem --quiet
tls=$(address tls)
form='grant_type=password&username=ava&password=correct-horse'

# token ARGUMENTS…: the access token of a sign-in.
token() { curl -s --cacert ca.pem "$@" -d "$form" "$tls/oauth/token" | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'; }
# read_accounts EXPECTED-STATUS TOKEN ADDRESS ARGUMENTS…
read_accounts() {
    local expected=$1 access=$2 at=$3 status
    shift 3
    status=$(curl -s -o body -D head -w '%{http_code}' -H "Authorization: Bearer $access" "$@" "$at/v1/accounts") || true
    [ "$status" = "$expected" ] || fail "$at with «$*»: found status $status, expected $expected: $(cat head body)"
    [ "$expected" != 401 ] || grep -qi '^www-authenticate: Bearer error="invalid_token"' head || fail "found no invalid_token: $(cat head)"
}
own=(--cacert ca.pem --cert first.pem --key first.key)
other=(--cacert ca.pem --cert second.pem --key second.key)
bound=$(token "${own[@]}")
[ -n "$bound" ] || fail "found no token for a client with a certificate"
for version in "--http1.1" "--http2" "--http1.1 --tls-max 1.2" "--http2 --tls-max 1.2"; do
    # shellcheck disable=SC2086
    read_accounts 200 "$bound" "$tls" "${own[@]}" $version
    # shellcheck disable=SC2086
    read_accounts 401 "$bound" "$tls" "${other[@]}" $version
done
read_accounts 401 "$bound" "$tls" --cacert ca.pem
read_accounts 401 "$bound" "$bank"
# Who shows no certificate gets a token as ever.
plain=$(token)
read_accounts 200 "$plain" "$tls" --cacert ca.pem
read_accounts 200 "$plain" "$tls" "${other[@]}"
read_accounts 200 "$plain" "$bank"

# accounts_by_openssl NAME ARGUMENTS…: the status line that openssl gets with a certificate.
accounts_by_openssl() {
    local name=$1
    shift
    printf 'GET /v1/accounts HTTP/1.1\r\nHost: bank\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' "$bound" |
        connected_by_openssl "$name" -quiet -ign_eof "$@" | head -n 1 | tr -d '\r'
}
# connected_by_openssl NAME ARGUMENTS…: a connection of openssl with a certificate.
connected_by_openssl() {
    timeout 120 openssl s_client -CAfile ca.pem -verify_return_error -connect "${tls#https://}" -cert "$1.pem" -key "$1.key" "${@:2}" 2>log
}
for expected in "first 200" "second 401"; do
    found=$(accounts_by_openssl "${expected% *}" -tls1_3 -sess_out session)
    [[ $found = "HTTP/1.1 ${expected#* } "* ]] || fail "openssl, ${expected% *}: found «$found», expected ${expected#* }: $(cat log)"
    found=$(accounts_by_openssl "${expected% *}" -tls1_3 -sess_in session)
    connected_by_openssl "${expected% *}" -tls1_3 -sess_in session </dev/null >resumed || true
    grep -aq '^Reused, TLSv1.3' resumed || fail "openssl, ${expected% *}: the session was not resumed: $(cat resumed)"
    [[ $found = "HTTP/1.1 ${expected#* } "* ]] || fail "openssl, ${expected% *}, resumed: found «$found», expected ${expected#* }: $(cat log)"
done
