#!/bin/sh
# A driver of POSIX shell and curl, for the bank `counterfoil`, in one-shot mode: the harness runs it once for each step.
#
#   counterfoil test --one-shot --client "sh /…/Contracts/drivers/shell/driver.sh" --bank counterfoil \
#       --operations login,logout,status,accounts,balance,pay,payment_status --features persistence
#
# It reads its input from the environment (COUNTERFOIL_OP, COUNTERFOIL_URL, …) and answers on stdout: the view and exit 0, the name of
# an error and exit 1, `unsupported` and exit 127. It never tries a request twice by itself: asking again is the user's part,
# and the same payment order then goes out under the same key.
set -u
export LC_ALL=C # numbers have a point and texts are bytes, whatever the user's language is
umask 077 # tokens and keys are for their owner only, from the moment the file is made
here=$(dirname "$0")
state=$COUNTERFOIL_STATE_DIR/$COUNTERFOIL_BANK # what one bank gave, no other gets
mkdir -p "$state"
cd "$state" || exit 2
token_file=$state/token # the token
owner_file=$state/owner # and whose it is; stays when the bank rejects the token, goes when the customer signs out
rm -f body response        # of a run that was killed

fail() { # NAME [DETAIL]: the step failed
    printf '%s\n%s\n' "$1" "${2:-}"
    exit 1
}

# A file that is there and cannot be read now, on a locked device, is not a missing one: nobody is signed out for it.
readable() { # FILE…
    for kept in "$@"; do
        [ ! -e "$kept" ] || cat "$kept" >/dev/null 2>&1 || fail unavailable "the store cannot be read now"
    done
}

pick() { # PATH FILE: the value at that path as JSON, nothing if there is none
    awk -F '\t' -v path="$1" '$1 == path { print substr($0, length(path) + 2) }' "$2"
}
bare() { printf %s "$1" | sed 's/^"//; s/"$//'; } # a text without its quotes

flatten() { LC_ALL=C awk -f "$here/flatten.awk"; }
key_of_chance() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
write() { cat >"$1.new" && sync "$1.new" && mv "$1.new" "$1"; } # the whole file or the old one, whenever we are killed

# A request is put together in `options`, in the form of curl's config, and handed over on a pipe: passwords, tokens and keys are
# neither on a command line nor in a file.
options=''
option() { # NAME VALUE
    options="$options$1 = \"$(printf %s "$2" | sed 's/[\\"]/\\&/g')\"
"
}

# request METHOD PATH: sends what `option` has put together. Sets `status`; `sent` is no if not a byte left; the response's values are
# in ./response, which is empty if it was no JSON. Sets `failure` if there is no whole answer.
request() {
    failure='' status=000 sent=yes
    option request "$1"
    option url "$COUNTERFOIL_URL$2"
    [ -z "${COUNTERFOIL_CA_FILE:-}" ] || option cacert "$COUNTERFOIL_CA_FILE"
    [ -z "${COUNTERFOIL_PINS:-}" ] || option pinnedpubkey "$(printf 'sha256//%s;' $COUNTERFOIL_PINS | sed 's/;$//')"
    answer=$(printf %s "$options" | curl -q --config - --header 'Expect:' --http1.1 --tlsv1.2 --silent --noproxy '*' --max-filesize 8388608 \
        --connect-timeout "$(seconds "${COUNTERFOIL_CONNECT_MS:-5000}")" --max-time "$(seconds "${COUNTERFOIL_TOTAL_MS:-10000}")" \
        --output body --write-out '%{http_code} %{time_pretransfer} %{content_type}')
    code=$?
    options=''
    status=${answer%% *}
    case $answer in *' 0.000000 '*) sent=no ;; esac
    case $code in
    0) ;;
    28) failure=timeout ;;
    35 | 51 | 58 | 60 | 77 | 83 | 90 | 91) failure=tls ;;
    63) failure=too_large ;;
    6 | 7 | 52 | 55 | 56) failure=offline ;;
    *) failure=decode ;;
    esac
    : >response
    case $answer in *[jJ][sS][oO][nN]*) [ ! -f body ] || ! is_text || flatten <body >response || : >response ;; esac
    rm -f body
}
# Whether the body is UTF-8 (what is none has no UTF-16 either) and without control characters that no JSON may have.
is_text() {
    iconv -f UTF-8 -t UTF-16 <body >/dev/null 2>&1 && LC_ALL=C tr -d '\000-\010\013\014\016-\037' <body | cmp -s - body
}
seconds() { awk -v ms="$1" 'BEGIN { printf "%.3f", ms / 1000 }'; }

