# The judge at work: every mutant fails each case that it names. That the model client passes all of them is in readme.sh.
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")

timeout -k 5 2700 "$counterfoil" mutants "${folders[@]}" --seed 7 >printed || { cat printed; exit 1; }
grep -qE '^([0-9]+) of \1 mutants killed$' printed || { cat printed; exit 1; }

# A mutant that no case detects is reported: the model client itself, under a mutant's name.
cat >harmless <<'END'
#!/bin/sh
if [ "$1" = --list ]; then
    echo '{"name":"harmless","mistake":"none","killed_by":["errors.404"],"control":"data.exact-amounts"}'
else
    exec "$COUNTERFOIL" client --drive
fi
END
chmod +x harmless
code=0
COUNTERFOIL=$counterfoil "$counterfoil" mutants "${folders[@]}" --program ./harmless --mutant 'harm*' >printed || code=$?
[ $code -eq 1 ] && grep -q '^ESCAPED   harmless  none: errors.404 did not fail it$' printed || { cat printed; exit 1; }
