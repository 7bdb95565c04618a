# The steering client for Java: its jars are the same bytes twice, its tests hold against the real server, and the README shows code
# that one of them runs.
for tool in javac jar java; do
    command -v $tool >/dev/null || { echo "skipped: no $tool tests the client for Java"; exit 0; }
done
java=$ROOT/clients/java
junit=${JUNIT:-/usr/share/java}
export COUNTERFOIL=$counterfoil
unset COUNTERFOIL_ADMIN COUNTERFOIL_ADMIN_TOKEN COUNTERFOIL_STUBS

[ "$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" -ge 17 ] || { echo "skipped: $(javac -version 2>&1) is older than 17"; exit 0; }

export SOURCE_DATE_EPOCH=1700000000
(umask 022 && "$ROOT/deploy/package/dist-java" 1.2.3 first 2>output)
(umask 077 && cd / && TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$ROOT/deploy/package/dist-java" 1.2.3 "$OLDPWD/second" 2>/dev/null)
for jar in first/*.jar; do
    cmp "$jar" "second/$(basename "$jar")" || fail "the same tree gave two of $jar, expected one"
done
[ -s first/counterfoil-client-1.2.3.jar ] || fail "found no jar of the client, expected one"
jar --list --file first/counterfoil-client-1.2.3.jar >listed
grep -qx counterfoil/Counterfoil.class listed && grep -qx META-INF/LICENSE listed || fail "found in the jar: $(cat listed)"

# It adds its sums to those of the archive.
: >first/SHA256SUMS
"$ROOT/deploy/package/dist-java" 1.2.3 first 2>>output
(cd first && [ "$(wc -l <SHA256SUMS)" = "$(ls ./*.jar | wc -l)" ] && sha256sum --check --quiet SHA256SUMS) || fail "found the sums $(cat first/SHA256SUMS)"

# Each block of Java in the README stands in a test, but for that of JUnit 4 (Tests/Interop/checks/junit4).
python3 - "$java" <<'PYTHON'
import pathlib, re, sys
java = pathlib.Path(sys.argv[1])
plain = lambda text: "\n".join(line.strip() for line in text.strip().split("\n"))
tests = [plain(path.read_text()) for path in java.glob("src/test/java/**/*.java")]
blocks = [block for block in re.findall(r"```java\n(.*?)```", (java / "README.md").read_text(), re.DOTALL) if "BankRule" not in block]
assert len(blocks) > 1, f"found {len(blocks)} blocks of Java in the README, expected some"
lost = [block for block in blocks if not any(plain(block) in test for test in tests)]
assert not lost, "found in no test:\n" + lost[0]
PYTHON

[ -s first/counterfoil-junit-1.2.3.jar ] && [ -e "$junit/junit-platform-console-standalone.jar" ] ||
    { echo "skipped: no JUnit 5 in $junit runs the tests of the client for Java: $(cat output)"; exit 0; }
classpath=$PWD/first/counterfoil-client-1.2.3.jar:$PWD/first/counterfoil-junit-1.2.3.jar:$junit/junit-platform-console-standalone.jar:$PWD/tests
mkdir tests
find "$java/src/test/java" -name '*.java' | sort >sources
javac --release 17 -encoding UTF-8 -cp "$classpath" -d tests @sources
status=0
timeout 900 java -Dcounterfoil.stubs="$ROOT/Stubs" -Dfile.encoding=UTF-8 -cp "$classpath" org.junit.platform.console.ConsoleLauncher \
    --disable-banner --disable-ansi-colors --scan-classpath tests --include-classname '.*Test' >ran 2>&1 || status=$?
[ $status = 0 ] || fail "$(tail -n 100 ran)"
passed=$(sed -nE 's/^\[ *([0-9]+) tests successful .*/\1/p' ran)
[ "${passed:-0}" -gt 20 ] || fail "found ${passed:-no} tests that passed, expected more than 20: $(tail -n 20 ran)"
