# .ci/unit-tests runs no tests that were built before the last change of a source, and prints what to do.
mkdir -p .ci Sources/Low Tests/LowTests bin .build
cp "$ROOT/Tests/alone" Tests/
cp "$ROOT/.ci/build" "$ROOT/.ci/environment" "$ROOT/.ci/unit-tests" "$ROOT/.ci/options" .ci/
touch Package.swift Sources/Low/Low.swift Tests/LowTests/LowTests.swift
printf '#!/bin/sh\necho "swift $*" >>called\necho "✔ Test run with 1 test passed after 0.1 seconds."\n' > bin/swift
chmod +x bin/swift
export PATH="$PWD/bin:$PATH"

# Neither a build without the tests nor one of another package prints anything about them.
.ci/build --product counterfoil
.ci/build --package-path examples/PocketApp --scratch-path .build --build-tests
[ ! -e .build/tests-built ] || { echo "a build of something else has marked the tests as built"; exit 1; }
.ci/build --build-tests
.ci/unit-tests > printed 2>&1 || { echo "tests that are as new as their sources were rejected:"; cat printed; exit 1; }

# Far enough apart for every file system, and in the past of every machine.
touch -t 202001010000 Package.swift Sources/Low/Low.swift Tests/LowTests/LowTests.swift
touch -t 202001020000 .build/tests-built
for source in Package.swift Sources/Low/Low.swift Tests/LowTests/LowTests.swift; do
    touch "$source"
    : > called
    ! .ci/unit-tests > printed 2>&1 || { echo "tests older than $source were run"; exit 1; }
    grep -q "unit-tests: $source was changed after the tests were built; build them first: make build" printed || { cat printed; exit 1; }
    [ ! -s called ] || { echo "swift was called:"; cat called; exit 1; }
    touch -t 202001010000 "$source"
done

# Tests that fail, end before their end, or are none, have not passed; their complaints are shown.
for ending in 'echo "✘ Test run with 2 tests failed"; exit 1' 'echo "✔ Test one() passed"' 'echo "✔ Test run with 0 tests passed"' \
    'echo "✔ Test run with 1 test passed"; exit 1' 'echo "✘ Test one() recorded an issue at one.swift:1:1: found 2"; exit 1'; do
    printf '#!/bin/sh\n%s\n' "$ending" >bin/swift
    status=0
    .ci/unit-tests --filter One >printed 2>&1 || status=$?
    [ $status = 1 ] || { echo "$ending: found status $status, expected 1"; cat printed; exit 1; }
done
grep -q 'found 2' printed || { echo "found no complaint of the test that failed:"; cat printed; exit 1; }
