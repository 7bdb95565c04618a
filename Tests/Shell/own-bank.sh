# A bank of one's own in an empty folder, outside of any checkout: made, validated, served, and judged, with all that comes with
# the program; and the folder's own files win.
. "$ROOT/Tests/Shell/parts/serve.sh"
export COUNTERFOIL_HOME=$PWD/home
mkdir empty
cd empty

# ends CODE COMMAND…: the command ends with that code; its output is in `../output`.
ends() {
    local code=0
    "${@:2}" >../output 2>&1 || code=$?
    [ $code -eq "$1" ] || { echo "$*: found exit code $code, expected $1:"; cat ../output; exit 1; }
}
# shows TEXT: the last command's output has it.
shows() { grep -qF -- "$1" ../output || { echo "expected «$1», found:"; cat ../output; exit 1; }; }

ends 0 "$counterfoil" new bank mybank --stubs own
ends 0 "$counterfoil" validate --stubs own
# All that came with the program, as the files have it.
files=$(find "$ROOT/Contracts" -maxdepth 1 -name '*.yaml' ! -name bugs.yaml ! -name invariants.yaml)
cases=$(cat $files | grep -c '^- id: ')
suites=$(basename -a $files | cut -d . -f 1 | sort -u | wc -l)
outages=$(find "$ROOT/Stubs/outages" -name '*.yaml' | wc -l)
shows "$outages outages and $suites suites ($cases cases) are valid"
grep -qE "^mybank: [0-9]{3} of $cases cases apply; more with " ../output || { echo "found no count of cases:"; cat ../output; exit 1; }
awk 'length > 80 { print FILENAME ": longer than 80 columns: " $0; exit 1 }' ../output

serve mybank --stubs own
ends 0 "$counterfoil" outage start maintenance --session mybank
ends 0 curl -s -o response -w '%{http_code}' "$bank/api/accounts"
shows 503
stop

judge() { "$counterfoil" test --client "$counterfoil client --drive" --seed 7 "$@"; }
ends 0 judge --stubs own --filter auth --filter 'errors*' --filter offline --filter 'pay.double-tap-pays-once' --filter 'pay.business-failure*'
grep -qE '^[0-9]+ passed of [0-9]+ ' ../output || { echo "expected every case to pass:"; cat ../output; exit 1; }

# A wrong answer sheet is noticed: views are compared.
sed -i 's/description: Salary/description: Gift/' own/mybank/expected.yaml
ends 1 judge --stubs own --filter 'pages*'
shows 'Gift'

# The folder's own outage wins over the one of that name.
mkdir own/outages
printf 'about: Only this.\nentries:\n- rules: [{fault: {status: {status: 418}}}]\n' >own/outages/maintenance.yaml
ends 0 "$counterfoil" validate --stubs own
shows "$outages outages"
serve mybank --stubs own --plan maintenance
ends 0 curl -s -o response -w '%{http_code}' "$bank/api/accounts"
shows 418
stop

# A dialect that came with the program is spoken without a copy.
sed -i 's/^dialect: mybank/dialect: problem-json/' own/mybank/bank.yaml
rm -r own/dialects
ends 0 "$counterfoil" validate mybank --stubs own
shows '1 bank, 1 dialect'

# From an OpenAPI description: roles, defaults and expected views as far as it defines them.
ends 0 "$counterfoil" new bank starry --stubs api --openapi "$ROOT/Tests/BankImportTests/Corpus/descriptions/starry.yaml"
grep -q '^roles:' api/starry/bank.yaml
grep -q 'available: "112.23"' api/starry/expected.yaml
ends 0 judge --stubs api --filter auth.token-cleared-on-rejection --filter 'errors.404' --filter 'errors.503'
