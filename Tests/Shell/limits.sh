# Runaway clients use up open files, but not memory. The server reports it and waits; it neither traps nor spins.
. "$ROOT/Tests/Shell/parts/serve.sh"

# Too few files to begin with.
status=0
(ulimit -n 20 && "$counterfoil" serve counterfoil --stubs "$ROOT/Stubs" --port 0 --admin-port 0) >out 2>err || status=$?
[ $status = 2 ] || { echo "serve with 20 files: found status $status, expected 2: $(cat err)"; exit 1; }
[[ $(cat err) == *'error: found a limit of 20 open files, expected '* ]] || { echo "serve with 20 files: $(cat err)"; exit 1; }

# The listener waits while they have run out, and goes on once there are some again.
real=$counterfoil
files=$((60 + 8 * $(nproc)))
printf '#!/bin/sh\nulimit -n %s\nexec "%s" "$@"\n' $files "$real" >narrow
chmod +x narrow
counterfoil=./narrow
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
counterfoil=$real
python3 - "$server" "${bank##*:}" "${COUNTERFOIL_ADMIN##*:}" $files <<'PYTHON'
import os, resource, socket, sys, time

process, ports, files = int(sys.argv[1]), [int(port) for port in sys.argv[2:4]], int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

def ticks():
    fields = open(f"/proc/{process}/stat").read().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])

def asks(connection):
    connection.sendall(b"GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return connection.recv(100).startswith(b"HTTP/1.1 ")

for port in ports:
    # A client beyond the limit is in the kernel's queue: connected, and not accepted.
    held = []
    for _ in range(files):
        held.append(socket.create_connection(("127.0.0.1", port), timeout=120))
    before, begin = ticks(), time.monotonic()
    time.sleep(1)
    spent = (ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - begin)
    assert spent < 0.2, f"found {spent:.2f} of a core spent on waiting, expected next to nothing"
    last = held.pop()
    for connection in held:
        connection.close()
    assert asks(last), "found no answer for who had waited, expected one"
    last.close()
PYTHON

# 100 MB behind an upgrade, on both ports: read or rejected, not kept.
serve counterfoil --stubs "$ROOT/Stubs" --seed 7
python3 - "$server" "${bank##*:}" "${COUNTERFOIL_ADMIN##*:}" <<'PYTHON'
import socket, sys

process, ports = int(sys.argv[1]), [int(port) for port in sys.argv[2:]]

def megabytes():
    return int(open(f"/proc/{process}/statm").read().split()[1]) * 4096 >> 20

for port in ports:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(b"GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
        assert connection.recv(10000).startswith(b"HTTP/1.1 ")
        before = megabytes()
        try:
            for _ in range(1600):
                connection.sendall(b"x" * 65536)
        except OSError:
            pass
        grown = megabytes() - before
        assert grown < 40, f"found {grown} MB more after 100 MB behind an upgrade, expected them not kept"
PYTHON
