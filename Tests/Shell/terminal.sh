# Terminals of several widths: no line is wider than the terminal, colours follow the environment, errors and
# hints are apart, and no session is guessed.
. "$ROOT/Tests/Shell/parts/serve.sh"
command -v python3 >/dev/null || { echo "skipped: no python3 opens a terminal"; exit 0; }
unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS
export TERM=xterm-256color COUNTERFOIL_HOME=$PWD/home

# on COLUMNS ARGUMENTS...: counterfoil on a terminal of that width; what it shows is in the file screen, the bytes in the file bytes.
on() {
    local columns=$1
    shift
    code=0
    python3 "$ROOT/Tests/Shell/parts/terminal.py" "$columns" "${options[@]}" "$counterfoil" "$@" >screen || code=$?
    command="counterfoil $* ($columns columns)"
    # Commands for pasting and lines of reports stay one line.
    ! grep '^WRAPPED' screen | grep -vE 'curl -sL|passed of' >wide || { echo "$command: found a line that is too wide: $(cat wide)"; exit 1; }
}
options=()

# shows PATTERN: a line of the screen matches it.
shows() { grep -qE -- "$1" screen || { echo "$command: found «$(cat screen)», expected a line «$1»"; exit 1; }; }

# ends CODE
ends() { [ "$code" = "$1" ] || { echo "$command: found status $code, expected $1: $(cat screen)"; exit 1; }; }

# coloured: the last command used colours; plain: it did not.
escape=$(printf '\033')
coloured() { grep -q "$escape\[[0-9;]*m" bytes || { echo "$command: found no colour, expected some"; exit 1; }; }
plain() { ! grep -q "$escape\[[0-9;]*m" bytes || { echo "$command: found colours, expected none"; exit 1; }; }

# Help: wrapped at the width, in groups.
for columns in 80 100 160; do
    for words in '' serve test 'session new' 'fault set' 'verify' 'state check' 'tokens issue' 'client pay' judge; do
        on $columns $words --help
        ends 0
    done
done
on 80 --help
shows '^BANK SUBCOMMANDS:$'
shows '^RUNNING SERVER SUBCOMMANDS:$'
on 160 serve --help
shows '^One bank is mounted at /, several each at /<bank>; .{60}'

# A mistyped command; errors and hints in lines and colours of their own.
on 80 serv
ends 2
shows '^error: found the command `serv`, expected one that `counterfoil --help` lists$'
shows '^hint: did you mean `counterfoil serve`\?$'
coloured
grep -q "$escape\[1;31merror:$escape\[0m found" bytes || { echo "error: has no colour of its own: $(cat -v bytes)"; exit 1; }
grep -q "$escape\[36mhint:$escape\[0m did" bytes || { echo "hint: has no colour of its own: $(cat -v bytes)"; exit 1; }
on 80 fault ste '{}'
shows '^error: found the command `ste`, expected list, set or rm$'
shows '^hint: did you mean `counterfoil fault set`\?$'
NO_COLOR=1 on 80 serv
plain
NO_COLOR=1 CLICOLOR_FORCE=1 on 80 serv
plain
CLICOLOR=0 on 80 serv
plain
TERM=dumb on 80 serv
plain
forced() { CLICOLOR_FORCE=$1 "$counterfoil" serv 2>bytes && exit 1 || command="counterfoil serv, CLICOLOR_FORCE=$1, no terminal"; }
forced 1
coloured
forced 0
plain
forced ''
plain

# Several banks: none is guessed, and the error names the sessions and the option.
serve roundup counterfoil --stubs "$ROOT/Stubs" --seed 7
for words in 'outage start maintenance' 'outage show' 'outage stop' "fault set {fault:\u0020hang}" 'fault list' 'fault rm --all' 'clock show' \
    'clock advance 1s' 'tokens list' 'tokens revoke --all' 'judge --for 1ms' journal 'session reset' 'session snapshot'; do
    status=0
    "$counterfoil" $words >out 2>err || status=$?
    [ $status = 2 ] || { echo "counterfoil $words: found status $status, expected 2: $(cat out err)"; exit 1; }
    [ ! -s out ] || { echo "counterfoil $words: found «$(cat out)» on stdout, expected nothing"; exit 1; }
    grep -q '^error: found no session, expected counterfoil or roundup: 2 banks are served$' err &&
        grep -qE '^hint: name one, such as `(--session|counterfoil session [a-z]+) counterfoil`$' err ||
        { echo "counterfoil $words: found «$(cat err)», expected the sessions and how one is named"; exit 1; }
