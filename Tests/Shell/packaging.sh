# Packaging: the archive and its SBOM are the same bytes twice (from a small stand-in for the program, so that it is quick),
# the formula is filled in, the steps of the action do what they say, the Dockerfile, the compose file and the action name what is
# there, and, on a machine with buildah, the image is the same bytes twice. (Schemas of others: Tests/Interop/checks/packaging.)
mkdir bin

# A program that answers what packaging asks of it. strip and ldd look at the machine's own programs instead.
cat >counterfoil <<'PROGRAM'
#!/bin/sh
case $1 in
    --version) echo 0.1.0 ;;
    --experimental-dump-help) echo '{"command": {"commandName": "counterfoil", "abstract": "A stand-in."}}' ;;
    --generate-completion-script) echo "# $2" ;;
    serve) shift; echo "serve $*" >>"$CALLS"; echo '{"admin":"http://127.0.0.1:2","bank":"http://127.0.0.1:1","pid":3}' >"$8"; echo 'Bearer cf_secret' ;;
    test) echo "$*" >>"$CALLS"; exit "${JUDGED:-0}" ;;
esac
PROGRAM
printf '#!/bin/sh\nexit 0\n' >bin/strip
printf '#!/bin/sh\n[ "$1" = "${1%%/counterfoil}" ] || set -- /bin/cat\nexec %s "$@"\n' "$(command -v ldd)" >bin/ldd
chmod +x counterfoil bin/*
PATH=$PWD/bin:$PATH

# The archive: nothing of who makes it, where, when and in which language.
export SOURCE_DATE_EPOCH=1700000000
archive=$(umask 022 && RELEASES=https://builds.example.org/0.1.0/ "$ROOT/deploy/package/dist" counterfoil first)
touch -d yesterday counterfoil
again=$(umask 077 && cd / && LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$ROOT/deploy/package/dist" "$OLDPWD/counterfoil" "$OLDPWD/second")
name=$(basename "$archive" .tar.gz)
wheel=counterfoil_client-0.1.0-py3-none-any.whl
package=counterfoil-client-0.1.0.tgz
for file in "$name.tar.gz" "$name.cdx.json" "$wheel" "$package" SHA256SUMS; do
    cmp "first/$file" "second/$file" || fail "the same program and tree gave two of $file, expected one"
done
(cd first && sha256sum --check --quiet SHA256SUMS)
[[ "$(cut -c 67- first/SHA256SUMS | paste -s -d ' ')" == "$name.tar.gz $name.cdx.json $wheel $package"* ]] || fail "found $(cat first/SHA256SUMS), expected these four files first"
[ "$(basename "$again" .tar.gz)" = "$name" ]
[ ! -e second/counterfoil.rb ]
tar -tvzf "$archive" --full-time --numeric-owner >listed
! grep -vE '^[-dl](rwxr-xr-x|rw-r--r--) 0/0 .* 2023-11-1[45] ' listed || fail "found other owners, modes or times, as shown above"
SOURCE_DATE_EPOCH=1700000001 "$ROOT/deploy/package/dist" counterfoil third >/dev/null
for file in "$name.tar.gz" "$package"; do
    ! cmp -s "first/$file" "third/$file" || fail "found one $file for two times, expected two: the comparison sees nothing"
done

# The packages of the steering clients: pip and npm take them, and they hold what pip and npm would pack.
if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install --quiet --no-index --no-deps --no-compile --disable-pip-version-check --root-user-action ignore --target site "first/$wheel"
    diff -r --exclude __pycache__ "$ROOT/clients/python/src/counterfoil" site/counterfoil
    [ -s site/counterfoil_client-0.1.0.dist-info/LICENSE ]
    (cd / && PYTHONPATH=$OLDPWD/site python3 -B -c 'import importlib.metadata, counterfoil; assert importlib.metadata.version("counterfoil-client") == "0.1.0"')
else
    echo "skipped: no pip installs the wheel"
fi
python3 - "first/$wheel" <<'PYTHON'
import base64, csv, hashlib, io, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
    for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode())):
        found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
        assert name == record or (digest, size) == (f"sha256={found}", str(len(wheel.read(name)))), f"found another {name} than RECORD has"
    assert len(wheel.namelist()) > 10
PYTHON
mkdir -p app/node_modules/counterfoil-client
tar -xzf "first/$package" -C app/node_modules/counterfoil-client --strip-components=1
if command -v npm >/dev/null; then
    (cd "$ROOT/clients/js" && npm pack --dry-run --json --offline --cache "$OLDPWD/npm" 2>/dev/null) >packed
    python3 - packed "first/$package" <<'PYTHON'
import json, sys, tarfile
wanted = {file["path"] for file in json.load(open(sys.argv[1]))[0]["files"]} | {"LICENSE"}
found = {name.removeprefix("package/") for name in tarfile.open(sys.argv[2]).getnames()}
assert found == wanted, f"found {found ^ wanted} in one alone"
PYTHON
else
    echo "skipped: no npm names the files of its package"
fi
if command -v node >/dev/null; then
    (cd app && node --input-type=module --eval 'import { serve } from "counterfoil-client"; if (typeof serve !== "function") process.exit(1);')
else
    echo "skipped: no node imports the client for JavaScript"
fi

# The bill of materials has every resolved package with its version, and a licence for each.
python3 - "$ROOT/Package.resolved" "first/$name.cdx.json" <<'PYTHON'
import json, sys
pins, bill = (json.load(open(path)) for path in sys.argv[1:])
wanted = {(pin["location"].removesuffix(".git").rsplit("/", 1)[1], pin["state"]["version"]) for pin in pins["pins"]}
listed = {(part["name"], part["version"]) for part in bill["components"]}
assert len(wanted) > 10 and wanted == listed, f"found {listed ^ wanted} in one alone"
assert (bill["bomFormat"], bill["specVersion"], bill["metadata"]["timestamp"]) == ("CycloneDX", "1.6", "2023-11-14T22:13:20Z")
unlicensed = [part["name"] for part in bill["components"] if "licenses" not in part]
assert not unlicensed, f"found no licence of {unlicensed}"
PYTHON

# The formula is filled in, and is Ruby.
formula=first/counterfoil.rb
! grep -n '@[A-Z]' "$formula" || fail "found a gap in the formula, as shown above"
grep -q "sha256 \"$(sha256sum <"$archive" | cut -d ' ' -f 1)\"" "$formula"
grep -q "url \"https://builds.example.org/0.1.0/$name.tar.gz\"" "$formula"
grep -q '^  depends_on :linux$' "$formula"
if command -v ruby >/dev/null; then ruby -c "$formula" >/dev/null; else echo "skipped: no ruby reads the formula"; fi

# A release, as .github/workflows/release.yml puts it together, from what three machines made: stand-ins of the other two, and of the images.
[ "$("$ROOT/deploy/package/versions")" = 0.1.0 ] || fail "found another version of the files than of the stand-in"
if ! ls first/*.jar >/dev/null 2>&1; then # no JDK
    echo jar >first/counterfoil-client-0.1.0.jar
    (cd first && sha256sum counterfoil-client-0.1.0.jar >>SHA256SUMS)
fi
for other in linux-aarch64 darwin-arm64; do
    mkdir "${other#*-}"
    for part in tar.gz cdx.json; do cp "first/$name.$part" "${other#*-}/counterfoil-0.1.0-$other.$part"; done
    cp "first/$wheel" "first/$package" "${other#*-}"
    (cd "${other#*-}" && sums=$(sha256sum -- *) && echo "$sums" >SHA256SUMS)
done
# Another system's zlib: other bytes of the same files.
gzip -dc "first/$package" | gzip --no-name -1 >"arm64/$package"
! cmp -s "first/$package" "arm64/$package" || fail "found the same bytes, expected others"
(cd arm64 && sums=$(sha256sum -- *.whl *.tgz *.tar.gz *.json) && echo "$sums" >SHA256SUMS)
for other in first:x86_64 aarch64:aarch64; do echo image >"${other%:*}/counterfoil-0.1.0-${other#*:}.oci.tar"; done
address=https://code.example.org/releases/download/v0.1.0
"$ROOT/deploy/package/release" $address release first aarch64 arm64 >made
(cd release && sha256sum --check --quiet SHA256SUMS && [ "$(wc -l <SHA256SUMS)" = $(($(ls | wc -l) - 1)) ])
for part in linux-x86_64.tar.gz linux-aarch64.tar.gz darwin-arm64.tar.gz darwin-arm64.cdx.json x86_64.oci.tar aarch64.oci.tar; do
    grep -qx "counterfoil-0.1.0-$part" made || fail "found no counterfoil-0.1.0-$part in the release: $(cat made)"
done
cmp first/SHA256SUMS <(cd release && sha256sum $(cut -c 67- ../first/SHA256SUMS)) || fail "found other packages in the release than the first machine made"
while read -r sum file; do
    [[ $file != *.tar.gz ]] || grep -A 1 "url \"$address/$file\"" release/counterfoil.rb | grep -q "sha256 \"$sum\"" || fail "found no $file with $sum in the formula"
done <release/SHA256SUMS
[ "$(grep -c 'depends_on' release/counterfoil.rb)" = 0 ] && [ "$(grep -c '^ *sha256' release/counterfoil.rb)" = 3 ] || fail "found $(cat release/counterfoil.rb)"
# What differs from its checksum, is made twice or is another package is not released.
rejected() { ! "$ROOT/deploy/package/release" $address rejected "$@" >output 2>&1 || fail "found a release of $*, expected none"; rm -rf rejected; }
rejected first first
cp -R aarch64 changed && echo x >>"changed/$wheel"
rejected first changed
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "a").writestr("counterfoil/other.py", "")' "changed/$wheel"
(cd changed && sha256sum "counterfoil-0.1.0-linux-aarch64.tar.gz" "$wheel" >SHA256SUMS)
rejected first changed
grep -q "made two of $wheel" output || fail "found «$(cat output)»"
! "$ROOT/deploy/package/versions" v0.1.1 2>output || fail "found a tag of another version"
grep -q 'found the tag v0.1.1, expected v0.1.0' output

# The workflow of a release does that, and nothing from a branch; each mistake in it is found.
workflow=$ROOT/.github/workflows/release.yml
python3 "$ROOT/Tests/Shell/parts/release.py" "$ROOT" "$workflow" release
for mistake in "s/    tags: .*/    branches: [main]/" 's/@[0-9a-f]{40} # v4.2.2/@v4/' 's/^permissions: .*/permissions: write-all/' 's/make dist image/make dist images/' \
    's|deploy/package/release|deploy/package/releases|' 's/contents: read/contents: write/' 's/id-token: write #/packages: write #/' 's/\*\.whl/*.egg/' \
    's|--notes "See CHANGELOG.md." release/\*|release/*.tar.gz|' 's/github\.token/secrets.PAT/' 's/needs: versions/timeout: 1/' 's/persist-credentials: false/clean: true/'; do
    sed -E "$mistake" "$workflow" >broken.yml
    ! cmp -s broken.yml "$workflow" || fail "found nothing to break by $mistake"
    ! python3 "$ROOT/Tests/Shell/parts/release.py" "$ROOT" broken.yml release >output || fail "found no fault in a workflow broken by $mistake"
