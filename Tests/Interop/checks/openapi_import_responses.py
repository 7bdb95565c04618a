"""Reads every row that an imported bank shows to ava, and holds each response against the description.

openapi_import_responses.py DESCRIPTION FOLDER URL [HEADER VALUE]: a path's parameter gets the key of the row that `parent` or the response
names; the next pages are followed where the body has their addresses.
"""
import json
import pathlib
import sys

import requests
import schemathesis
import yaml

description, folder, url = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
headers = {sys.argv[4]: sys.argv[5]} if len(sys.argv) > 5 else {}
bank = yaml.safe_load((folder / "bank.yaml").read_text())
schema = schemathesis.openapi.from_path(description)
ava = next((c for c in bank.get("customers", []) if c["login"] == "ava"), {})


def keys(table, given):
    """The keys of the rows that ava sees, of the parents already chosen."""
    found = bank["tables"][table]
    rows = json.loads((folder / found["file"]).read_text())
    if "key" not in found:
        return []
    own = [str(k) for k in ava.get("owns", {}).get(table, [])]
    belongs = found.get("belongs")
    seen = [r for r in rows if not own or str(r[found["key"]]) in own]
    if isinstance(belongs, dict):
        (field, parent), = belongs.items()
        wanted = given.get(parent, "ava" if parent == "customer" else None)
        seen = [r for r in seen if wanted is None or str(r[field]) == wanted]
    return [str(r[found["key"]]) for r in seen]


def parameters(operation):
    """The table of each parameter of the path."""
    named = {}
    for table, source in (operation.get("parent") or {}).items():
        if isinstance(source, dict) and "path" in source:
            named[source["path"]] = table

    def look(value):
        if isinstance(value, dict):
            for word in ("row", "rows"):
                for field, source in (value.get("where") or {}).items() if word in value else ():
                    table = bank["tables"][value[word]]
                    if isinstance(source, dict) and "path" in source and field == table.get("key"):
                        named.setdefault(source["path"], value[word])
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    look(operation.get("reply"))
    return named


failed = read = 0
for name, operation in bank["operations"].items():
    method, path = operation["request"].split(" ")
    # The sign-in page is made from a flow of OAuth, and no path of the description.
    if method != "GET" or operation.get("sign_in"):
        continue
    named, given, target = parameters(operation), {}, path
    for part in [p[1:p.index("}")] for p in path.split("/") if p.startswith("{")]:
        choice = keys(named[part], given)[:1] if part in named else ["1"]
        if not choice:
            break
        given[named.get(part, part)] = choice[0]
        target = target.replace("{%s}" % part, choice[0])
    described = schema[path][method]
    query = {}
    for parameter in described.query:
        definition = parameter.definition
        if definition.get("required"):
            shape = definition.get("schema", {})
            query[definition["name"]] = (shape.get("enum") or [None])[0] or {
                "date-time": "2000-01-01T00:00:00Z", "date": "2000-01-01"}.get(shape.get("format"), given.get("accounts") or "1")
            if any(word in definition["name"].lower() for word in ("max", "end", "to")) and "format" in shape:
                query[definition["name"]] = {"date-time": "2100-01-01T00:00:00Z", "date": "2100-01-01"}[shape["format"]]
            if "account" in definition["name"] and "accounts" in bank.get("tables", {}):
                query[definition["name"]] = keys("accounts", {})[0]
    response = requests.get(url + target, params=query, headers=headers, allow_redirects=False)
    read += 1
    if response.status_code >= 400:
        failed += 1
        print(f"{name}: GET {target} {query}: {response.status_code} {response.text[:200]}")
        continue
    try:
        described.validate_response(response)
    except Exception as error:
        failed += 1
        print(f"{name}: GET {target}: {error}")
print(f"{read - failed} of {read} responses are as described")
sys.exit(1 if failed else 0)
