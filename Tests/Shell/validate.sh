# counterfoil validate checks every file that a run reads: the invariants beside the suites too. It reads regular files of the project
# only, up to a limit, and prints nothing of what it does not read.
cp -R "$ROOT/Stubs" "$ROOT/Contracts" .
"$counterfoil" validate >output 2>&1 || { cat output; exit 1; }
sed -i '0,/level: must/s//level: perhaps/; 0,/holds: pays-what-was-wished/s//holds: pays-nothing/' Contracts/invariants.yaml
status=0
"$counterfoil" validate >output 2>&1 || status=$?
[ $status = 2 ] && grep -q 'Contracts/invariants.yaml:[0-9]*:[0-9]*: ' output || { echo "found status $status, expected 2 and the place: $(cat output)"; exit 1; }

# rejected FILE MESSAGE: validate ends with 2 within five minutes, names the file and the message, and prints nothing of another file.
rejected() {
    status=0
    timeout 300 "$counterfoil" validate >output 2>&1 || status=$?
    [ $status = 2 ] && grep -qF "$1: found $2" output || { echo "found status $status, expected 2 and $1: found $2: $(cat output)"; exit 1; }
    ! grep -q 'machine example.org' output || { echo "found the content of a rejected file: $(cat output)"; exit 1; }
    rm "$1"
}
rm -r Contracts Stubs
cp -R "$ROOT/Stubs" "$ROOT/Contracts" .
echo 'machine example.org password secret' >netrc
for file in Contracts/x.yaml Stubs/outages/x.yaml Stubs/dialects/x.yaml; do
    ln -s "$PWD/netrc" $file
    rejected $file "a link that leads out of"
    mkfifo $file
    rejected $file 'a pipe, expected a regular file'
    cp netrc $file && truncate -s 1T $file
    rejected $file 'a file of 1,099,511,627,776 bytes, expected at most 4,194,304'
done
