# counterfoil new bank: a small one, and those of API descriptions; each validates and serves, or nothing is written.
. "$ROOT/Tests/Shell/parts/serve.sh"
corpus=$ROOT/Tests/BankImportTests/Corpus/descriptions
export COUNTERFOIL_HOME=$PWD/home

# ends CODE COMMAND…: the command ends with that code; its output is in `output`.
ends() {
    local code=0
    "${@:2}" >output 2>&1 || code=$?
    [ $code -eq "$1" ] || { echo "$*: found exit code $code, expected $1:"; cat output; exit 1; }
}
# shows TEXT: the last command's output has it.
shows() { grep -qF -- "$1" output || { echo "expected «$1», found:"; cat output; exit 1; }; }

ends 0 "$counterfoil" new bank mybank
shows 'Stubs/mybank: 5 operations; serve it with: counterfoil serve mybank'
ends 0 "$counterfoil" new bank paged --sign-in code
shows 'Stubs/paged: 8 operations; serve it with: counterfoil serve paged'
ends 2 "$counterfoil" new bank wrong --sign-in code --openapi "$corpus/starry.yaml"
shows 'found --sign-in code with --openapi, expected one of them'
ends 0 "$counterfoil" new bank starry --openapi "$corpus/starry.yaml"
shows 'starry.yaml:45:26: GET /accounts/{accountUid}/balance: #/paths/~1accounts~1{accountUid}~1balance/get/security/0/OAuth'
ends 1 "$counterfoil" new bank ledger --openapi "$corpus/open-ledger.json" --strict
shows '#/components/parameters/x-jws-signature'
shows "6 times: only the types of a body's fields are checked"
ends 0 "$counterfoil" new bank pocket --openapi "$corpus/pocket.yaml" --json
ends 0 "$counterfoil" validate mybank paged starry ledger pocket --contracts "$ROOT/Contracts"
shows '5 banks'
ends 0 "$counterfoil" new bank berlin
shows 'the model client takes a bank with the name berlin for the included one'

# Files beside the description are read; links out of its folder are not.
mkdir -p api/schemas
printf 'Money: {type: object, properties: {amount: {type: string, example: "1.00"}}}\n' >api/schemas/money.yaml
printf 'Secret: {type: string, example: hidden}\n' >secret.yaml
ln -s ../secret.yaml api/secret.yaml
cat >api/api.yaml <<'YAML'
openapi: 3.1.0
paths:
  /money: {get: {responses: {"200": {content: {application/json: {schema: {$ref: "schemas/money.yaml#/Money"}}}}}}}
  /secret: {get: {responses: {"200": {content: {application/json: {schema: {$ref: "secret.yaml#/Secret"}}}}}}}
YAML
ends 0 "$counterfoil" new bank beside --openapi api/api.yaml
shows '$ref: found "secret.yaml#/Secret"; there is no such file of YAML or JSON in the description'
grep -qF '"amount": "1.00"' Stubs/beside/replies/*.json
if grep -rqF hidden Stubs/beside; then echo "found a file outside the folder"; exit 1; fi

# An existing bank stays as it is, and an unreadable description leaves nothing.
find Stubs | sort >before
ends 2 "$counterfoil" new bank mybank --openapi "$corpus/starry.yaml"
shows 'Stubs/mybank: found an existing file or folder'
shows 'Stubs/dialects/mybank.yaml: found an existing file or folder'
printf 'swagger: "1.2"\npaths: {}\n' >old.yaml
ends 2 "$counterfoil" new bank old --openapi old.yaml
shows 'old.yaml:1:10: found `swagger: 1.2`'
printf '{"openapi": "3.0.0",}' >broken.json
ends 2 "$counterfoil" new bank broken --openapi broken.json
shows 'broken.json:1:'
ends 2 "$counterfoil" new bank none --openapi missing.yaml
ends 2 "$counterfoil" new bank dialects
find Stubs | sort >after
cmp before after

serve mybank starry
token=$(curl -s -d '{"username": "ava", "password": "correct-horse"}' "$bank/mybank/api/login" | sed 's/.*"token":"\([^"]*\)".*/\1/')
curl -s -H "Authorization: Bearer $token" "$bank/mybank/api/accounts" >output
shows '"name":"Everyday"'
token=$("$counterfoil" tokens issue --session starry 2>/dev/null)
curl -s -H "Authorization: Bearer $token" "$bank/starry/api/v2/accounts/bbccbbcc-1111-4111-8111-000000000002" >output
shows '"name":"Euro"'

# A command for pasting is one command, whatever the names of folders and the paths of a bank contain.
folder='my $(touch stolen) banks'
ends 0 "$counterfoil" new bank mybank --stubs "$folder"
shows "serve it with: counterfoil serve mybank --stubs '$folder'"
sed -i "s|request: GET /accounts\$|request: \"GET /accounts'>stolen;'\"|" "$folder/mybank/bank.yaml"
serve mybank --stubs "$folder"
grep 'curl -sL' served >pasted
bash pasted >/dev/null || true
[ ! -e stolen ] || { echo "found a second command in the line for pasting: $(cat pasted)"; exit 1; }