done
"$counterfoil" outage list >out

# Rules: from the command line, a file and standard input; their ids are safe in an address.
printf 'fault: {status: {status: 503, body: "%s"}}\non: {role: accounts}\n' "$(printf 'closed %.0s' {1..20})" >rule.yaml
[ "$("$counterfoil" fault set '{fault: {lose-reply: {by: close}}, on: {role: pay}}' --session roundup 2>&1)" = 'rule-1' ] ||
    { echo "found another id, expected rule-1"; exit 1; }
[ "$("$counterfoil" fault set rule.yaml --session roundup)" = rule-2 ]
[ "$("$counterfoil" fault set - --session roundup <rule.yaml)" = rule-3 ]
[ "$(curl -s -o /dev/null -w '%{http_code}' -X DELETE "$COUNTERFOIL_ADMIN/__admin/sessions/roundup/faults/rule-3")" = 204 ]
"$counterfoil" fault rm rule-1 --session roundup
on 80 fault list --session roundup
shows '^RULE +FAULT +ON +MATCHED +APPLIED$'
shows '^rule-2 +status 503 +role accounts +0 +0$'
[ "$(grep -c '^rule-' screen)" = 1 ] || { echo "$command: found «$(cat screen)», expected one rule"; exit 1; }
"$counterfoil" outage start brownout --session roundup >out
for columns in 50 80 160; do
    on $columns outage show --session roundup
    shows '^brownout-1 +dialect maintenance +0 +0$'
    on $columns outage list
    # An address is never cut off: a narrow terminal wraps it.
    [ $columns = 50 ] || on $columns session list
done
# Of a request the end of its response is cut off first, and ids are whole.
curl -s -o /dev/null "$bank/counterfoil/v1/accounts/ava-gbp"
on 80 journal counterfoil
shows '^1 .* GET /v1/accounts/ava-gbp +401 .*…$'
on 80 ledger counterfoil
shows '^accounts/5f1c0a10-0000-4000-8000-000000000d01 +400\.00 GBP +0$'
stop

# The ready line: for programs, and with --quiet on request; on a terminal people read the addresses.
options=(--until ready)
rm -f ready
on 80 serve roundup --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --ready-file ready
shows '^dashboard: http'
! grep -q '^{' screen || { echo "$command: found the ready line, expected none on a terminal: $(cat screen)"; exit 1; }
grep -q '^{"admin":' ready
rm -f ready
on 160 serve roundup --stubs "$ROOT/Stubs" --port 0 --admin-port 0 --ready-file ready --quiet
shows '^\{"admin":'
options=()

# The progress line: within the terminal, gone in the end; a terminal that became narrower has at most the rest of one line.
run=(test --client "$counterfoil client --drive" --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --bank roundup
    --filter 'auth.*@roundup' --seed 7)
for columns in 80 100 160; do
    on $columns "${run[@]}"
    ends 0
    shows '[0-9]+ passed of '
    grep -q '█' bytes || { echo "$command: found no progress line"; exit 1; }
    ! grep -q '[█░]' screen || { echo "$command: the progress line stays: $(cat screen)"; exit 1; }
    coloured
done
NO_COLOR=1 on 80 "${run[@]}"
plain
grep -q '█' bytes
code=0
python3 "$ROOT/Tests/Shell/parts/terminal.py" 160 --narrow 50 "$counterfoil" "${run[@]}" >screen || code=$?
command="counterfoil test, 160 and then 50 columns"
ends 0
[ "$(grep -c '[█░]' screen)" -le 1 ] || { echo "$command: found the rest of several lines: $(cat screen)"; exit 1; }
"$counterfoil" "${run[@]}" >out 2>err
[ ! -s err ] || { echo "found «$(cat err)» on stderr without a terminal, expected nothing"; exit 1; }
