# `counterfoil serve` answers the requests in flight when it is stopped, and reports meanwhile that it is not ready; parts/drain.py asks.
export COUNTERFOIL_HOME=$PWD/home

python3 "$ROOT/Tests/Shell/parts/drain.py" "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --seed 7 --port 0 --admin-port 0

status=0
"$counterfoil" serve --drain soon 2>output || status=$?
[ $status = 64 ] || [ $status = 2 ] || { echo "--drain soon: found status $status, expected a rejection: $(cat output)"; exit 1; }
grep -q 'found --drain soon, expected' output || { echo "--drain soon: found $(cat output), expected what a time looks like"; exit 1; }
