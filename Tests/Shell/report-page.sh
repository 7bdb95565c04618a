# The report as a page: its policy allows its own script and no other, and in a browser, opened as a file, it can be filtered, folded,
# closed and copied from, light and dark, on a wide window and a narrow one (parts/report.py, skipped where there is no chromium).
export COUNTERFOIL_HOME=$PWD/home

# A client that uses a new key for every attempt fails some cases and passes others.
mkdir driver
cp "$ROOT"/Contracts/drivers/python/*.py "$ROOT/clients/python/src/counterfoil_driver.py" driver
python3 - <<'END'
import re
text = open("driver/client.py").read()
broken = text.replace('self._send_authorised(entry["method"], entry["path"], entry["headers"],',
                      'self._send_authorised(entry["method"], entry["path"], {**entry["headers"], "Idempotency-Key": str(uuid.uuid4())},')
assert broken != text, "found no call to break in client.py, expected that of a payment"
open("driver/client.py", "w").write(broken)
END
code=0
"$counterfoil" test --stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts" --seed 7 --bank counterfoil --client "python3 $PWD/driver/driver.py" \
    --filter pay.lost-before-commit --filter pay.reply-lost-after-commit --filter pay.server-error-same-key --filter errors \
    --html report.html --json report.json >printed || code=$?
[ $code -eq 1 ] || { cat printed; exit 1; }

# Exchanges are shown without secrets, and the page shows when, where and by which version.
python3 - <<'END'
import base64, hashlib, json, re, socket, subprocess

page, report = open("report.html", newline="").read(), json.load(open("report.json"))
scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
assert len(scripts) == 1, f"found {len(scripts)} scripts, expected 1"
open("script.mjs", "w").write(scripts[0])
policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]
wanted = "sha256-" + base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
assert f"script-src '{wanted}'" in policy, f"found {policy}, expected script-src '{wanted}' (scriptHash in HTMLReport+Script.swift)"
assert "default-src 'none'" in policy, policy
# Links to the sources and bugs of cases are followed by a click only.
loaded = re.sub(r"<pre.*?</pre>|<a class=\"away\".*?>", "", page, flags=re.S)
assert not re.search(r"\bsrc=|https?://|@import|url\(", loaded), "the page loads something"

assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["started_at"]), report["started_at"]
assert report["host"] == socket.gethostname(), report["host"]
failed = [each for each in report["results"] if each["verdict"] == "fail"]
shown = [each for each in failed if "exchanges" in each]
assert shown and len(shown) < len(failed), f"{len(shown)} of {len(failed)} failures have exchanges"
assert not any("exchanges" in each for each in report["results"] if each["verdict"] == "pass")
lines = [line for each in shown for one in each["exchanges"] for line in one["request_head"]]
assert any(line.startswith("POST /v1/payments") for line in lines), lines
assert any(re.fullmatch(r"authorization: bearer token#\d+", line.lower()) for line in lines), lines
bodies = [one.get("request_body", "") for each in shown for one in each["exchanges"]]
assert any("payee-lark" in body for body in bodies), bodies
for text in (page, json.dumps(report)):
    assert not re.search(r"cf_counterfoil_\d", text), "a token"
    assert "correct-horse" not in text, "a password"
END
if command -v node >/dev/null; then node --check script.mjs; fi

# A report of an earlier version, without what is new, is still read.
python3 - <<'END'
import json
report = json.load(open("report.json"))
for key in ("started_at", "host", "version"): del report[key]
for result in report["results"]:
    for key in ("exchanges", "exchanges_left_out"): result.pop(key, None)
json.dump(report, open("earlier.json", "w"))
END
"$counterfoil" report report.json earlier.json --html two.html >printed

command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    { echo "skipped: no chromium shows the page"; exit 0; }
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/report.py" "$PWD/report.html" "$PWD/two.html"
