# The recipe for CI (docs/ci.md): its scripts and files are taken from the article and used,
# with an archive on a web server.
article=$ROOT/docs/ci.md
# The job asks which service runs it; this test says when it is one.
unset GITHUB_ACTIONS GITLAB_CI
. "$ROOT/Tests/Shell/parts/console.sh"

# An archive of the article's form; what `make dist` puts into it is install.sh's to test.
mkdir -p web/counterfoil/bin web/counterfoil/share/counterfoil job
cp "$counterfoil" web/counterfoil/bin/ && strip web/counterfoil/bin/counterfoil
cp -R "$ROOT/Stubs" "$ROOT/Contracts" web/counterfoil/share/counterfoil/
tar --create --directory web counterfoil | gzip -1 >web/archive.tar.gz
: >web.log
python3 -u -m http.server --bind 127.0.0.1 --directory web 0 >web.log 2>&1 &
web=$!
trap 'kill $web 2>/dev/null || true' EXIT
eventually grep -q ' port [0-9]* ' web.log || fail "found no web server after 120 s, expected one: $(cat web.log)"
port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' web.log)
COUNTERFOIL_URL=http://127.0.0.1:$port/archive.tar.gz
COUNTERFOIL_SHA256=$(sha256sum <web/archive.tar.gz | cut -d ' ' -f 1)
COUNTERFOIL_CACHE=$PWD/cache
export COUNTERFOIL_URL COUNTERFOIL_SHA256 COUNTERFOIL_CACHE

# The article's files, saved as a reader saves them.
cd job
blocks "$article"
for command in [0-9]*.command; do
    if grep -q END_OF_FILE "$command"; then . "./$command"; fi
done
rm -f [0-9]*.*
asked() { grep -c 'GET /archive' ../web.log || true; }

# run EXPECTED-STATUS COMMAND…
run() {
    local expected=$1 status=0
    shift
    "$@" >../out 2>../err || status=$?
    [ $status = "$expected" ] || { echo "$*: found status $status, expected $expected: $(cat ../out ../err)"; exit 1; }
}

# Another checksum is rejected, and nothing of it is left.
COUNTERFOIL_SHA256=${COUNTERFOIL_SHA256//[0-9]/0} run 1 sh counterfoil-get.sh
[ -z "$(ls ../cache)" ] || { echo "found in the cache: $(ls ../cache), expected nothing"; exit 1; }
COUNTERFOIL_SHA256='' run 2 sh counterfoil-get.sh
COUNTERFOIL_URL=http://127.0.0.1:$port/none run 22 sh counterfoil-get.sh

# Fetched once; then it is there, with the web server gone.
before=$(asked)
run 0 sh counterfoil-get.sh
run 0 sh counterfoil-get.sh
bin=$(cat ../out)
[ "$(asked)" = $((before + 1)) ] || { echo "found $(asked) requests after $before, expected one more"; exit 1; }
kill $web
[ "$("$bin/counterfoil" --version)" = "$("$counterfoil" --version)" ]
[ "$(ls ../cache)" = "$COUNTERFOIL_SHA256" ] || { echo "found left in the cache: $(ls ../cache)"; exit 1; }

# The job: the model client passes, a client that can do nothing does not.
export DRIVER="counterfoil client --drive" FILTER=errors.404 REQUIRE=errors
run 0 sh counterfoil-job.sh
grep -q '<testsuites' reports/counterfoil.xml
grep -q '<html' reports/counterfoil.html
FILTER='' REQUIRE=auth DRIVER='sh -c "exit 1"' run 3 sh counterfoil-job.sh
FILTER=errors.404 REQUIRE=auth run 1 sh counterfoil-job.sh
[ ! -e reports/gl-code-quality-report.json ]
GITLAB_CI=true run 0 sh counterfoil-job.sh
[ "$(cat reports/gl-code-quality-report.json)" = '[]' ]

# The workflows and GitLab's file use what stands beside them; YAML's own rules are looked at where Python knows them.
grep -q 'run: sh counterfoil-job.sh' .github/workflows/counterfoil.yml
grep -q -- '- sh counterfoil-job.sh' .gitlab-ci.yml
grep -q '^dist:' "$ROOT/Makefile"
grep -q 'make dist' .github/workflows/archive.yml
if python3 -c 'import yaml' 2>/dev/null; then
    for workflow in .github/workflows/*.yml; do
        python3 -c 'import sys, yaml
workflow = yaml.safe_load(open(sys.argv[1]))
steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
assert steps and all(("run" in step) != ("uses" in step) for step in steps), steps' "$workflow"
    done
    python3 -c 'import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))["counterfoil"]
assert all(type(value) is str for value in job["variables"].values()) and set(job["artifacts"]["reports"]) == {"junit", "codequality"}, job' .gitlab-ci.yml
fi

# The article's consoles.
cd ..
mkdir consoles
PATH=$bin:$PATH
(cd consoles && console "$article")
