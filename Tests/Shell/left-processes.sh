# The processes that drivers put into sessions and groups of their own end with the run, and no others do. Linux only: elsewhere orphans
# cannot be found.
[ "$(uname)" = Linux ] || { echo "left-processes: not on Linux, so nothing is tested"; exit 0; }
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
leaver="python3 $ROOT/Tests/Shell/parts/leaver.py"
driver="python3 $ROOT/Contracts/drivers/python/driver.py"
export LEFT=$PWD/left

# ended COUNT NAME: the warning stands once in err, for at least that many processes, and all that are named in $LEFT have ended.
ended() {
    local count
    [ "$(grep -c '^warning: .* terminated$' err)" = 1 ] || { echo "$2: found «$(cat out err)», expected one warning of processes left"; exit 1; }
    count=$(sed -nE 's/^warning: .* ([0-9]+) processes .*; they were terminated$/\1/p' err)
    [ "${count:-0}" -ge "$1" ] || { echo "$2: found «$(grep warning err)», expected at least $1 processes"; exit 1; }
    [ "$(wc -l <"$LEFT")" -ge "$1" ] || { echo "$2: found $(wc -l <"$LEFT") processes that were left, expected at least $1"; exit 1; }
    while read -r process; do
        ! kill -0 "$process" 2>/dev/null || { echo "$2: found process $process running after the run, expected its end"; exit 1; }
    done <"$LEFT"
    rm "$LEFT"
}

# A looping driver for each of several cases at once; beside them a process that this command had before it ran any driver.
(
    sleep 600 &
    echo $! >helper
    exec "$counterfoil" test "${folders[@]}" --seed 7 --bank counterfoil --filter 'auth.no-*' --process-per-case --client "$leaver $driver"
) >out 2>err || { cat out err; exit 1; }
ended 20 test
kill "$(cat helper)" || { echo "test: found the process that was there before the run ended, expected it running"; exit 1; }

# A driver that is run for each step.
"$counterfoil" test "${folders[@]}" --seed 7 --bank counterfoil --filter auth.no-empty-bearer --one-shot --operations login,accounts \
    --features persistence --client "$leaver sh $ROOT/Contracts/drivers/shell/driver.sh" >out 2>err || { cat out err; exit 1; }
ended 8 "test --one-shot"

# The other commands that run drivers.
"$counterfoil" test "${folders[@]}" --seed 7 --bank counterfoil --try --client "$leaver $driver" >out 2>err || { cat out err; exit 1; }
ended 4 "test --try"
"$counterfoil" driver check "${folders[@]}" --bank counterfoil --client "$leaver $driver" >out 2>err || { cat out err; exit 1; }
ended 4 "driver check"
printf '#!/bin/sh\n[ "$1" != --list ] || exec "%s" --list\nexec %s "%s" "$@"\n' "$mutants" "$leaver" \
    "$mutants" >mutants
chmod +x mutants
mutant=$(./mutants --list | sed -nE '1s/.*"name":"([^"]*)".*/\1/p')
"$counterfoil" mutants "${folders[@]}" --program ./mutants --mutant "$mutant" >out 2>err || { cat out err; exit 1; }
ended 4 mutants

# Ctrl-C.
"$counterfoil" test "${folders[@]}" --seed 7 --bank counterfoil --client "$leaver $driver" >out 2>err &
run=$!
for _ in $(seq 1200); do [ ! -s "$LEFT" ] || [ "$(wc -l <"$LEFT")" -lt 4 ] || break; sleep 0.1; done
kill -INT $run
wait $run || true
grep -q '^warning: when the run was interrupted, ' err || { echo "an interrupted test: found «$(cat err)»"; exit 1; }
ended 4 "an interrupted test"

# A run without such processes prints nothing about any.
"$counterfoil" test "${folders[@]}" --seed 7 --bank counterfoil --filter auth.no-empty-bearer --client "$driver" >out 2>err || { cat out err; exit 1; }
! grep warning err || { echo "found a warning, expected none"; exit 1; }
