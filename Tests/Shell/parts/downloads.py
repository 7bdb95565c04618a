"""downloads.py ARCHIVE: makes archives that are wrong in one way each, serves them, and writes the cases of client-download.sh.

In the current folder: `cases`, a line each with a name, an address, a checksum and a pattern of the message (`ok` if the program runs);
`asked`, the paths that were requested. Prints its port when it serves.
"""
import gzip
import hashlib
import http.server
import io
import pathlib
import re
import sys
import tarfile

good = pathlib.Path(sys.argv[1]).read_bytes()
file = pathlib.Path(sys.argv[1]).name
name = file.removesuffix(".tar.gz")


def archive(*entries, content=b"#!/bin/sh\n"):
    """An archive with a program and these entries: names of files, or of links to /etc/passwd if they end with @."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.USTAR_FORMAT) as tar:
        for entry in entries:
            found = tarfile.TarInfo(entry.rstrip("@"))
            if entry.endswith("@"):
                found.type, found.linkname = tarfile.SYMTYPE, "/etc/passwd"
                tar.addfile(found)
            else:
                found.size, found.mode = len(content), 0o755
                tar.addfile(found, io.BytesIO(content))
    return packed.getvalue()


def bomb():
    """An archive whose file has 500,000,000 zeros: members of gzip, one behind the other."""
    found = tarfile.TarInfo(f"{name}/zeros")
    found.size = 500_000_000
    return gzip.compress(found.tobuf(tarfile.USTAR_FORMAT)) + gzip.compress(bytes(10_000_000)) * 50


program = f"{name}/bin/counterfoil"
outside = "found \"?'?{}.* in the archive, expected files and folders below " + name
archives = {
    "good": (good, "ok"),
    "within": (good, "ok"),
    "above": (archive(program, f"{name}/../evil"), outside.format(name)),
    "absolute": (archive(program, "/tmp/evil"), outside.format("/tmp/evil")),
    "link": (archive(program, f"{name}/link@"), outside.format(name)),
    "other-version": (archive("counterfoil-0.0.1/bin/counterfoil"), outside.format("counterfoil-0.0.1")),
    "twice": (archive(program, program), "cannot be unpacked"),
    "under-a-file": (archive(program, f"{program}/x"), "cannot be unpacked"),
    "no-program": (archive(f"{name}/README"), f"found no {program} in the archive"),
    "cut-short": (good[:len(good) // 2], "cannot be unpacked"),
    "no-archive": (b"<html>", "cannot be unpacked"),
    "bomb": (bomb(), "found more than 400000000 bytes in the archive"),
    "endless": (b"", "found more than 100000000 bytes, expected an archive of"),
    "elsewhere": (good, "found a redirect to http://localhost:[0-9]+/good/.*, expected none to another host"),
    "around": (good, "redirect"),
    "no-length": (good, "cannot download the program from"),
    "none": (good, "404"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("asked", "a") as asked:
            asked.write(self.path + "\n")
        folder, _, asked_for = self.path.strip("/").partition("/")
        there = {"within": f"/good/{file}", "around": self.path, "elsewhere": f"http://localhost:{self.server.server_port}/good/{file}"}.get(folder)
        if there:
            self.send_response(302)
            self.send_header("Location", there)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if folder not in archives or folder == "none" or asked_for != file:
            return self.send_error(404)
        self.send_response(200)
        content = archives[folder][0]
        if folder != "endless":
            self.send_header("Content-Length", "many" if folder == "no-length" else str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        try:
            while folder == "endless":
                self.wfile.write(bytes(1_000_000))
        except OSError:
            pass  # the client has enough

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
here = f"http://127.0.0.1:{server.server_port}"
with open("cases", "w") as cases:
    for case, (content, expected) in archives.items():
        cases.write(f"{case} {here}/{case}/ {hashlib.sha256(content).hexdigest()} {expected}\n")
    right = hashlib.sha256(good).hexdigest()
    cases.write(f"whole-address {here}/good/{file} {right} ok\n")
    cases.write(f"checksum {here}/good/ {'0' * 64} found the checksum {right}, expected {'0' * 64} .COUNTERFOIL_SHA256.\n")
    cases.write(f"occupied {here}/good/ {right} found .*, expected a folder for it; COUNTERFOIL_CACHE can name another\n")
    cases.write(f"no-checksum {here}/good/ none expected its checksum in COUNTERFOIL_SHA256, 64 hexadecimal digits\n")
    for case, address in (("clear-text", "http://192.0.2.1/"), ("file", f"file://{pathlib.Path.cwd()}/"), ("word", "releases")):
        cases.write(f"{case} {address} {right} expected an https address, or http on this machine\n")
    cases.write(f"secret http://user:sesame@192.0.2.1/ {right} download the program from http://192.0.2.1/\n")
    cases.write(f"secret-https https://user:sesame@192.0.2.1/ {right} download the program from https://192.0.2.1/\n")
    for number, mistyped in enumerate(("", "//", "HTTPS:", "https:/", "ftp://")):
        cases.write(f"secret-{number} {mistyped}user:sesame@192.0.2.1/ {right} download the program from …192.0.2.1/\n")
    cases.write(f"secret-host https://user:sesame@[::1/a?sesame {right} download the program from …\\[::1/a\n")
print(server.server_port, flush=True)
server.serve_forever()
