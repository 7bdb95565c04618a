# README.md is correct: parts/console.sh describes the check. README names another text than that of this clone.
. "$ROOT/Tests/Shell/parts/page.sh"
lines=$(wc -l <"$ROOT/README.md")
[ "$lines" -le 90 ] || { echo "README.md has $lines lines, expected at most 90: move some of it to docs/"; exit 1; }
page "${README:-$ROOT/README.md}"
