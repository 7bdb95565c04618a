# A plain Python client with five common mistakes: each is found and named, and nothing else is reported.
code=0
"$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --client "python3 $ROOT/Tests/Drivers/newcomer.py" \
    --bank counterfoil --seed 7 --json run.json >printed 2>err || code=$?
[ $code -eq 1 ] || { echo "found exit code $code, expected 1"; tail -30 printed err; exit 1; }
grep -qE '^exit 1: [0-9]+ failures \([1-8] causes\)(, [0-9]+ more at should)?$' printed || { tail -30 printed; exit 1; }
python3 - <<'END'
import json
run = json.load(open("run.json"))
causes = {}
for result in run["results"]:
    if result["verdict"] in ("fail", "inconclusive", "harness-error"):
        causes.setdefault(result["cause"]["title"], set()).add(result["case"])
expected = {
    "the client sends a payment order again under a new idempotency key": "pay.reply-lost-after-commit",
    "the client pays or shows an amount other than the one agreed": "data.exact-amounts",
    "the client sends a token again after the bank rejected it": "auth.token-cleared-on-rejection",
    "the client does not end a step in time": "errors.read-timeout",
    "the client shows the first page only": "pages.all-rows-once",
    "step … (accounts) ended with ok and data; it must end with error unauthorized": "auth.any-401-ends-the-sign-in",
    "step … (status) ended with ok and showed signed_in … instead of …; it must end with ok and data like …": "auth.status-after-rejection",
}
for title, case in expected.items():
    assert case in causes.get(title, ()), f"expected {case} because {title}; found {causes}"
assert set(causes) == set(expected), f"found other causes: {set(causes) - set(expected)}"
END
