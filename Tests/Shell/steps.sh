# The steps and givens of contracts at work: the model client, killed, cut off, damaged and misled by a real bank.

mkdir contracts
cat >contracts/steps.yaml <<'YAML'
contract: 1
suite: steps
cases:
- id: steps.killed
  why: A payment that the client was killed in is finished under the same key.
  needs: [login, pay, resume]
  matrix: {at: [request, commit], protocol: [h1, h2]}
  steps:
  - login
  - kill: {during: {pay: {intent: A, amount: "10.00"}}, at: $at}
  - resume: {intent: A}
  expect:
  - {ledger: {A: 1}}
  - {same: [key, body_sha256], within: intent}
  - {key: {format: well-formed}}
  - {step: 3, outcome: ok}
- id: steps.cancelled
  why: A read that nobody waits for any more ends.
  needs: [login, accounts]
  steps:
  - login
  - fault: hang
    on: {role: accounts}
  - together: [accounts, cancel: 3]
  expect:
  - {fired: 1}
  - {step: 3, error: cancelled}
- id: steps.address
  why: The client distinguishes a bank that it cannot reach from one that rejects the request.
  needs: [accounts]
  matrix: {base_url: [unresolvable, refused], protocol: [h1, h2]}
  steps: [login, accounts]
  expect: [{step: 2, any: [{error: offline}, {error: unauthorized}]}, {requests: {max: 0}}]
- id: steps.corpus
  why: What is no JSON is not read.
  needs: [read]
  foreach: {body: corpus:json/*-comma-*}
  steps:
  - login
  - read
  - fault: {status: {status: 200, body_hex: $body}}
    on: {role: $read}
  - read
  expect: [{control: 2}, {fired: 1}, {step: 4, any: [{error: decode}, {view: {stale: true}}]}]
- id: steps.other-host
  why: A token is for the host that it was given for.
  needs: [login, accounts]
  matrix: {protocol: [h1, h2]}
  steps:
  - login
  - fault: {redirect: {to: other-host, status: 307}}
    on: {role: accounts}
  - accounts
  expect: [{fired: 1}, {never: {sends: $tokens, to: other-host}}, {step: 3, outcome: error}]
YAML

code=0
timeout 1200 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts contracts --seed 7 --bank counterfoil --bank roundup \
    --client "'$counterfoil' client --drive" >printed 2>&1 || code=$?
[ $code -eq 0 ] || { cat printed; echo "the run ended with $code, expected 0"; exit 1; }
grep -qE '^[0-9]+ passed of [0-9]+ ' printed || { cat printed; echo "found cases without a verdict, expected that all pass"; exit 1; }

# A client that is run once for each step: a shell with curl, and its mistakes are reported.
cat >client.sh <<'SH'
umask 077
fetch() { curl -s --max-time 15 -o body -w '%{http_code}' "$@" || :; }
case $COUNTERFOIL_OP in
login)
    [ -n "$COUNTERFOIL_TOKEN" ] || { echo unavailable; exit 1; }
    printf %s "$COUNTERFOIL_TOKEN" >token
    echo '{"signed_in":true}' ;;
accounts)
    case $(fetch -H "Authorization: Bearer $(cat token)" "$COUNTERFOIL_URL/api/v2/accounts") in
    200) printf '{"accounts":[]}' ;;
    403) echo unauthorized; exit 1 ;;
    *) echo offline; exit 1 ;;
    esac ;;
*) echo unsupported; exit 127 ;;
esac
SH
one_shot() {
    timeout 1200 "$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank roundup --one-shot \
        --operations login,accounts --client "sh '$PWD/client.sh'" "$@" >printed 2>&1
}
one_shot --filter auth.no-empty-bearer || { cat printed; echo "expected that the shell client passes auth.no-empty-bearer"; exit 1; }
code=0
one_shot --filter auth.token-cleared-on-rejection --github || code=$?
[ $code -eq 1 ] || { cat printed; echo "the shell client keeps its token: found $code, expected 1"; exit 1; }
grep -q '^::error title=auth.token-cleared-on-rejection@roundup::' printed || { cat printed; echo "found no annotation"; exit 1; }
grep -q -- '--one-shot --operations login,accounts --stubs [^ ]* --contracts [^ ]* --filter' printed || { cat printed; echo "found no command to run it again"; exit 1; }
