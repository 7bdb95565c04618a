# counterfoil new driver: each language's driver passes `driver check` and a suite as it is written, and an existing folder is rejected.
# The Swift one is read only: its build takes minutes.
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")

# writes LANGUAGE FILE…: the command writes these files.
writes() {
    local language=$1 found
    shift
    "$counterfoil" new driver --language "$language" --out "$language" >output || fail "new driver --language $language: found status $?: $(cat output)"
    grep -qF "$language/README.md has the commands" output || fail "found «$(cat output)», expected where the commands are"
    found=$(cd "$language" && find . -type f | LC_ALL=C sort | tr '\n' ' ')
    [ "$found" = "$* " ] || fail "new driver --language $language: found $found, expected $*"
}
# judged CLIENT: it is usable, passes every case of three suites that it supports, and exploration finds nothing. With this seed it taps
# a payment order again that was paid, while the bank rejects everything.
judged() {
    "$counterfoil" driver check "${folders[@]}" --client "$1" --bank counterfoil >output || fail "$1: $(cat output)"
    grep -qx 'the driver is usable' output && grep -q 'balance  *as expected' output || fail "$1: $(cat output)"
    "$counterfoil" test "${folders[@]}" --client "$1" --bank counterfoil --seed 7 --filter errors --filter pay --filter signin \
        >output || fail "$1: $(cat output)"
    # The bank's own words are shown; a case of the level `should` alone would not end the run with 1.
    ! grep -q '^FAIL.*signin.locked-account-explained' output || fail "$1: $(cat output)"
    [ "$(sed -nE 's/^([0-9]+) passed.*/\1/p' output)" -ge 20 ] || fail "$1: $(tail -n 20 output), expected at least 20 passed cases"
    "$counterfoil" explore "${folders[@]}" --client "$1" --bank counterfoil --runs 60 --seed 5 >output || fail "$1: $(cat output)"
}

writes python ./README.md ./counterfoil_driver.py ./driver.py
judged "python3 $PWD/python/driver.py"
# By hand: without a server the failure has the protocol's name.
(cd python && python3 driver.py --try http://127.0.0.1:9/counterfoil login user=ava password=x) >output
grep -q '^login: {"outcome": "error", "error": "offline"' output || fail "--try: found $(cat output), expected an error offline"

if command -v node >/dev/null && node --eval 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
    writes javascript ./README.md ./counterfoil-driver.d.mts ./counterfoil-driver.mjs ./driver.mjs
    judged "node $PWD/javascript/driver.mjs"
else
    echo "skipped: no node of version 20 runs the driver in JavaScript"
fi

if command -v javac >/dev/null && [ "$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" -ge 17 ]; then
    writes java ./Driver.java ./README.md ./counterfoil/driver/CounterfoilDriver.java
    (cd java && javac -Xlint:all -Werror -d classes Driver.java) || fail "found a driver in Java that does not compile"
    judged "java -cp $PWD/java/classes Driver"
else
    echo "skipped: no javac of version 17 compiles the driver in Java"
fi

writes swift ./Package.swift ./README.md ./Sources/driver/main.swift
grep -qE '\.package\((name: "counterfoil", path: "/|url: ")' swift/Package.swift || fail "found no dependency in $(cat swift/Package.swift)"
swiftc -parse swift/Package.swift swift/Sources/driver/main.swift

# Folders and languages that are rejected; nothing is written.
for folder in python output; do
    status=0
    "$counterfoil" new driver --language python --out "$folder" 2>complaint || status=$?
    [ $status = 2 ] && grep -qF "$folder: found an existing file or folder, expected none" complaint || fail "found status $status: $(cat complaint)"
done
status=0
"$counterfoil" new driver --language cobol --out cobol 2>complaint || status=$?
[ $status != 0 ] && [ ! -e cobol ] || fail "found status $status for a language without a kit: $(cat complaint)"

# The kits agree: each maps statuses, amounts and days alike, and prints nothing but the protocol on stdout.
python3 -B -m unittest discover --quiet --start-directory "$ROOT/Tests/Drivers" --pattern 'kits_test.py'
