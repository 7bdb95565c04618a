# The guided tours (docs/tours/*.md) tell the truth: parts/console.sh says how. Each ends with the server that it started.
# TOURS names other texts.
. "$ROOT/Tests/Shell/parts/page.sh"
failed=0
for tour in "${TOURS:-$ROOT/docs/tours}"/*.md; do
    grep -q '^```console$' "$tour" || { echo "found no console block in $tour, expected some"; failed=1; continue; }
    page "$tour" || failed=1
done
exit $failed
