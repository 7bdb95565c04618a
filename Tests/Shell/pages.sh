# The other pages of docs/ are correct: parts/console.sh describes the check.
. "$ROOT/Tests/Shell/parts/page.sh"
find "$ROOT" -name '*.md' -not -path "$ROOT/.build/*" -exec grep -l '^```console$' {} + | sort >names
grep -q '/docs/' names || { echo "found no page of docs/ with a console block, expected some"; exit 1; }
failed=0
while read -r file; do
    case ${file#"$ROOT/"} in
    README.md) ;;                         # readme.sh
    docs/ci.md | docs/devices.md) ;;      # ci-recipe.sh, devices.sh: with more than their consoles
    docs/*) page "$file" || failed=1 ;;
    *) echo "found console blocks in ${file#"$ROOT/"}, which no test runs: put them into a page of docs/"; failed=1 ;;
    esac
done <names
exit $failed
