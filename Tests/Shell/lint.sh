# .ci/lint finds each fault it is there for, in a small package that is otherwise clean.
# It makes and removes files where it stands: only .ci/shell-tests runs it, in a folder made for it.
[ -z "$(ls -A | grep -v '^output$')" ] || { echo "expected an empty folder, found $PWD"; exit 1; }

# clean: a package without a fault: two layers, and a wing that a test may depend on.
clean() {
    rm -rf Package.swift Sources Tests deploy
    mkdir -p Sources/Low Sources/High Sources/CounterfoilTesting Sources/Wing/Side Tests/LowTests Tests/SideTests
    cat >Package.swift <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "small",
    targets: [
        .target(name: "Low"),
        .target(name: "Side", path: "Sources/Wing/Side"),
        .target(name: "High", dependencies: ["Low"]),
        .testTarget(name: "LowTests", dependencies: ["Low"]),
        .testTarget(name: "SideTests", dependencies: ["Side"]),
    ]
)
SWIFT
    echo 'let low = 1' >Sources/Low/Low.swift
    echo 'let side = 1' >Sources/Wing/Side/Side.swift
    printf 'internal import Foundation\nimport Low\n' >Sources/High/High.swift
    printf 'import Testing\n\n@testable import Low\n' >Tests/LowTests/LowTests.swift
    printf 'import Testing\n\n@testable import Side\n' >Tests/SideTests/SideTests.swift
}

# finds FILE SWIFT COMPLAINT: with that text in that file, lint fails with that complaint.
finds() {
    clean
    printf '%s\n' "$2" >"$1"
    local printed
    if printed=$("$ROOT/.ci/lint" . 2>&1); then
        echo "lint found nothing in $1 with: $2"
        exit 1
    fi
    [[ $printed == *"$3"* ]] || { echo "lint on $1 with «$2»: found «$printed», expected «$3»"; exit 1; }
}

lines() { for ((line = 0; line < $1; line++)); do echo "let value$line = $line"; done; }

clean
"$ROOT/.ci/lint" .

finds Sources/Low/Low.swift 'let  low = 1' '[Spacing]'
finds Sources/Low/Low.swift 'let low = Int("1")!' '[NeverForceUnwrap]'
finds Sources/Low/Low.swift '  let low = 1' '[Indentation]'

finds Sources/Low/Low.swift 'import High' 'Sources/Low/Low.swift:1:1: found import High, expected a module that Low declares'
finds Sources/Low/Low.swift 'public import struct High.Value' 'found import High'
finds Sources/High/High.swift 'import NIOCore' 'found import NIOCore, expected a module that High declares'
finds Tests/LowTests/LowTests.swift '@testable import High' 'Tests/LowTests/LowTests.swift:1:1: found import High'
finds Package.swift "$(clean && sed 's/name: "Low")/name: "Low", dependencies: ["High"])/' Package.swift)" \
    'Low depends on High, which does not stand above it'
finds Package.swift "$(clean && sed '/LowTests/d' Package.swift)" 'the folder LowTests is no target'
finds Package.swift "$(clean && sed '/Side/d' Package.swift)" 'the folder Wing is no target'
finds Package.swift "$(clean && sed 's/name: "High", dependencies: \["Low"/&, "Side"/' Package.swift)" \
    'High depends on Side, which is part of the wing Wing: only programs and tests may'
finds Package.swift "$(clean && sed 's/\.target(name: "High"/.systemLibrary(name: "CLow"), .target(name: "BankEngine", dependencies: ["CLow"]), &/' Package.swift)" \
    'BankEngine brings the system library CLow (BankEngine → CLow), expected none'
finds Package.swift 'let' 'error'

finds Sources/Low/Low.swift "$(lines 301)" 'Sources/Low/Low.swift has 301 lines, expected at most 300'
finds Tests/LowTests/LowTests.swift "$(lines 401)" 'Tests/LowTests/LowTests.swift has 401 lines, expected at most 400'

