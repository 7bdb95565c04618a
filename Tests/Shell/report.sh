# Reports as files: JSON by its schema, HTML and JUnit of several runs, faults told; by the client's own verdicts.
: "${ROOT:?run this through .ci/shell-tests}"
counterfoil=$ROOT/.build/debug/counterfoil
[ -x "$counterfoil" ] || { echo "found no $counterfoil, expected a debug build"; exit 1; }
test=("$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7)

"${test[@]}" --client "'$counterfoil' client --drive" --filter 'auth.*' --json good.json >/dev/null
"${test[@]}" --client "'$ROOT/.build/debug/MutantClients' clears-on-scope-refusal" --filter 'auth.*' --json bad.json --github >told && exit 1
grep -q '^::error title=auth.scope-refusal-keeps-token@counterfoil::' told || { cat told; exit 1; }

"$counterfoil" report good.json bad.json --html both.html --junit both.xml >told
grep -q 'failed' told || { cat told; exit 1; }
grep -q 'aria-label="auth.scope-refusal-keeps-token@counterfoil: failed"' both.html
! grep -qE '<script|src=|https?://' both.html
python3 - "$ROOT/Contracts/report.schema.json" <<'END'
import json, sys, xml.etree.ElementTree as xml

schema = json.load(open(sys.argv[1]))
reports = [json.load(open(name)) for name in ("good.json", "bad.json")]
try:
    import jsonschema
    check = jsonschema.Draft202012Validator(schema)
    for report in reports:
        faults = list(check.iter_errors(report))
        assert not faults, faults
    reports[0]["results"][0]["verdict"] = "passed"
    assert list(check.iter_errors(reports[0])), "the schema takes a verdict that does not exist"
except ImportError:
    print("no jsonschema here: only the names are compared")
    for report in reports:
        assert set(report) <= set(schema["properties"]), report.keys()
        for result in report["results"]:
            assert set(result) <= set(schema["$defs"]["result"]["properties"]), result.keys()

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
assert root.tag == "testsuites" and int(root.get("failures")) >= 2, root.attrib
assert sum(int(suite.get("tests")) for suite in root) == int(root.get("tests"))
END

code=0
echo '{"report": 9}' >new.json
"$counterfoil" report good.json new.json missing.json --html none.html 2>told || code=$?
[ $code -eq 2 ] && [ ! -e none.html ] || { cat told; exit 1; }
grep -q 'new.json: found a report of version 9, expected version 1' told || { cat told; exit 1; }
grep -q 'missing.json: found a file that cannot be read' told || { cat told; exit 1; }
