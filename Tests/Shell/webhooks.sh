# Deliveries of webhooks survive kill -9: 50 kills, none lost, and every copy of one has one id.
python3 "$ROOT/Tests/Shell/parts/webhooks_killed.py" "$counterfoil" "$ROOT/Stubs" 50 "${SEED:-$RANDOM}"

# A server with a state file and as many receivers as a session can have answers every payment: it reads what it has changed while it
# appends the deliveries, which an optimised build once did in freed memory.
. "$ROOT/Tests/Shell/parts/serve.sh"
serve counterfoil --stubs "$ROOT/Stubs" --seed 7 --state receivers.state
for _ in $(seq 16); do
    curl -sf -o /dev/null --json '{"url": "http://127.0.0.1:9/hook"}' "$COUNTERFOIL_ADMIN/__admin/sessions/counterfoil/webhooks"
done
token=$("$counterfoil" tokens issue --login ava 2>/dev/null)
for number in $(seq 20); do
    status=$(curl -s -o body -w '%{http_code}' -H "Authorization: Bearer $token" -H "Idempotency-Key: key-$number" \
        --json '{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "0.10", "currency": "GBP"}}' "$bank/v1/payments") || true
    [ "$status" = 201 ] || fail "payment $number: found status $status, expected 201: $(cat served)"
    "$counterfoil" event payment-settles >settled || fail "the event after payment $number: $(cat settled served)"
done