# The meaning of the status. A token that the bank no longer accepts is deleted, and the user is asked once to sign in again.
told_by_status() {
    problem=$(bare "$(pick type response)")
    detail=$(bare "$(pick detail response)")
    [ -n "$detail" ] || detail=$(bare "$(pick error_description response)")
    [ -z "$failure" ] || return 0
    case $status:${problem##*:} in
    200:* | 201:*) [ -s response ] || failure=decode ;;
    401:* | 403:token-rejected | 403:token-expired) failure=unauthorized ;;
    403:consent-expired) failure=consent_expired ;;
    403:*) failure=forbidden ;;
    404:* | 410:*) failure=not_found ;;
    409:*) failure=conflict ;;
    429:*) failure=rate_limited ;;
    4??:*) failure=rejected ;;
    5??:*) failure=unavailable ;;
    *) failure=decode ;;
    esac
    if [ "$failure" = unauthorized ] && [ -f "$token_file" ]; then
        rm -f "$token_file"
        echo prompt >>prompts
    fi
}

with_token() { # METHOD PATH
    [ -s "$token_file" ] || fail unauthorized "not signed in"
    option header 'Accept: application/json'
    option header "Authorization: Bearer $(cat "$token_file")"
    request "$1" "$2"
    told_by_status
}
read_from() { # PATH
    with_token GET "$1"
    [ -z "$failure" ] || fail "$failure" "status $status: $detail"
}

encoded() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; } # for a form or a path
form() { # NAME VALUE…: as a form's body
    separator=''
    while [ $# -gt 0 ]; do
        printf '%s%s=' "$separator" "$1"
        encoded "$2"
        separator='&'
        shift 2
    done
}

# The stored result of an order; fails if there is none. A damaged one counts as none: for its key the bank repeats the result.
confirmed() { grep -sx '{"payment":".*","state":"[a-z-]*"}' "$order.done"; }

hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

trap 'rm -f body response' EXIT # they may hold a token, or names
args=$(printf %s "${COUNTERFOIL_ARGS:-}" | flatten) || exit 2
arg() { printf '%s\n' "$args" | pick "$1" -; }
given() { value=$(bare "$(arg "$1")"); printf %s "${value:-$2}"; }

readable "$token_file" "$owner_file"
case $COUNTERFOIL_OP in
login)
    user=$(given user "$COUNTERFOIL_USER")
    # A sign-in that fails leaves nobody signed in.
    rm -f "$token_file"
    [ "$(cat "$owner_file" 2>/dev/null)" = "$(hex "$user")" ] || rm -f "$owner_file"
    option header 'Accept: application/json'
    option header 'Content-Type: application/x-www-form-urlencoded'
    option data-binary "$(form grant_type password username "$user" password "$(given password "$COUNTERFOIL_PASSWORD")")"
    request POST /oauth/token
    told_by_status
    case $failure:${problem##*:} in
    rejected:*)
        [ "$(bare "$(pick error response)")" != invalid_grant ] || failure=unauthorized
        ;;
    esac
    [ -z "$failure" ] || fail "$failure" "status $status: $detail"
    token=$(bare "$(pick access_token response)")
    rm -f response
    [ -n "$token" ] || fail decode "no token"
    hex "$user" | write "$owner_file"
    printf %s "$token" | write "$token_file"
    echo '{"signed_in":true}'
    ;;
logout)
    token=$(cat "$token_file" 2>/dev/null)
    rm -f "$token_file" "$owner_file" # whatever the bank answers; open payments stay, for their customer only
    if [ -n "$token" ]; then
        option header 'Content-Type: application/x-www-form-urlencoded'
        option data-binary "$(form token "$token")"
        request POST /oauth/revoke
    fi
    echo '{"signed_in":false}'
    ;;
status)
    prompts=$(cat prompts 2>/dev/null | wc -l | tr -d ' ')
    [ -s "$token_file" ] && signed_in=true || signed_in=false
    printf '{"signed_in":%s,"prompts":%s}\n' "$signed_in" "$prompts"
    ;;
accounts)
    read_from /v1/accounts
    awk -F '\t' '
        $1 == "accounts" && $2 == "[" { list = 1 }
        $1 ~ /^accounts\.[0-9]+$/ { rows++ }
        $1 ~ /^accounts\.[0-9]+\./ && $2 ~ /^"/ {
            split($1, part, "."); place = part[2] + 0
            name = substr($1, length("accounts." part[2] ".") + 1)
            found[place, name] = $2
        }
        END {
            for (place = 0; place < rows; place++) {
                if (found[place, "id"] == "" || found[place, "name"] == "" || found[place, "currency"] == "") continue
                row = "{\"id\":" found[place, "id"] ",\"name\":" found[place, "name"] ",\"currency\":" found[place, "currency"]
                if (found[place, "balance.amount"] != "") row = row ",\"balance\":" found[place, "balance.amount"]
                shown = shown (shown == "" ? "" : ",") row "}"
            }
            if (!list || (rows && shown == "")) exit 1
            printf "{\"accounts\":[%s]}\n", shown
        }' response || fail decode "no account in the response can be read"
    ;;
