"""on_a_port.py FILE NGINX ARGUMENT...: becomes nginx, on a free port, which replaces PORT in its FILE, and is printed first.

nginx takes no port 0. So the socket is opened here and handed over, as one nginx does to the next when it is replaced (the variable
NGINX): no other process can be given the port meanwhile, and who connects early waits in the queue."""
import os
import pathlib
import socket
import sys

file, *command = sys.argv[1:]
opened = socket.create_server(("127.0.0.1", 0))
port = opened.getsockname()[1]
pathlib.Path(file).write_text(pathlib.Path(file).read_text().replace("PORT", str(port)))
os.set_inheritable(opened.fileno(), True)
os.environ["NGINX"] = f"{opened.fileno()};"
print(port, flush=True)
os.execvp(command[0], command)