finds Sources/Low/Low.swift 'let low = try! value()' 'a crash waiting to happen'
finds Sources/Low/Low.swift 'let low = Array(withUnsafeBytes(of: value().bigEndian) { $0 })' 'a pointer leaves its closure'
finds Sources/Low/Low.swift 'let low = bytes.withUnsafeBufferPointer { bytes in bytes }' 'a pointer leaves its closure'
finds Sources/Low/Low.swift 'let low = value as! Int' 'a crash waiting to happen'
finds Sources/Low/Low.swift 'func low() { fatalError("no") }' 'a crash waiting to happen'
finds Sources/Low/Low.swift 'final class Low: @unchecked Sendable {}' 'a promise the compiler cannot check'
finds Sources/Low/Low.swift 'nonisolated(unsafe) var low = 1' 'a promise the compiler cannot check'
finds Sources/Low/Low.swift $'#if canImport(Glibc)\n    let low = 1\n#endif' 'what differs from system to system stands in Sources/Platform'
finds Sources/Low/Low.swift $'#if os(Linux)\n    let low = 1\n#endif' 'what differs from system to system'
finds Sources/High/High.swift 'import Darwin' 'what differs from system to system'
finds Tests/LowTests/LowTests.swift 'import Glibc' 'what differs from system to system'
finds Sources/Low/Low.swift 'func low() { if #available(macOS 26, *) {} }' 'name both'
finds Sources/Low/Low.swift 'let low: [() throws(LowError) -> Int] = []' 'a function with typed throws as a type argument'
finds Sources/Low/Low.swift 'let low = Locked<(@Sendable (Int) async throws(LowError) -> Int)?>(nil)' 'a function with typed throws as a type argument'
finds Sources/Low/Low.swift $'struct Low {\n    var open: (@Sendable () throws(LowError) -> Int)?\n    func low() throws -> Int? { try open.map { try $0() } }\n}' \
    'a function with typed throws as a type argument'
finds Sources/Low/Low.swift 'let low = pthread_self()' "has other types or none on Apple's systems"
finds Tests/LowTests/LowTests.swift 'import SystemPackage' "Subprocess has the paths of System on Apple's systems"
finds Sources/Low/Low.swift '// TODO: later' 'a promise in a comment'
finds Tests/LowTests/LowTests.swift 'func wait() async throws { try await Task.sleep(for: .seconds(1)) }' 'a test that sleeps'
finds Tests/LowTests/LowTests.swift 'func wait() { usleep(10) }' 'a test that sleeps'
finds Tests/LowTests/LowTests.swift 'func check() { #expect(true) }' 'a test that cannot fail'
finds Tests/LowTests/wait.sh 'if true; then' 'is no valid bash'
finds Tests/LowTests/wait.sh 'grep -q a b && grep -q c d' 'continues if this fails'
finds Tests/LowTests/wait.sh '! grep -q a b' 'continues if this fails'

listed() { printf '/// Is low.\n///\n/// - Parameters:\n%s\n/// - Returns: it.\nfunc low(a: Int, b: Int) -> Int { a + b }' "$1"; }
finds Sources/CounterfoilTesting/Low.swift "$(listed '/// - a: one.')" 'found no indented item below `- Parameters:`'

# Each of these lines by itself, in one run.
gnu=('sed -i s/a/b/ x' 'readlink -f x' 'date -d now' 'stat -c %s x' 'timeout 3 true' 'flock x true' 'mktemp -p x' 'xargs -r echo'
    'grep -P x y' 'ps -A -o pid=,args=' 'install -D x y' 'mapfile -t all' 'declare -A all' 'echo "${all,,}"' 'head -n -1 x')
clean
mkdir -p deploy/package
printf '%s\n' "${gnu[@]}" >deploy/package/install
printed=$("$ROOT/.ci/lint" . 2>&1) && exit 1
[[ $printed == *'deploy/package/install is run on macOS'* ]]
for line in "${gnu[@]}"; do
    [[ $printed == *":$line"* ]] || { echo "lint passes over «$line» in a script that macOS runs"; exit 1; }
done
