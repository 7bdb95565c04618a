"""har_served.py HAR STUBS BANK PRINTED: the bank that `import har --json` learned of the HAR answers the reads in it, without its secrets.

PRINTED is what the import printed. A value may differ only in the members that it lists as replaced.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

har, stubs, name, printed = (pathlib.Path(path) for path in sys.argv[1:])
entries = json.loads(har.read_text())["log"]["entries"]
folder = stubs / name
report = json.loads(printed.read_text())
replaced = set(report["replaced"])


def fail(text):
    sys.exit(text)


def header(message, name):
    return next((field["value"] for field in message["headers"] if field["name"].lower() == name), "")


def body(entry):
    """The response as JSON; None if it is not JSON."""
    try:
        return json.loads(entry["response"]["content"].get("text") or "")
    except ValueError:
        return None


def leaves(value, member=""):
    """The scalars of a JSON value, each with the member that has it."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, key)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, member)]
    return [(member, value)]


# What must not be in the folder: tokens, keys, the password and the user, and the personal data of every response.
secrets = set()
for entry in entries:
    secrets.add(header(entry["request"], "authorization").removeprefix("Bearer "))
    secrets.add(header(entry["request"], "idempotency-key"))
    form = urllib.parse.parse_qs(entry["request"].get("postData", {}).get("text", ""))
    secrets.update(form.get("password", []))
    for member, value in leaves(body(entry)):
        if member == "access_token" or member in replaced:
            secrets.add(str(value))
secrets = {secret for secret in secrets if len(secret) >= 6}
if not any("secret-of-the-bank" in secret for secret in secrets) or len(secrets) < 6:
    fail(f"found only {len(secrets)} secrets in the HAR")
for file in [printed, *(path for path in stubs.rglob("*") if path.is_file())]:
    text = file.read_text(errors="replace")
    plain = [text, urllib.parse.unquote(text), re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)]
    for secret in secrets:
        # Base 64 of a secret within a longer text begins in one of three places of a group.
        coded = [base64.b64encode(b"\0" * shift + secret.encode())[4 if shift else 0:-4].decode() for shift in range(3)]
        coded += [form.replace("+", "-").replace("/", "_") for form in coded]
        if any(secret in form for form in plain) or any(form in text for form in coded):
            fail(f"found a secret of {len(secret)} characters in {file}")

server = subprocess.Popen(
    [os.environ["COUNTERFOIL"], "serve", name, "--stubs", stubs, "--port", "0", "--admin-port", "0", "--ready-file", "ready", "--quiet"],
    stdout=subprocess.DEVNULL)
try:
    ready = pathlib.Path("ready")
    until = time.monotonic() + 120
    while not (ready.exists() and ready.read_text().endswith("\n")):
        if time.monotonic() > until or server.poll() is not None:
            fail("the learned bank is not served")
        time.sleep(0.05)
    address = json.loads(ready.read_text())["bank"]

    def ask(path, token=None, form=None):
        """The status and the body as JSON."""
        request = urllib.request.Request(address + path, urllib.parse.urlencode(form).encode() if form else None)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    definition = (folder / "bank.yaml").read_text()
    user, password = (re.search(rf"{key}: ([^,}}\s]+)", definition)[1] for key in ["login", "password"])
    status, granted = ask("/oauth/token", form={"grant_type": "password", "username": user, "password": password})
    if status != 200:
        fail(f"found {status} at the sign-in of the learned customer, expected 200")

    checked = set()
    for entry in entries:
        expected = body(entry)
        status = entry["response"]["status"]
        path = urllib.parse.urlsplit(entry["request"]["url"]).path
        # A 429 comes and goes: it is the dialect's response to a fault.
        if entry["request"]["method"] != "GET" or expected is None or status == 429:
            continue
        token = header(entry["request"], "authorization") and (granted["access_token"] if status == 200 else "no-token-of-this-bank")
        found = ask(path, token)
        same = found[0] == status and len(leaves(found[1])) == len(leaves(expected)) and all(
            one == other or one[0] == other[0] and one[0] in replaced and len(str(one[1])) == len(str(other[1]))
            for one, other in zip(leaves(expected), leaves(found[1])))
        if not same:
            fail(f"GET {path}: found {found}, expected {status} {expected}, but for {sorted(replaced)}")
        checked.add((path, status))
    if len(checked) < 3:
        fail(f"found only the reads {checked}, expected more of the client's")
finally:
    server.terminate()
    server.wait(10)
