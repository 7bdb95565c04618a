# `counterfoil client` by hand against a served bank: a round-up is moved once, data is old only while the bank is away,
# and what was begun by one customer is no other's.
. "$ROOT/Tests/Shell/parts/serve.sh"
export COUNTERFOIL_HOME=$PWD/home
dora=5f1c0a10-0000-4000-8000-000000000d0

serve roundup counterfoil --stubs "$ROOT/Stubs" --seed 7

# client EXPECTED-STATUS BANK WORDS…
client() { run "$1" "$counterfoil" client "${@:3}" --bank "$2" --url "$bank/$2" --time-zone UTC </dev/null; }

# moves EXPECTED: the bank roundup has received EXPECTED requests to move money.
moves() {
    local found
    found=$("$counterfoil" journal roundup | grep -c ' PUT .*add-money' || true)
    [ "$found" = "$1" ] || { echo "found $found requests that move money, expected $1: $("$counterfoil" journal roundup)"; exit 1; }
}

token() { "$counterfoil" tokens issue --login "$1" --session roundup 2>/dev/null; }

# Signing in by a token whose customer the bank cannot name: the user names it. It is kept in COUNTERFOIL_HOME.
client 1 roundup accounts
matches err '*nobody is signed in*hint: sign in with*'
client 0 roundup login --token "$(token dora)" --user dora
[ -s home/client/roundup/*/token ] || { echo "found no token in COUNTERFOIL_HOME: $(find home)"; exit 1; }

# Shown only.
client 0 roundup round-up --account ${dora}3 --dry-run
matches out $'DATE *PURCHASE *AMOUNT *ROUNDED UP BY\n*5.10 *0.90\n*0.90 GBP in total, from account *\nDry run: no money was moved.'
client 0 roundup round-up --account ${dora}3 --dry-run --json
matches out '{"amount":"0.90","currency":"GBP","purchases":?*"amount":"5.10","rounded_up_by":"0.90"*?}'

# Bad input: no goal given, a goal that does not exist, no goal at the bank, two currencies, nothing to round up.
client 1 roundup round-up --account ${dora}3
matches err '*Which goal should receive 0.90 GBP?*not_found: found no goal, expected --goal with one of: * ?Tent?'
client 1 roundup round-up --account ${dora}3 --goal Boat
matches err 'error: not_found: found no goal Boat, expected --goal with one of: *'
client 1 roundup round-up --account ${dora}7
matches err 'error: *'
client 1 roundup round-up --account ${dora}6 --goal Ferry
matches err 'error: rejected: found purchases in *, expected one currency'
client 1 roundup round-up --account ${dora}5 --goal 京都
matches err 'error: nothing_to_do: *'
moves 0

# Moved once, however often it is asked.
client 0 roundup round-up --account ${dora}3 --goal Tent --intent week
matches out $'DATE*\n0.90 GBP moved to Tent, payment *'
client 0 roundup round-up --account ${dora}3 --goal Tent --intent week
matches out '0.90 GBP moved as computed at the first attempt, payment *'
client 0 roundup goals --account ${dora}3
matches out *'Tent *0.90*'
moves 1
# The goal is asked for.
"$counterfoil" client round-up --bank roundup --url "$bank/roundup" --time-zone UTC --account ${dora}1 <<<Kite >out 2>err
grep -q '^0.60 GBP moved to Kite, payment ' out || { echo "found $(cat out err), expected 0.60 GBP moved to Kite"; exit 1; }

# Another customer: that payment order is not theirs, and an order of theirs with the same name is another one.
client 0 roundup login --token "$(token ava)" --user ava
client 0 roundup round-up --intent week --goal 'Holiday pot'
matches out $'DATE*\n* GBP moved to Holiday pot, payment *'
client 0 roundup login --token "$(token dora)" --user dora
client 0 roundup round-up --account ${dora}3 --goal Tent --intent week
matches out '0.90 GBP moved as computed *'

# The other bank with goals signs in by a call.
client 0 counterfoil login --user ava --password correct-horse
client 0 counterfoil round-up --goal goal-rainy --json
matches out '{"amount":"*","currency":"GBP","payment":"*"}'

# The client reports the bank's response about the token, and shows no old data instead; the bank resends a public list only if it changed.
client 0 roundup accounts
matches out 'ACCOUNT*'
"$counterfoil" tokens revoke --all --session roundup >/dev/null 2>&1
client 1 roundup accounts
matches err 'error: unauthorized: *'
client 0 roundup login --token "$(token dora)" --user dora
client 0 roundup accounts
matches out 'ACCOUNT*'
client 0 counterfoil atms
client 0 counterfoil atms
matches out 'ATM*'
"$counterfoil" journal counterfoil | grep 'GET .*/v1/atms' | grep -q ' 304' ||
    { echo "found no 304 to the second list of cash machines: $("$counterfoil" journal counterfoil)"; exit 1; }

# The bank is away: its last data, marked as old, and nothing else.
kill $server
wait $server || true
client 0 roundup accounts
matches out $'Cached data from * ago: the bank did not answer.\nACCOUNT*'
client 0 roundup accounts --json
matches out '{"accounts":*"stale":true,"as_of":"*"}'
client 1 roundup round-up --account ${dora}3 --goal Tent --intent later
matches err 'error: offline: *'
client 1 roundup accounts --home elsewhere
matches err '*nobody is signed in*'

# After the sign-out nothing is left but the payments, which are shown to nobody.
client 0 roundup logout
[ -z "$(find home/client/roundup \( -name token -o -path "*/cache/*" \) -type f 2>/dev/null)" ] ||
    { echo "found token or data after signing out: $(find home)"; exit 1; }
client 1 roundup round-up --intent week
matches err '*nobody is signed in*'