done

# action CALL [VARIABLE=VALUE…]: one step of the action, as a runner calls it; its output is in $output.
export RUNNER_TEMP=$PWD/runner CALLS=$PWD/calls
mkdir "$RUNNER_TEMP"
: >calls
action() {
    local expected=$1 status=0 call=$2
    shift 2
    output=$(env GITHUB_PATH="$PWD/path" GITHUB_ENV="$PWD/env" GITHUB_OUTPUT="$PWD/outputs" "$@" "$ROOT/deploy/action/$call" 2>&1) || status=$?
    [ $status = "$expected" ] || fail "action $call $*: found status $status, expected $expected: $output"
}
cat >server.py <<'PYTHON'
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        print(self.path, self.headers["Authorization"], flush=True)
        if not self.path.startswith("/moved/"):
            return super().do_GET()
        self.send_response(302)
        self.send_header("Location", self.path.replace("moved", "first"))
        self.end_headers()
    def log_message(self, *words): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 server.py >asked 2>&1 &
web=$!
trap 'kill $web 2>/dev/null || true' EXIT
await asked $web || fail "found no server, expected one"
url=http://127.0.0.1:$(head -n 1 asked)/first/$name.tar.gz
sum=$(sha256sum <"$archive" | cut -d ' ' -f 1)
action 1 install COUNTERFOIL_URL="$url" COUNTERFOIL_SHA256="${sum//[0-9]/0}"
[[ $output == *"found $sum, expected the archive with the checksum"* ]] || fail "found «$output»"
action 1 install COUNTERFOIL_URL="$url" COUNTERFOIL_SHA256=
action 1 install COUNTERFOIL_URL="ftp://127.0.0.1/" COUNTERFOIL_SHA256="$sum"
# The host is what follows the @, and a redirect leads to https alone.
action 1 install COUNTERFOIL_URL="http://localhost:80@${url#http://}" COUNTERFOIL_SHA256="$sum"
action 1 install COUNTERFOIL_URL="${url/first/moved}" COUNTERFOIL_SHA256="$sum"
action 1 install COUNTERFOIL_URL="$url" COUNTERFOIL_SHA256="$sum" COUNTERFOIL_DOWNLOAD_TOKEN=$'a"\nurl = "file:///etc/passwd'
[ ! -e path ] && [ -z "$(ls "$RUNNER_TEMP")" ] || fail "found left of rejected archives: $(ls "$RUNNER_TEMP")"
action 0 install COUNTERFOIL_URL="$url" COUNTERFOIL_SHA256="$sum" COUNTERFOIL_DOWNLOAD_TOKEN=very-secret
[ "$output" = "Installed counterfoil 0.1.0." ] || fail "found «$output», expected no more than the version"
grep -q 'tar.gz Bearer very-secret$' asked || fail "found no token sent: $(cat asked)"
kill $web
action 0 install COUNTERFOIL_URL="$url" COUNTERFOIL_SHA256="$sum"

