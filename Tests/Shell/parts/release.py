"""release.py ROOT WORKFLOW RELEASE: holds a workflow that releases against this repository, and against RELEASE, the folder of a dry run.

It runs for a tag alone; its actions are pinned; no job has more rights than it needs; what its commands name is there; each file that it
publishes is one that the dry run made. It prints each fault, and ends with 1. (The schema of GitHub: Tests/Interop/checks/packaging.)
"""
import fnmatch
import os
import pathlib
import re
import sys

root, workflow, release = map(pathlib.Path, sys.argv[1:])
text = workflow.read_text()
head, _, body = text.partition("\njobs:\n")
faults = []


def expect(holds, fault):
    if not holds:
        faults.append(fault)


expect(re.search(r"^on:\n  push:\n    tags: \['v\*'\]\npermissions: \{\}$", head, re.M), "expected it to run for a tag v… alone, without permissions of its own")
expect("secrets." not in text, "found a secret, expected trusted publishing or the job's own token")
for action in re.findall(r"uses: (.*)", body):
    expect(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9.]+", action), f"found the action {action}, expected a commit and its version in a comment")

#: What each job may do.
RIGHTS = {"release": "contents: write", "image": "packages: write", "pypi": "id-token: write", "npm": "id-token: write", "maven": "packages: write"}
jobs = re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", body, re.M)
expect(len(jobs) == body.count("\n    runs-on:"), f"found {len(jobs)} jobs, expected each with a machine")
for name, job in jobs:
    rights = re.findall(r"^    permissions:\n((?:      .*\n)+)", job, re.M)
    found = [line.partition("#")[0].strip() for line in "".join(rights).splitlines()]
    expect(found == [RIGHTS.get(name, "contents: read")], f"found {found} for the job {name}, expected {RIGHTS.get(name, 'contents: read')}")
    expect(name == "versions" or re.search(r"^    needs: ", job, re.M), f"found the job {name} without needs, expected it after the versions agree")
    expect("GH_TOKEN" not in job or name in RIGHTS, f"found the token in the job {name}")
    # A checkout leaves no token to what is built.
    expect(job.count("actions/checkout@") == job.count("persist-credentials: false"), f"found a checkout in {name} that keeps the token")

targets = set(re.findall(r"^([a-z-]+):.*## ", (root / "Makefile").read_text(), re.M))
commands = "".join(re.findall(r"(?m)^ +-? ?run: (?:\|\n((?:          .*\n)+)|.*\n)", body)) + "\n".join(re.findall(r"run: ([^|].*)", body))
for words in re.findall(r"(?m)(?:^|\s)make ([a-z -]+)$", commands):
    expect(set(words.split()) <= targets, f"found make {words}, expected targets of the Makefile")
scripts = re.findall(r"(?:deploy|\.ci)/[\w/-]+", commands)
for script in scripts:
    expect(os.access(root / script, os.X_OK), f"found {script}, expected a script of this repository")
expect({"deploy/package/versions", "deploy/package/release"} <= set(scripts), f"found the scripts {scripts}, expected versions and release")

made = sorted(path.name for path in release.iterdir())
published = set()
for pattern in re.findall(r"(?<![\w/])(?:\./)?release/(\S*\*[\w.]*)", commands):
    found = set(fnmatch.filter(made, pattern))
    expect(found, f"found release/{pattern}, expected a file that the dry run made: {made}")
    published |= found
expect("release/*" in commands and published == set(made), f"found {sorted(set(made) - published)} attached to no release")
print("\n".join(faults))
sys.exit(bool(faults))
