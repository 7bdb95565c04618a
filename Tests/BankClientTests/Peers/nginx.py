"""nginx NGINX FOLDER CERTIFICATE KEY: becomes nginx with its files in FOLDER; prints the ports of HTTP and of HTTPS.

nginx takes no port 0. So the sockets are opened here and handed over, as one nginx does to the next when it is replaced
(the variable NGINX): no port can be lost to another program, and who connects early waits in the queue. nginx then
writes a line for each request: protocol, method, path, Authorization or a dash.
"""
import os
import socket
import sys

CONFIGURATION = """
daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
events {{ }}
http {{
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    log_format requests '$server_protocol $request_method $uri $http_authorization';
    access_log /dev/stdout requests;
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{tls} ssl http2;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        default_type application/json;
        location / {{ return 200 '{{"path":"$uri"}}'; }}
        location /none {{ return 204; }}
        location /gone {{ return 503; }}
    }}
}}
"""

nginx, folder, certificate, key = sys.argv[1:]
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
plain, tls = (each.getsockname()[1] for each in sockets)
path = os.path.join(folder, "nginx.conf")
with open(path, "w", encoding="utf-8") as file:
    file.write(CONFIGURATION.format(plain=plain, tls=tls, certificate=certificate, key=key))
for each in sockets:
    os.set_inheritable(each.fileno(), True)
os.environ["NGINX"] = "".join(f"{each.fileno()};" for each in sockets)
print(plain, tls, flush=True)
os.execv(nginx, [nginx, "-p", folder, "-c", path, "-e", "stderr"])