PATH=$(tail -n 1 path):$PATH
action 0 serve COUNTERFOIL_SERVE=$'roundup\n  feed\n' COUNTERFOIL_SEED=
[[ $output != *cf_* ]] || fail "found a token in the log: $output"
[ "$(sed '/^pid=/d' outputs | paste -s -d ' ')" = "bank=http://127.0.0.1:1 admin=http://127.0.0.1:2" ] || fail "found the outputs $(cat outputs)"
[ "$(cat env)" = COUNTERFOIL_ADMIN=http://127.0.0.1:2 ]
grep -q '^serve roundup feed --port 0 --admin-port 0 --ready-file ' calls || fail "found $(cat calls)"
action 1 serve COUNTERFOIL_SERVE='--host 0.0.0.0'

: >calls
action 0 test COUNTERFOIL_CLIENT='./driver --a "b c"' COUNTERFOIL_REPORTS="$PWD/reports" COUNTERFOIL_FILTER=$'auth.*\nerrors.*\n' COUNTERFOIL_REQUIRE=auth COUNTERFOIL_SEED=7
[ "$(cat calls)" = "test --client ./driver --a \"b c\" --filter auth.* --filter errors.* --require auth --seed 7 --github --junit $PWD/reports/counterfoil.xml --html $PWD/reports/counterfoil.html --json $PWD/reports/counterfoil.json --sarif $PWD/reports/counterfoil.sarif --badge $PWD/reports/counterfoil.svg" ] || fail "found $(cat calls)"
action 5 test COUNTERFOIL_CLIENT=x COUNTERFOIL_REPORTS="$PWD/reports" JUDGED=5

# The steps of the action are there, and no input is written into a command.
for step in install serve test; do grep -q "run: '\"\$GITHUB_ACTION_PATH/deploy/action/$step\"'" "$ROOT/action.yml"; done
! grep -n 'run:.*\${{' "$ROOT/action.yml" || fail "found an input in a command, expected it in the environment"
# The health check of the image is the same wherever it is named.
[ "$(sed -nE 's/^HEALTHCHECK .*CMD \[(.*)\]$/\1/p' "$ROOT/Dockerfile" | tr -d '"')" = "$(sed -nE 's/ +test: \[CMD, (.*)\]$/\1/p' "$ROOT/deploy/compose.yaml")" ] ||
    fail "found two health checks, expected one"

# The root of an image: program, banks, libraries with the loader, licences, a user; no shell, nothing that others may change.
"$ROOT/deploy/package/image-root" counterfoil root
for file in usr/bin/counterfoil usr/share/counterfoil/Stubs/roundup/bank.yaml usr/share/doc/counterfoil/LICENSE etc/passwd; do
    [ -s "root/$file" ] || fail "found no $file in the image, expected it"
done
for library in libc.so.6 libcurl.so.4 'ld-linux*'; do [ -n "$(find root -name "$library")" ] || fail "found no $library in the image, expected it"; done
[ -z "$(find root -name sh -o -name bash -o -type l)" ] || fail "found a shell or a link in the image, expected none"
[ "$(find root -perm -o+w | sort | paste -s -d ' ')" = "root/state root/tmp" ] || fail "found others may write: $(find root -perm -o+w)"
if command -v buildah >/dev/null && [ "$(id -u)" = 0 ]; then
    "$ROOT/deploy/package/image" counterfoil first >image 2>size || fail "$(cat size)"
    "$ROOT/deploy/package/image" counterfoil second >/dev/null 2>&1
    cmp "$(cat image)" "second/$(basename "$(cat image)")" || fail "the same root gave two images, expected one"
    grep -qE '^unpacked [0-9.]+ MB: program ' size
else
    echo "skipped: no buildah, or no root, makes the image"
fi
