# The generators of `make soak` work: a hundredth of their inputs holds, and each notices a program that is wrong on purpose.

# Their checks can fail.
"$ROOT/Tests/Soak/run" --self-test --seed "${SEED:-7}" >trials || { cat trials; exit 1; }

# A machine that is busy with other tests is slow, and no hang.
export SOAK_BOUND=30
# The table is put into a copy of its page, which has the marks for it.
cp "$ROOT/docs/reliability.md" page.md
"$ROOT/Tests/Soak/run" "$counterfoil" --short --seed "${SEED:-7}" --write page.md >short || { cat short; exit 1; }

# A line for each generator, with a count.
generators=$(find "$ROOT/Tests/Soak/inputs" -maxdepth 1 -type f -perm -u+x | wc -l)
lines=$(sed -n '/^<!-- soak -->$/,/^<!-- \/soak -->$/p' page.md | grep -cE '^\| .+ \| [0-9,]+ \| [^*]+ \|$')
[ "$lines" = "$generators" ] || { cat page.md; echo "found $lines lines of the table, expected $generators"; exit 1; }
