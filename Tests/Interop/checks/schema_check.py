"""Holds the shipped files and the broken ones of schema_broken.py against the schemas, with jsonschema-rs."""
import json
import os
import pathlib
import re
import subprocess
import sys

import jsonschema_rs
from ruamel.yaml import YAML, YAMLError

from schema_broken import BROKEN, VALID

ROOT = pathlib.Path(os.environ["ROOT"])
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")


yaml = YAML(typ="safe", pure=True)
# A date is a text in JSON, and so in its schemas.
yaml.constructor.yaml_constructors["tag:yaml.org,2002:timestamp"] = yaml.constructor.yaml_constructors["tag:yaml.org,2002:str"]


def rejections(schema, files):
    """The files that the schema rejects, each with the first complaint."""
    validator = jsonschema_rs.validator_for(json.loads(schema.read_text()), validate_formats=True)
    wrong = {}
    for file in files:
        try:
            complaint = next(validator.iter_errors(yaml.load(file)), None)
        except YAMLError as error:
            complaint = error
        if complaint:
            wrong[file.resolve()] = str(complaint)
    return wrong


def schema_of(file):
    """The schema that the file's first line names."""
    line = LINE.match(file.read_text())
    if not line:
        sys.exit(f"{file}: expected the first line to name its schema: # yaml-language-server: $schema=…")
    schema = (file.parent / line[1]).resolve()
    if not schema.is_file():
        sys.exit(f"{file}: found no schema {line[1]}, expected one there")
    return schema


faults = 0
shipped = {}
for file in sorted([*ROOT.glob("Contracts/*.yaml"), *ROOT.glob("Stubs/**/*.yaml")]):
    shipped.setdefault(schema_of(file), []).append(file)
for schema, files in shipped.items():
    wrong = rejections(schema, files)
    faults += len(wrong)
    for file, message in wrong.items():
        print(f"{file}: rejected by {schema.name}: {message}")
    print(f"✔ {schema.name}: {len(files) - len(wrong)} of {len(files)} shipped files")


def written(schema, texts, kind):
    """The texts as files."""
    files = [pathlib.Path(f"{schema.stem}-{kind}-{number}.yaml").resolve() for number in range(len(texts))]
    for file, text in zip(files, texts):
        file.write_text(text)
    return files


for name, texts in BROKEN.items():
    schema = ROOT / name
    valid = rejections(schema, written(schema, VALID[name], "valid"))
    for file, message in valid.items():
        faults += 1
        print(f"{name}: expected it to take {file.read_text()}: {message}")
    files = written(schema, texts, "broken")
    wrong = rejections(schema, files)
    for file, text in zip(files, texts):
        if file not in wrong:
            faults += 1
            print(f"{name}: expected it to reject:\n{text}")
    print(f"✔ {name}: {len(wrong)} of {len(texts)} broken files rejected")

# The reader rejects everything that a schema rejects: an editor reports no false error.
folder = pathlib.Path("read").resolve()
for name in ("Stubs/outages", "Contracts"):
    (folder / name).mkdir(parents=True)
for number, text in enumerate(BROKEN["schemas/plan.schema.json"]):
    (folder / f"Stubs/outages/plan-{number}.yaml").write_text(text)
for number, text in enumerate(BROKEN["schemas/contract.schema.json"]):
    (folder / f"Contracts/pay.{number}.yaml").write_text(text.replace("pay.once", f"pay.once-{number}"))
command = [os.environ["COUNTERFOIL"], "validate", "--stubs", str(folder / "Stubs"), "--contracts", str(folder / "Contracts"), "--json"]
complaints = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["complaints"]
files = sorted([*folder.glob("Stubs/outages/*"), *folder.glob("Contracts/*")])
complained = {pathlib.Path(complaint["file"]).name for complaint in complaints if complaint["file"] and not complaint["warning"]}
complained &= {file.name for file in files}
for file in files:
    if file.name not in complained:
        faults += 1
        print(f"expected `counterfoil validate` to reject what its schema rejects:\n{file.read_text()}")
print(f"✔ counterfoil validate rejects {len(complained)} of these {len(files)}, as the schemas do")
missing = {str(schema.relative_to(ROOT)) for schema in shipped} - set(BROKEN)
if missing:
    sys.exit(f"schema_broken.py has no broken file for {sorted(missing)}")
sys.exit(1 if faults else 0)
