# .ci/need on machines that have or lack this and that: each a folder of stand-ins that is the whole PATH.
# It makes and removes files where it stands: only .ci/shell-tests runs it, in a folder made for it.
[ -z "$(ls -A | grep -v '^output$')" ] || { echo "expected an empty folder, found $PWD"; exit 1; }
bash=$(command -v bash)

# machine NAME: a PATH with the few tools the script uses, and records of what apt-get was asked.
machine() {
    bin=$PWD/$1
    mkdir "$bin"
    for tool in mktemp rm tail; do ln -s "$(command -v $tool)" "$bin/$tool"; done
    program uname 'echo Linux'
    program id 'echo 0'
    program dpkg-query 'exit 1'
}

# program NAME BODY: puts a stand-in into the machine.
program() {
    printf '#!%s\n%s\n' "$bash" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# need EXPECTED-STATUS PACKAGE...: runs the script there; its output is in $output.
need() {
    local expected=$1 status=0
    shift
    printed=$(PATH=$bin "$bash" "$ROOT/.ci/need" "$@" 2>&1) || status=$?
    [ $status = "$expected" ] || { echo "$bin: found status $status, expected $expected: $printed"; exit 1; }
}

expect() { [[ $printed == $1 ]] || { echo "$bin: found «$printed», expected «$1»"; exit 1; }; }

asked() { diff <(printf '%s\n' "$@") "$bin/asked" || { echo "$bin: apt-get was asked something else"; exit 1; }; }

machine everything-installed
program dpkg-query 'echo installed'
need 0 libsqlite3-dev libcurl4-openssl-dev
expect ''

machine removed-but-configured
program dpkg-query 'echo config-files'
need 1 libsqlite3-dev
expect '*missing libsqlite3-dev, and there is no apt-get here*'

machine libraries-of-other-packages
program pkg-config 'exit 0'
need 0 libsqlite3-dev libcurl4-openssl-dev
expect ''

machine programs-of-other-packages
program nginx 'exit 0'
program wrk 'exit 0'
program chromium-browser 'exit 0'
need 0 nginx-light wrk chromium
expect ''

machine no-apt
need 1 libsqlite3-dev libcurl4-openssl-dev
expect '*missing libsqlite3-dev libcurl4-openssl-dev, and there is no apt-get here*'

machine not-root
program id 'echo 1000'
program apt-get 'echo "$@" >>"${0%/*}/asked"'
need 1 libsqlite3-dev
expect '*missing libsqlite3-dev, and only root may install packages*apt-get install libsqlite3-dev*'
[ ! -e "$bin/asked" ]

machine one-is-missing
program dpkg-query '[ "${@: -1}" = libsqlite3-dev ] && echo installed'
program apt-get 'echo "$@" >>"${0%/*}/asked"'
need 0 libsqlite3-dev libcurl4-openssl-dev
expect 'Installing libcurl4-openssl-dev with apt-get.'
asked '-o DPkg::Lock::Timeout=120 install -y --no-install-recommends --no-remove libcurl4-openssl-dev'

machine lists-are-old
program apt-get 'echo "$@" >>"${0%/*}/asked"; [ "$1" = update ] && : >"${0%/*}/fresh"; [ -e "${0%/*}/fresh" ]'
need 0 wrk
expect 'Installing wrk with apt-get.'
install='-o DPkg::Lock::Timeout=120 install -y --no-install-recommends --no-remove wrk'
asked "$install" update "$install"

machine no-such-package
program apt-get 'echo "E: Unable to locate package"; exit 100'
need 1 wrk
expect '*Unable to locate package*missing wrk, and apt-get failed*'

machine macos
program uname 'echo Darwin'
need 0 libsqlite3-dev
expect '*on macOS nothing is installed*Untested there.'
