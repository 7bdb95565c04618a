# The clients for Python, JavaScript and Java download the program if COUNTERFOIL_URL has the address of the archive of `make dist`, and nothing
# else does: what is wrong in one way each is rejected with a message, and leaves nothing behind.
! command -v counterfoil >/dev/null || { echo "skipped: counterfoil is on the path, so no client downloads it"; exit 0; }
unset COUNTERFOIL COUNTERFOIL_ADMIN COUNTERFOIL_ADMIN_TOKEN COUNTERFOIL_URL COUNTERFOIL_SHA256 COUNTERFOIL_CACHE
export COUNTERFOIL_STUBS=$ROOT/Stubs COUNTERFOIL_HOME=$PWD/home

# The archive, as deploy/package/dist makes it, of a program that runs the built one, with a path that does not fit into 100 characters.
name=counterfoil-$("$counterfoil" --version)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
long=$name/share/$(printf 'a%.0s' {1..60})/$(printf 'b%.0s' {1..60})
mkdir -p "tree/$name/bin" "tree/$long"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$counterfoil" | tee "tree/$name/bin/counterfoil" >"tree/$long/file"
chmod 755 "tree/$name/bin/counterfoil"
archive=$PWD/$name.tar.gz
tar --create --directory tree --sort=name --format=ustar "$name" | gzip --no-name >"$archive"
: >asked
python3 "$ROOT/Tests/Shell/parts/downloads.py" "$archive" >port 2>served &
web=$!
trap 'kill $web 2>/dev/null || true' EXIT
await port $web || fail "found no server, expected one: $(cat served)"

# One program for each language: for each line of `cases` it starts a server from that address, and prints `ok`, or the message in one line.
cat >client.py <<'PYTHON'
import os, pathlib, counterfoil
for line in pathlib.Path("cases").read_text().splitlines():
    name, os.environ["COUNTERFOIL_URL"], os.environ["COUNTERFOIL_SHA256"] = line.split()[:3]
    os.environ["COUNTERFOIL_CACHE"] = f"caches/python/{name}"
    try:
        with counterfoil.serve("counterfoil") as server:
            print(name, "ok" if server.version()["banks"] == ["counterfoil"] else "another server")
    except counterfoil.StartError as error:
        print(name, " ".join(str(error).split()))
PYTHON
cat >client.mjs <<'JAVASCRIPT'
import { readFileSync } from 'node:fs';
const { serve, StartError } = await import(`${process.env.ROOT}/clients/js/src/index.js`);
for (const line of readFileSync('cases', 'utf8').trim().split('\n')) {
  const [name, url, sha256] = line.split(' ');
  Object.assign(process.env, { COUNTERFOIL_URL: url, COUNTERFOIL_SHA256: sha256, COUNTERFOIL_CACHE: `caches/js/${name}` });
  try {
    const server = await serve(['counterfoil']);
    console.log(name, (await server.version()).banks.join() === 'counterfoil' ? 'ok' : 'another server');
    await server.stop();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.log(name, error.message.replace(/\s+/g, ' '));
  }
}
JAVASCRIPT
cat >Client.java <<'JAVA'
import counterfoil.Counterfoil;
import counterfoil.CounterfoilException;
import java.nio.file.Files;
import java.nio.file.Path;

final class Client {
    public static void main(String[] none) throws Exception {
        for (String line : Files.readAllLines(Path.of("cases"))) {
            String[] words = line.split(" ");
            System.setProperty("counterfoil.url", words[1]);
            System.setProperty("counterfoil.sha256", words[2]);
            System.setProperty("counterfoil.cache", "caches/java/" + words[0]);
            try (Counterfoil server = Counterfoil.start("counterfoil")) {
                System.out.println(words[0] + (server.bankNames().toString().equals("[counterfoil]") ? " ok" : " another server"));
            } catch (CounterfoilException error) {
                System.out.println(words[0] + " " + error.getMessage().replaceAll("\\s+", " "));
            }
        }
    }
}
JAVA
in_python() { PYTHONPATH=$ROOT/clients/python/src timeout 600 python3 -B -W error client.py; }
in_js() { timeout 600 node client.mjs; }
in_java() { timeout 600 java -cp client.jar Client; }
languages=python
if command -v node >/dev/null && node --eval 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
    languages+=' js'
