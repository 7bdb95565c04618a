# docs/adding.md names every list that an addition touches. A list is a file that names each member of a family, such as every kind of
# fault; files `Name.swift` and `Name+Part.swift` of one folder are one. PAGE names another page.
check() {
    python3 - "$ROOT" "${PAGE:-$ROOT/docs/adding.md}" <<'PYTHON'
import collections, pathlib, re, subprocess, sys

root, page = map(pathlib.Path, sys.argv[1:])
faults, lists = [], 0
# What `counterfoil schema` writes, what the text of cases and change notes happens to name, and lists of pages.
LEFT_OUT = re.compile(r"schemas/|docs/reference/|docs/llms\.txt|docs/driver-protocol\.md|Contracts/\w+\.\w+\.yaml|CHANGELOG\.md")
texts = collections.defaultdict(str)
for file in subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n"):
    path = pathlib.PurePath(file)
    if file and not LEFT_OUT.match(file) and (root / file).is_file() and path.suffix not in (".png", ".bin", ".gz"):
        texts[str(path.with_name(path.name.split("+")[0].removesuffix(path.suffix) + path.suffix))] += (root / file).read_text(errors="ignore")


def below(folder):
    return "".join(text for file, text in texts.items() if file.startswith(folder))


def spellings(name):
    """The spellings of a name in files, in Swift, and as a fault's type."""
    first, *rest = name.split("-")
    camel = first + "".join(word.title() for word in rest)
    return rf'(?i:{"".join(name.split("-"))}fault)|{camel}|{name}'


word = r"(?<![\w-])(?:{})(?![\w-])"
quoted = r'["`](?:{})["`]'
banks = sorted(path.parent.name for path in (root / "Stubs").glob("*/bank.yaml"))
# The section of the page, the members, and how a file names one.
FAMILIES = [
    ("A bundled bank", banks, quoted),
    ("A dialect", sorted(path.stem for path in (root / "Stubs/dialects").glob("*.yaml")), word),
    ("A fault", re.findall(r'let kind = "([a-z-]+)"', below("Sources/Faults/Kinds/")), word),
    ("A predicate", re.findall(r"struct (\w+Predicate): Predicate\b", below("Sources/Contracts/Predicates/")), word),
    ("An invariant", re.findall(r"id: invariant\.([a-z-]+)", texts["Contracts/invariants.yaml"]), word),
    ("A command", re.findall(r"(\w+)\.self", texts["Sources/CounterfoilCLI/Counterfoil.swift"]), word),
    ("A mutant", re.findall(r"static var (?!all)(\w+): \[Mutant\]", below("Tests/MutantClients/Mutant.")), word),
]
sections = dict(re.findall(r"^##+ (.+)\n((?:(?!##).*\n)*)", page.read_text(), re.MULTILINE))
for section, members, form in FAMILIES:
    if len(members) < 4:
        faults.append(f"found {len(members)} members for «{section}», expected more: the test looks past them")
    patterns = [re.compile(form.format(spellings(member))) for member in members]
    links = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", sections.get(section, ""))]
    named = [str(((root / "docs") / target).resolve().relative_to(root.resolve())) for target in links if not target.startswith("http")]
    for file in sorted(file for file, text in texts.items() if all(pattern.search(text) for pattern in patterns)):
        lists += 1
        if not any(file == name or file.startswith(name + "/") or re.sub(r"\+\w+\.", ".", name) == file for name in named):
            faults.append(f"docs/adding.md, «{section}»: found no link to {file}, expected one: it names all {len(members)} of them")
if lists < 10:
    faults.append(f"found {lists} lists, expected at least 10: the test looks past them")
print("\n".join(faults))
sys.exit(bool(faults))
PYTHON
}
check

# The check can fail: a page without one of the links.
grep -v 'FaultTable' "$ROOT/docs/adding.md" >page.md
output=$(PAGE=$PWD/page.md check 2>&1) && fail "found no fault in a page without the table of the oracle"
[[ $output == *'«A fault»: found no link to Tests/FaultsTests/Oracle/FaultTable.swift'* ]] || fail "$output"
