"""odd_files: what a file can be that is not a file of the size and place that a reader expects."""
import os
import socket

MARKER = "zq7-secret-of-another-file"
# The target of a link out of the folder: the marker stands at its beginning, in several syntaxes.
OUTSIDE = [f"{MARKER}\n", f"{MARKER}: x\n", f"- {MARKER}\n", f'{{"{MARKER}": 1}}\n', f"#{MARKER}\n{MARKER}: [\n", f"bank: {MARKER}\n", f"suite: {MARKER}\n"]
SIZES = {"sparse file of 65 MiB": 65 << 20, "sparse file of 3 GiB": 3 << 30, "sparse file of 1 TiB": 1 << 40}
KINDS = ["fifo", "link out", "relative link out", "link to a link out", "link to a folder outside", "link to itself", "loop of two links", "link to a device", "socket", "folder", *SIZES]


def make(kind, file, outside):
    """Puts something odd in the place of a file.

    - Parameter outside: the file, beyond the folder, to which the links out lead.
    """
    file.unlink(missing_ok=True)
    beside = file.with_name(f"{file.name}.link")
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "socket":
        here = os.open(file.parent, os.O_RDONLY)  # a socket's path may have 108 bytes
        with socket.socket(socket.AF_UNIX) as line:
            line.bind(f"/proc/self/fd/{here}/{file.name}")
        os.close(here)
    elif kind in SIZES:
        with open(file, "wb") as made:
            made.truncate(SIZES[kind])
    elif kind == "link to a link out":
        beside.symlink_to(outside)
        file.symlink_to(beside.name)
    elif kind == "loop of two links":
        beside.symlink_to(file.name)
        file.symlink_to(beside.name)
    else:
        file.symlink_to({"link out": outside, "relative link out": os.path.relpath(outside, file.parent), "link to a folder outside": outside.parent,
                         "link to itself": file.name, "link to a device": "/dev/zero"}[kind])
