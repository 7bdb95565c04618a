# Links in our texts lead somewhere: relative ones to a file that is there, <doc:Name> to an article of the same catalogue.
: "${ROOT:?run this through .ci/shell-tests}"
found=0
while read -r text; do
    while read -r link; do
        [[ $link == *://* || $link == \#* || $link == mailto:* ]] && continue
        found=$((found + 1))
        [ -e "$(dirname "$text")/${link%%#*}" ] || { echo "${text#"$ROOT/"}: found a link to $link, expected a file that is there"; exit 1; }
    done < <(sed -E 's/`[^`]*`//g' "$text" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/')
    while read -r name; do
        found=$((found + 1))
        [ -e "$(dirname "$text")/$name.md" ] || { echo "${text#"$ROOT/"}: found <doc:$name>, expected an article beside it"; exit 1; }
    done < <(grep -oE '<doc:[A-Za-z0-9-]+>' "$text" | sed -E 's/^<doc:(.*)>$/\1/')
done < <(find "$ROOT" -name '*.md' -not -path '*/.build*')
[ "$found" -ge 10 ] || { echo "found $found links, expected at least 10: the test looks past them"; exit 1; }
