# Reports as files: JSON by its schema, HTML and JUnit of several runs, faults reported; by the client's own verdicts.
export COUNTERFOIL_HOME=$PWD/home
test=("$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7)

"${test[@]}" --client "'$counterfoil' client --drive" --filter 'auth.*' --json good.json >/dev/null
"${test[@]}" --client "'$mutants' clears-on-scope-refusal" --filter 'auth.*' --json bad.json --github >printed && exit 1
grep -q '^::error title=auth.scope-refusal-keeps-token@counterfoil and [0-9]* more::' printed || { cat printed; exit 1; }

# One headline in every report, and what failed can be run again by itself.
grep -qE '^  Step [0-9]+ \(.*\) ended with .*\. It must end with ' printed || { cat printed; exit 1; }
grep -q '^run them again: counterfoil test .* --last-failed --seed 7$' printed || { cat printed; exit 1; }
if grep -q '^  seen' printed; then cat printed; exit 1; fi
"${test[@]}" --client "'$mutants' clears-on-scope-refusal" --last-failed --json again.json >printed && exit 1
python3 - <<'END'
import json
bad, again = json.load(open("bad.json")), json.load(open("again.json"))
def failed(report):
    return {result["name"] for result in report["results"] if result["verdict"] == "fail"}
assert failed(bad) == failed(again), (failed(bad), failed(again))
assert again["counts"]["pass"] < bad["counts"]["pass"], (bad["counts"], again["counts"])
for result in bad["results"]:
    if result["reasons"]:
        first = result["reasons"][0]
        assert result["headline"].lower() == f"{first['seen']}. {first['expected']}.".lower(), result["headline"]
        assert result["cause"]["topic"] in ("money", "tokens", "other") and result["cause"]["title"], result["cause"]
assert bad["invariants_held"], "no invariant held"
END
code=0
(mkdir -p elsewhere && cd elsewhere && "${test[@]}" --client "'$counterfoil' client --drive" --last-failed 2>../printed) || code=$?
[ $code -eq 2 ] && grep -q 'found no earlier run in .*/elsewhere' printed || { cat printed; exit 1; }
"${test[@]}" --client "'$counterfoil' client --drive" --last-failed >printed || { cat printed; exit 1; }
code=0
"${test[@]}" --client "'$counterfoil' client --drive" --last-failed >printed 2>&1 || code=$?
[ $code -eq 4 ] && grep -q 'nothing failed in the last run' printed || { echo "status $code: $(cat printed)"; exit 1; }

# Skipped cases are not run, and are counted in the summary.
"${test[@]}" --client "'$counterfoil' client --drive" --filter 'errors.40*' --skip errors.404 --skip erors.404 >printed 2>err
grep -qE '^([0-9]+) passed of \1 \(.*\), [0-9]+ skipped$' printed || { cat printed; exit 1; }
grep -q -- '--skip: found `erors.404`.*did you mean `errors.404`?' err || { cat err; exit 1; }

# The catalogue in words, without a client, in 80 columns.
"${test[@]}" --list --filter pay >printed
grep -qE '^pay.reply-lost-after-commit +must +[0-9]+ ' printed && grep -qE '^[0-9]+ cases, [0-9]+ instances on' printed || { cat printed; exit 1; }
# An invariant also under the name that it had before.
"${test[@]}" --explain invariant.told-as-it-was | grep -q '^invariant.result-shown-as-received (must)$' || { echo "--explain does not know told-as-it-was"; exit 1; }
"${test[@]}" --explain pay.reply-lost-after-commit >words
grep -q '^   4  the client pays (payment order A, amount 10.00)$' words || { cat words; exit 1; }
"${test[@]}" --explain 'pay.reply-lost-after-commit@roundup[by=reset,connection=cold,protocol=h2]' >instance
grep -q '^  pay.reply-lost-after-commit@roundup\[by=reset,connection=cold,protocol=h2\]$' instance || { cat instance; exit 1; }
code=0
"${test[@]}" --explain 'pay.reply-lost-after-commit@roundup[by=rest]' 2>err >/dev/null || code=$?
[ $code -eq 2 ] && grep -q 'expected an instance of pay.reply-lost-after-commit' err || { cat err; exit 1; }
long=$(python3 -c 'import sys; print([line for name in sys.argv[1:] for line in open(name).read().split("\n") if len(line) > 80])' printed words)
[ "$long" = "[]" ] || { echo "found lines of more than 80 columns: $long"; exit 1; }
code=0
"${test[@]}" --explain pay.reply-lost 2>err || code=$?
[ $code -eq 2 ] && grep -q 'found the case `pay.reply-lost`, expected .*did you mean `pay.reply-lost-after-commit`?' err || { cat err; exit 1; }

"$counterfoil" report good.json bad.json --html both.html --junit both.xml --sarif both.sarif --gitlab both.quality.json --badge both.svg >printed
grep -q 'failed' printed || { cat printed; exit 1; }
grep -q 'aria-label="auth.scope-refusal-keeps-token@counterfoil: failed"' both.html
# One script, of the page's own, and nothing from elsewhere; text of the client is no tag.
[ "$(grep -c '<script' both.html)" = 1 ] || { echo "found $(grep -c '<script' both.html) scripts, expected 1"; exit 1; }
grep -q '<a class="away" rel="noreferrer" href="https://www.rfc-editor.org/rfc/rfc6750#section-3.1">RFC 6750 §3.1</a>' both.html
sed 's/<a class="away"[^>]*>//g' both.html >loaded.html
! grep -E '<[a-z]+( [^>]*)? (src|href|action)="?(https?:|//)|@import|url\(' loaded.html || fail "found the lines above, expected nothing from elsewhere"
python3 - "$ROOT" <<'END'
import json, sys, xml.etree.ElementTree as xml

root_folder = sys.argv[1]
schema = json.load(open(f"{root_folder}/schemas/report.schema.json"))
reports = [json.load(open(name)) for name in ("good.json", "bad.json")]
try:
    import jsonschema
    check = jsonschema.Draft7Validator(schema)
    for report in reports:
        faults = list(check.iter_errors(report))
        assert not faults, faults
    reports[0]["results"][0]["verdict"] = "passed"
    assert list(check.iter_errors(reports[0])), "the schema takes a verdict that does not exist"
except ImportError:
    print("no jsonschema here: only the names are compared")
    for report in reports:
        assert set(report) <= set(schema["definitions"]["report"]["properties"]), report.keys()
        for result in report["results"]:
            assert set(result) <= set(schema["definitions"]["result"]["properties"]), result.keys()

# The form that Jenkins publishes (junit-10.xsd): these elements and attributes, no others, in this nesting.
allowed = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped"}),
    "failure": ({"type", "message"}, set()), "error": ({"type", "message"}, set()), "skipped": ({"message"}, set()),
}
def check(element):
    attributes, children = allowed[element.tag]
    assert set(element.attrib) <= attributes, (element.tag, element.attrib)
    for child in element:
        assert child.tag in children, (element.tag, child.tag)
        check(child)