else
    echo "skipped: no node 20 runs the client for JavaScript"
fi
if command -v javac >/dev/null && [ "$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')" -ge 17 ]; then
    languages+=' java'
    # The version is in the manifest (deploy/package/dist-java).
    javac -proc:none -d classes "$ROOT"/clients/java/src/main/java/counterfoil/*.java Client.java
    echo "Implementation-Version: $("$counterfoil" --version)" >manifest
    jar --create --file client.jar --manifest manifest -C classes .
else
    echo "skipped: no JDK 17 runs the client for Java"
fi

for language in $languages; do
    caches=caches/$language
    mkdir -p "$caches"
    # A file in the place of a cache.
    : >"$caches/occupied"
    "in_$language" >found 2>output || fail "$language: $(cat found output)"
    while read -r case url sum expected; do
        found=$(sed -n "s/^$case //p" found)
        [[ $found =~ ^(.*[^a-z])?$expected ]] && { [ "$expected" = ok ] || [[ $found == *"download the program from"* ]]; } ||
            fail "$language: $case: found «$found», expected «$expected»"
        [ "$expected" = ok ] || [ -z "$(ls -A "$caches/$case/" 2>/dev/null)" ] || fail "$language: $case: found left: $(ls -A "$caches/$case")"
        [ "$expected" != ok ] || [ "$(ls -A "$caches/$case")" = "$name-$sum" ] || fail "$language: $case: found $(ls -A "$caches/$case")"
    done <cases
    ! grep sesame found || fail "$language: found a secret in a message, as shown above"
    diff -r "tree/$name" "$caches/good"/*
    [ -x "$(echo "$caches/good"/*/bin/counterfoil)" ] && [ ! -x "$(find "$caches/good" -name file)" ] || fail "$language: found other modes"
    [ ! -e evil ] && [ ! -e /tmp/evil ] || fail "$language: found a file outside the cache"
done

# A redirect to another host is not followed: that host was asked for nothing.
[ "$(grep -c '^/good/' asked)" = "$(($(wc -w <<<"$languages") * 4))" ] || fail "found $(grep -c '^/good/' asked) requests for the archive: $(sort asked | uniq -c)"

# From the cache without the network; several at a time; and nothing is asked for where the program is on the path, or by default.
sed -i '/^good /!d' cases
cp asked before
for language in $languages; do
    kill -STOP $web
    "in_$language" | grep -qx 'good ok' || fail "$language: found no program in the cache"
    kill -CONT $web
    rm -r "caches/$language/good"
    "in_$language" >first 2>&1 & one=$!
    "in_$language" >second 2>&1 & two=$!
    wait $one && wait $two && grep -qx 'good ok' first && grep -qx 'good ok' second || fail "$language: two at a time: $(cat first second)"
    [ "$(ls -A "caches/$language/good" | wc -l)" = 1 ] || fail "$language: found $(ls -A "caches/$language/good")"
    mkdir -p "folder/counterfoil"
    PATH=$PWD/folder:$PATH "in_$language" | grep -qx 'good ok' || fail "$language: took a folder on the path for the program"
    cp asked before
    rm -r "caches/$language/good"
    mkdir -p path && cp "tree/$name/bin/counterfoil" path/
    PATH=$PWD/path:$PATH "in_$language" | grep -qx 'good ok' || fail "$language: found no program on the path"
    cmp asked before || fail "$language: found a request although the program is on the path"
done
PYTHONPATH=$ROOT/clients/python/src python3 -B -c 'import counterfoil; counterfoil.serve()' >found 2>&1 && fail "found a program without COUNTERFOIL_URL"
grep -q 'cannot run counterfoil: No such file' found || fail "found another error without COUNTERFOIL_URL: $(cat found)"
cmp asked before
