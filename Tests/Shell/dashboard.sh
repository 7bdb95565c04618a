# The dashboard in a browser: what it shows and what it does, driven by parts/dashboard.py; and that no page of another port
# steers the server (parts/strangers.py). Skipped where there is no chromium.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil roundup --stubs "$ROOT/Stubs" --seed 7

# The page is the same each time, its script is sound, and its policy names what it holds.
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
if command -v node >/dev/null; then node --check script.mjs; fi

command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    { echo "no chromium here: what the page shows is not looked at"; exit 0; }
export counterfoil bank
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/strangers.py"
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/Tests/Shell/parts/dashboard.py"
