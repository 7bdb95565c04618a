# Tests take no settings over from the shell that starts them (.ci/environment): a server with another's admin token, a proxy, colours,
# and a comma in numbers would each make some fail.
mkdir -p tree/.ci tree/Tests/Shell/parts
cp "$ROOT/Tests/alone" tree/Tests
cp "$ROOT/.ci/shell-tests" "$ROOT/.ci/environment" tree/.ci
cat >tree/Tests/Shell/parts/prelude.sh <<END
COUNTERFOIL='$counterfoil' MUTANTS='$mutants' stubs='$ROOT/Stubs'
. '$ROOT/Tests/Shell/parts/prelude.sh'
. '$ROOT/Tests/Shell/parts/serve.sh'
END
cat >tree/Tests/Shell/asks.sh <<'SH'
serve counterfoil --stubs "$stubs" --seed 7
curl -sf -o /dev/null "$COUNTERFOIL_ADMIN/__admin/sessions" || { echo "found no response to curl"; exit 1; }
python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$COUNTERFOIL_ADMIN/__admin/sessions"
"$counterfoil" session lst 2>complaint || true
! grep $'\e' complaint || { echo "found colours"; exit 1; }
[ "$(printf %.1f 0.5)" = 0.5 ] || { echo "found another form of numbers"; exit 1; }
[[ $COUNTERFOIL_HOME != */of-the-user* ]] || { echo "found the folder of the user"; exit 1; }
SH
http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1 COUNTERFOIL_ADMIN_TOKEN=sesame CLICOLOR_FORCE=1 \
    LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 COUNTERFOIL_HOME=$PWD/of-the-user tree/.ci/shell-tests asks >output 2>&1 || fail "$(cat output)"
[ ! -e of-the-user ] || fail "found files in the folder of the user: $(find of-the-user)"
