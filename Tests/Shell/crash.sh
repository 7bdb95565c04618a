# A response that a client saw is still true after kill -9: the short form of `make soak`, 50 kills in the middle of payments.

ln -s "$ROOT/Stubs" "$ROOT/Contracts" .
"$ROOT/Tests/Soak/crash" "$counterfoil" --kills 50 --seconds 600
