# The documents stand by themselves: links lead to a file or heading that is there, pages on a code host have no DocC links, nothing
# points at a document outside the repository, and a `why` cites public issues as owner/repo#number. FOLDER names another tree.
python3 - "${FOLDER:-$ROOT}" <<'PYTHON'
import os, pathlib, re, sys

root = pathlib.Path(sys.argv[1])
faults, links = [], 0


def fault(path, line, text):
    faults.append(f"{path.relative_to(root)}:{line}: {text}")


def files():
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in (".build", ".git", "__pycache__")]
        yield from (pathlib.Path(folder, name) for name in names)


def lines(path):
    """The lines of a page outside its blocks of code, each with its number."""
    inside = False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(path):
    """The anchors that a code host makes of the headings."""
    headings = (line.lstrip("#").strip() for _, line in lines(path) if re.match(r"#+ ", line))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# Documents that are not here, and apps that are nobody's business. (Written so that this file does not find itself.)
STRANGERS = re.compile(
    r"\bfacts [0-9]|O[r]angeB|S[t]aring|W[o]rldline|a[p]phx|a[r]injoy|A[l]eManni|\bd[e]sign/|bank[-]facts|t[r]uth\.md|a[t]tacks\.md"
    r"|facts/b[u]g-corpus|peers\.md", re.IGNORECASE)
# "repo #12" or "owner/repo #12".
LOOSE_ISSUE = re.compile(r"[A-Za-z0-9_.-]{3,} #[0-9]{2,}\b")

for path in files():
    try:
        text = path.read_text()
    except (UnicodeDecodeError, FileNotFoundError):
        continue
    for number, line in enumerate(text.split("\n"), 1):
        if found := STRANGERS.search(line):
            fault(path, number, f"found {found.group()!r}, expected nothing that points out of the repository")
        if path.suffix == ".yaml" and path.parent.name == "Contracts" and (found := LOOSE_ISSUE.search(line)) and not line.lstrip().startswith("#"):
            fault(path, number, f"found {found.group()!r}, expected a public issue as owner/repo#number")
    if path.suffix != ".md" and path.name != "llms.txt":
        continue
    in_catalogue = any(part.endswith(".docc") for part in path.parts)
    for number, line in lines(path):
        if "<doc:" in line and not in_catalogue:
            fault(path, number, "found a DocC link, expected [words](page.md): code hosts draw this page")
        for name in re.findall(r"<doc:([A-Za-z0-9-]+)>", line) if in_catalogue else []:
            links += 1
            if not (path.parent / f"{name}.md").exists():
                fault(path, number, f"found <doc:{name}>, expected an article beside it")
        for link in re.findall(r"\]\(([^) ]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            target, _, anchor = link.partition("#")
            to = path if not target else path.parent / target
            if not to.exists():
                fault(path, number, f"found a link to {link}, expected a file that is there")
            elif anchor and to.suffix == ".md" and anchor not in anchors(to):
                fault(path, number, f"found a link to {link}, expected one of its headings: {', '.join(sorted(anchors(to)))}")

# Each page can be found from the index of its folder.
for index in (root / "docs/README.md", root / "docs/decisions/README.md"):
    words = index.read_text() if index.exists() else ""
    for page in sorted(index.parent.rglob("*.md")) if words else []:
        name = str(page.relative_to(index.parent))
        if name != "README.md" and f"({name}" not in words and not (index.parent.name == "docs" and name.startswith("decisions/")):
            fault(page, 1, f"found no link to this page in {index.relative_to(root)}")
# The list for language models has the form of llmstxt.org (a title, a quote, sections of links with a note) and names every page.
listed = root / "docs/llms.txt"
if listed.exists():
    words = listed.read_text().split("\n")
    if not re.match(r"# \S", words[0]) or not "".join(words[1:3]).startswith("> "):
        fault(listed, 1, "found no title followed by a quote, expected both first")
    section = False
    for number, line in enumerate(words, 1):
        section = section or line.startswith("## ")
        if section and line and not re.match(r"## \S|- \[[^\]]+\]\([^) ]+\): \S", line):
            fault(listed, number, f"found {line!r}, expected a heading, or `- [name](page): a note`")
    for page in sorted(listed.parent.glob("*.md")):
        if page.name != "README.md" and f"]({page.name})" not in listed.read_text():
            fault(page, 1, "found no link to this page in docs/llms.txt")
# The page of the architecture has every target, and no other.
if (root / "Package.swift").exists():
    declared = set(re.findall(r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"', (root / "Package.swift").read_text()))
    page = root / "docs/architecture.md"
    rows = [line.split("|") for _, line in lines(page) if re.match(r"\| (?:[0-9]|test) \|", line)]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    for name in sorted(declared ^ listed):
        fault(page, 1, f"found {name} {'in the table alone' if name in listed else 'in Package.swift alone'}, expected it in both")
if links < 100 and "FOLDER" not in os.environ:
    faults.append(f"found {links} links, expected at least 100: the test looks past them")
print("\n".join(faults))
sys.exit(bool(faults))
PYTHON

[ -z "${FOLDER:-}" ] || exit 0
# The check can fail: a tree with one of each.
mkdir -p wrong/Contracts wrong/docs
printf '[a](none.md)\n[b](b.md#nowhere)\n<doc:Page>\nAs facts %s says.\n' 5.1 >wrong/a.md
printf '# B\n' >wrong/b.md
printf 'cases:\n- why: "Seen (some-app #123)."\n' >wrong/Contracts/x.yaml
printf '# Pages\n' >wrong/docs/README.md
printf '# Lost\n' >wrong/docs/lost.md
printf 'Pages\n\n## Pages\n- [none](none.md)\n' >wrong/docs/llms.txt
printf '.target(name: "Lost")\n' >wrong/Package.swift
printf '# Architecture\n' >wrong/docs/architecture.md
output=$(FOLDER=$PWD/wrong bash -e "$0" 2>&1) && { echo "found no fault in a tree that is wrong on purpose"; exit 1; }
for place in a.md:1: a.md:2: a.md:3: a.md:4: Contracts/x.yaml:2: docs/lost.md:1: docs/llms.txt:1: docs/llms.txt:4: 'docs/lost.md:1: found no link to this page in docs/llms.txt' 'docs/architecture.md:1: found Lost in'; do
    [[ $output == *"$place"* ]] || { echo "found no fault at $place in a tree that is wrong on purpose: $output"; exit 1; }
done