balance)
    read_from "/v1/accounts/$(encoded "$(given account ava-gbp)")"
    balance=$(pick balance.amount response) currency=$(pick balance.currency response) available=$(pick available.amount response)
    case $balance,$currency,${available:-'""'} in
    '"'*'","'*'","'*'"' | '"'*'","'*'",""') ;;
    *) fail decode "no balance in the response" ;;
    esac
    printf '{"balance":%s,"currency":%s%s}\n' "$balance" "$currency" "${available:+,\"available\":$available}"
    ;;
pay)
    [ -s "$owner_file" ] || fail unauthorized "not signed in"
    orders=orders-of-$(cat "$owner_file") # an intent alone is not unique: two customers may use the same
    mkdir -p "$orders"
    order=$orders/$(hex "$(arg intent)")
    body=$(printf '{"from":%s,"to":%s,"amount":{"amount":%s,"currency":%s}}' "$(arg from)" "$(arg to)" "$(arg amount)" "$(arg currency)")
    readable "$order" "$order.done"
    ! confirmed || exit 0
    if [ -f "$order" ] && ! { sed 1q "$order" | grep -qx '[0-9a-f]\{32\}' && [ "$(sed 1d "$order")" = "$body" ]; }; then
        [ -f "$order.rejected" ] || [ ! -f "$order.sent" ] ||
            fail outcome_unknown "this payment order is open with another amount, or its file is damaged"
        rm -f "$order" "$order.sent" "$order.rejected" # rejected for good or never carried out, and now corrected: another payment
    fi
    [ ! -f "$order.rejected" ] || fail rejected "the bank has rejected this payment"
    [ -s "$token_file" ] || fail unauthorized "not signed in"
    # Before the first byte is sent, or not at all.
    [ -f "$order" ] || printf '%s\n%s' "$(key_of_chance)" "$body" | write "$order" 2>/dev/null || fail unavailable "the store is full"
    option data-binary "$(sed 1d "$order")"
    option header 'Content-Type: application/json'
    option header "Idempotency-Key: \"$(sed 1q "$order")\""
    before=no
    [ ! -f "$order.sent" ] || before=yes
    : >"$order.sent" # from here on it may have been paid
    with_token POST /v1/payments
    if [ -z "$failure" ]; then
        case $(pick state response) in
        '"accepted"' | '"pending-authorisation"' | '"settled"')
            paid=$(printf '{"payment":%s,"state":%s}' "$(pick id response)" "$(pick state response)")
            printf '%s\n' "$paid" | write "$order.done" # the key stays: if this cannot be stored, the bank repeats it
            printf '%s\n' "$paid"
            exit 0
            ;;
        '"rejected"') failure=rejected problem=rejected ;;
        *) failure=decode ;;
        esac
    fi
    [ "$failure" != conflict ] || [ "${problem##*:}" = key-in-flight ] || [ -z "$problem" ] || failure=rejected
    case $failure in
    rejected | not_found) # a final rejection, unless an earlier attempt may have paid and this one does not show it
        if [ $before = no ] || { [ -n "$problem" ] && [ "${problem##*:}" != key-mismatch ]; }; then
            : >"$order.rejected"
            fail rejected "status $status: $detail"
        fi
        ;;
    unauthorized | forbidden | consent_expired | rate_limited) sent=no ;; # the bank looked no further
    esac
    if [ "$before" = no ] && [ "$sent" = no ]; then
        rm -f "$order.sent"
        fail "$failure" "status $status: $detail"
    fi
    fail outcome_unknown "$failure, status $status"
    ;;
payment_status) # asks once: the user asks again
    [ -s "$owner_file" ] || fail unauthorized "not signed in"
    order=orders-of-$(cat "$owner_file")/$(hex "$(arg intent)")
    readable "$order" "$order.done"
    [ -f "$order" ] || fail nothing_to_do "no such payment order"
    [ ! -f "$order.rejected" ] || fail rejected "the bank has rejected this payment"
    confirmed >/dev/null || fail outcome_unknown "the bank has not confirmed this payment"
    payment=$(sed 's/.*"payment":"\([^"]*\)".*/\1/' "$order.done")
    read_from "/v1/payments/$(encoded "$payment")"
    case $(pick state response) in
    '"accepted"' | '"pending-authorisation"' | '"settled"' | '"rejected"' | '"returned"' | '"cancelled"') ;;
    *) fail outcome_unknown "an unknown state of the payment" ;;
    esac
    printf '{"payment":"%s","state":%s}\n' "$payment" "$(pick state response)"
    ;;
*)
    echo unsupported
    exit 127
    ;;
esac
