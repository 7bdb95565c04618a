# `counterfoil serve` answers the requests in flight when it is stopped, and reports meanwhile that it is not ready; parts/drain.py asks.
export COUNTERFOIL_HOME=$PWD/home

python3 "$ROOT/Tests/Shell/parts/drain.py" "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --seed 7 --port 0 --admin-port 0

status=0
"$counterfoil" serve --drain soon 2>said || status=$?
[ $status = 64 ] || [ $status = 2 ] || { echo "--drain soon: found status $status, expected a rejection: $(cat said)"; exit 1; }
grep -q 'found --drain soon, expected' said || { echo "--drain soon: found $(cat said), expected what a time looks like"; exit 1; }
