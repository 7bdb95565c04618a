# .ci/unit-tests runs no tests that were built before the last change of a source, and says what to do.
mkdir -p .ci Sources/Low Tests/LowTests bin .build
cp "$ROOT/.ci/alone" "$ROOT/.ci/build" "$ROOT/.ci/unit-tests" "$ROOT/.ci/options" .ci/
touch Package.swift Sources/Low/Low.swift Tests/LowTests/LowTests.swift
printf '#!/bin/sh\necho "swift $*" >> called\n' > bin/swift
chmod +x bin/swift
export PATH="$PWD/bin:$PATH"

# Neither a build without the tests nor one of another package says anything of them.
.ci/build --product counterfoil
.ci/build --package-path Examples/PocketApp --scratch-path .build --build-tests
[ ! -e .build/tests-built ] || { echo "a build of something else has marked the tests as built"; exit 1; }
.ci/build --build-tests
.ci/unit-tests > told 2>&1 || { echo "tests that are as new as their sources were refused:"; cat told; exit 1; }

for source in Package.swift Sources/Low/Low.swift Tests/LowTests/LowTests.swift; do
    touch -t 204001010000 "$source"
    : > called
    ! .ci/unit-tests > told 2>&1 || { echo "tests older than $source were run"; exit 1; }
    grep -q "unit-tests: $source was changed after the tests were built; build them first: make build" told || { cat told; exit 1; }
    [ ! -s called ] || { echo "swift was called:"; cat called; exit 1; }
    touch -t 202001010000 "$source"
done