root = xml.parse("both.xml").getroot()
check(root)
# Each failed case stands in the contracts where the forms for code hosts say, and the badge counts failures at must.
failed = {result["case"] for result in reports[1]["results"] if result["verdict"] == "fail"}
def stands(name, file, line):
    assert file.startswith("Contracts/"), file
    assert f"id: {name}\n" in open(f"{root_folder}/{file}").readlines()[line - 1], (name, file, line)
runs = json.load(open("both.sarif"))["runs"]
assert [len(run["results"]) for run in runs] == [0, len(failed)], runs
for result in runs[1]["results"]:
    place = result["locations"][0]["physicalLocation"]
    stands(result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"])
assert {result["ruleId"] for result in runs[1]["results"]} == failed
issues = json.load(open("both.quality.json"))
assert {issue["check_name"] for issue in issues} == failed and len(issues) == len(failed), issues
for issue in issues: stands(issue["check_name"], issue["location"]["path"], issue["location"]["lines"]["begin"])
counted = sum(result["verdict"] == "fail" and result["level"] == "must" for result in reports[1]["results"])
badge = xml.parse("both.svg").getroot()
assert badge.get("aria-label") == f"counterfoil: {counted} failed", badge.attrib

assert root.tag == "testsuites" and int(root.get("failures")) >= 2, root.attrib
assert sum(int(suite.get("tests")) for suite in root) == int(root.get("tests"))
END

code=0
echo '{"report": 9}' >new.json
"$counterfoil" report good.json new.json missing.json --html none.html 2>printed || code=$?
[ $code -eq 2 ] && [ ! -e none.html ] || { cat printed; exit 1; }
grep -q 'new.json: found a report of version 9, expected version 1' printed || { cat printed; exit 1; }
grep -q 'missing.json: found no file, expected a report' printed || { cat printed; exit 1; }
