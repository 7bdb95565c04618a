# Deliveries of webhooks survive kill -9: 50 kills, none lost, and every copy of one has one id.
python3 "$ROOT/Tests/Shell/parts/webhooks_killed.py" "$counterfoil" "$ROOT/Stubs" 50 "${SEED:-$RANDOM}"
