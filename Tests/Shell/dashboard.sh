# The dashboard in a browser: what it shows and what it does, driven by parts/dashboard.py and parts/dashboard_tools.py; and that no
# page of another port steers the server (parts/strangers.py). Skipped where there is no chromium.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil roundup --stubs "$ROOT/Stubs" --seed 7

# The page is the same each time, its script is valid, and its policy names what it holds.
curl -sf -D head -o page "$COUNTERFOIL_ADMIN/"
curl -sf -o again "$COUNTERFOIL_ADMIN/"
cmp page again
python3 - <<'END'
import base64, hashlib, re

page, head = open("page", newline="").read(), open("head").read()
policy = re.search(r"(?im)^content-security-policy: (.*)$", head)[1]
for name in ("style", "script"):
    inside = re.search(rf"<{name}[^>]*>(.*?)</{name}>", page, re.S)[1]
    wanted = "'sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() + "'"
    assert f"{name}-src {wanted}" in policy, (policy, wanted)
    if name == "script":
        open("script.mjs", "w").write(inside)
END
# One script of all modules: node rejects a name that two of them declare, and an import that was left in it.
if command -v node >/dev/null; then node --check script.mjs; fi
if command -v tsc >/dev/null; then
    tsc --noEmit --allowJs --checkJs --strict --noUnusedParameters --target es2022 --module es2022 --moduleResolution node \
        --lib es2022,dom,dom.iterable "$ROOT/Sources/CDashboard/page/main.js"
else
    echo "skipped: no tsc (Debian: node-typescript) checks the types of the dashboard's modules"
fi
for module in "$ROOT"/Sources/CDashboard/page/*.js; do
    [ "$(head -n 1 "$module")" = "// @ts-check" ] || { echo "$module: found no // @ts-check in its first line"; exit 1; }
    lines=$(wc -l <"$module")
    [ "$lines" -le 300 ] || { echo "$module: found $lines lines, expected at most 300"; exit 1; }
done

for file in "$ROOT"/Sources/CDashboard/page/*; do
    grep -q "#embed \"page/$(basename "$file")\"" "$ROOT/Sources/CDashboard/dashboard.c" ||
        { echo "$file: found no #embed of it in Sources/CDashboard/dashboard.c"; exit 1; }
done

command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    { echo "skipped: no chromium shows the page"; exit 0; }
export counterfoil bank
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/strangers.py"
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/dashboard_tools.py"
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/dashboard.py"
