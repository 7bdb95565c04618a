# `counterfoil serve` ends gracefully whatever becomes of its terminal and its pipes; parts/signals.py asks it to.
export COUNTERFOIL_HOME=$PWD/home
serve=("$counterfoil" serve bins --stubs "$ROOT/Stubs" --port 0 --admin-port 0)

python3 "$ROOT/Tests/Shell/parts/signals.py" "${serve[@]}"

# A ready file that cannot be written, known at once or only when it is written: otherwise a caller would wait for it forever.
for file in "$PWD/nowhere/ready" "$PWD" /dev/full; do
    status=0
    timeout 60 "${serve[@]}" --ready-file "$file" >printed 2>output || status=$?
    [ $status = 2 ] || { echo "--ready-file $file: found status $status, expected 2: $(cat output)"; exit 1; }
    grep -q "cannot write $file" output || { echo "--ready-file $file: found $(cat output), expected why"; exit 1; }
    [ ! -s printed ] || { echo "--ready-file $file: found $(cat printed), expected nothing on stdout"; exit 1; }
done
