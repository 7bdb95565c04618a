# Tests/alone leaves no process of a command, however it ends, and names each that it has found.
alone=$ROOT/Tests/alone
export ALONE_GRACE=1

# expect STATUS COMMAND...: runs it alone; its output is in $output. A name that no other process has stands in the place of sleep.
ln -s "$(command -v sleep)" sleep-of-alone
expect() {
    local expected=$1 status=0
    shift
    output=$("$alone" "$@" 2>&1) || status=$?
    [ $status = "$expected" ] || { echo "$*: found status $status, expected $expected: $output"; exit 1; }
    ! pgrep -f "^$PWD/sleep-of-alone" >/dev/null || { echo "$*: found a process that is left, expected none"; exit 1; }
}
asleep=$PWD/sleep-of-alone

expect 0 bash -c 'echo fine'
[ "$output" = fine ] || { echo "found $output, expected fine"; exit 1; }
expect 7 bash -c 'exit 7'
expect 137 bash -c 'kill -9 $$'

# A process that is about to end is waited for. Any other is named, with the command that left it, and ended: in a session of its own,
# ignoring SIGTERM, or orphaned.
ALONE_GRACE=60 expect 0 bash -c "$asleep 0.5 &"
expect 1 bash -c "$asleep 301 & true"
[[ $output == *"has left process "*": $asleep 301"* ]] || { echo "found $output, expected the process and its command line"; exit 1; }
expect 1 python3 -c "import subprocess; subprocess.Popen(['$asleep', '302'], start_new_session=True)"
expect 1 bash -c "(trap '' TERM; exec $asleep 303) & true"
expect 3 bash -c "$asleep 304 & exit 3"

# An interrupted run ends all of it, one that is killed too.
for number in TERM:143 KILL:137; do
    "$alone" bash -c "$asleep 305 & $asleep 306" 2>/dev/null &
    run=$!
    for ((tries = 0; tries < 1200; tries++)); do
        [ "$(pgrep -cf "^$asleep")" != 2 ] || break
        sleep 0.1
    done
    kill -${number%:*} $run
    status=0
    wait $run 2>/dev/null || status=$?
    [ $status = ${number#*:} ] || { echo "found status $status, expected ${number#*:}"; exit 1; }
    for ((tries = 0; tries < 1200; tries++)); do
        pgrep -f "^$asleep" >/dev/null || break
        sleep 0.1
    done
    ! pgrep -f "^$asleep" || { echo "$number: found a process that is left, expected none"; exit 1; }
done

# The tests are run by it: a script that leaves a process fails, and reports it.
mkdir -p tree/.ci tree/Tests/Shell/parts
cp "$ROOT/Tests/alone" tree/Tests; cp "$ROOT/.ci/shell-tests" "$ROOT/.ci/environment" tree/.ci
echo "$asleep 307 & disown" >tree/Tests/Shell/careless.sh
echo 'true' >tree/Tests/Shell/careful.sh
status=0
: >tree/Tests/Shell/parts/prelude.sh
output=$(tree/.ci/shell-tests careless careful 2>&1) || status=$?
[ $status = 1 ] && [[ $output == *"✔ careful"* && $output == *"✘ careless"*"$asleep 307"* ]] ||
    { echo "found status $status and $output, expected the careless script to fail"; exit 1; }
! pgrep -f "^$asleep" || { echo "found a process that is left, expected none"; exit 1; }
