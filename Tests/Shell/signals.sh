# `counterfoil serve` ends gracefully whatever becomes of its terminal and its pipes; parts/signals.py asks it to. `generate` leaves nothing.
export COUNTERFOIL_HOME=$PWD/home
serve=("$counterfoil" serve bins --stubs "$ROOT/Stubs" --port 0 --admin-port 0)

python3 "$ROOT/Tests/Shell/parts/signals.py" "${serve[@]}"

# A ready file that cannot be written, known at once or only when it is written: otherwise a caller would wait for it forever.
for file in "$PWD/nowhere/ready" "$PWD" /dev/full; do
    status=0
    timeout 300 "${serve[@]}" --ready-file "$file" >printed 2>output || status=$?
    [ $status = 2 ] || { echo "--ready-file $file: found status $status, expected 2: $(cat output)"; exit 1; }
    grep -q "cannot write $file" output || { echo "--ready-file $file: found $(cat output), expected why"; exit 1; }
    [ ! -s printed ] || { echo "--ready-file $file: found $(cat printed), expected nothing on stdout"; exit 1; }
done

# A port that is taken: the message names the option that sets another.
python3 - "${serve[@]}" <<'PYTHON'
import socket, subprocess, sys

for option in ("--port", "--admin-port"):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = sys.argv[1:]
        command[command.index(option) + 1] = port
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    expected = f"error: cannot listen on 127.0.0.1:{port}: Address already in use; ", f"hint: is another server running? {option} sets another port"
    assert ended.returncode == 2, f"{option}: found status {ended.returncode}, expected 2: {ended.stderr}"
    assert all(text in ended.stderr for text in expected), f"{option}: found {ended.stderr}, expected {expected}"
PYTHON

# A bank that is not complete is removed when a signal ends the command.
python3 - "$counterfoil" generate --stubs "$ROOT/Stubs" --rows 10000000 --out big <<'PYTHON'
import glob, signal, subprocess, sys, time

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    # A process in the background of a script ignores SIGINT.
    default = lambda: signal.signal(number, signal.SIG_DFL)
    command = subprocess.Popen(sys.argv[1:], preexec_fn=default)
    until = time.monotonic() + 300
    while not glob.glob("big.generating-*/counterfoil/transactions.json"):
        assert command.poll() is None, f"{number.name}: found status {command.returncode} before the bank was written"
        assert time.monotonic() < until, f"{number.name}: found no rows after 300 s"
        time.sleep(0.05)
    command.send_signal(number)
    status = command.wait(timeout=300)
    assert status == -number, f"{number.name}: found status {status}, expected that of the signal"
    assert not glob.glob("big*"), f"{number.name}: found {glob.glob('big*')}, expected nothing"
PYTHON
