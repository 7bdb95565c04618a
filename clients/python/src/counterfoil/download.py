"""The program: on the path, by COUNTERFOIL, or in an archive of `make dist` that is downloaded once (COUNTERFOIL_URL)."""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import pathlib
import platform
import re
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Optional

from .errors import StartError

#: The version of this library, and of the program that it downloads.
VERSION = "0.1.0"
#: The largest archive, and the largest sum of its files, in bytes.
LARGEST_ARCHIVE, LARGEST_TREE = 100_000_000, 400_000_000
#: The longest wait for the next bytes, in seconds.
WAIT = 60.0


def find_program(program: Optional[str] = None) -> str:
    """The program: this one, or that of COUNTERFOIL, or `counterfoil` on the path, or that of the archive at COUNTERFOIL_URL.

    Without COUNTERFOIL_URL nothing is downloaded. Raises `StartError` if the archive is not as expected.
    """
    named = program or os.environ.get("COUNTERFOIL")
    url = os.environ.get("COUNTERFOIL_URL")
    if named or not url or shutil.which("counterfoil"):
        return named or "counterfoil"
    cache = os.environ.get("COUNTERFOIL_CACHE") or pathlib.Path.home() / ".cache" / "counterfoil"
    return download(url, os.environ.get("COUNTERFOIL_SHA256", ""), pathlib.Path(cache))


def download(url: str, sha256: str, cache: pathlib.Path) -> str:
    """The program of the archive with that checksum, which is downloaded unless it is in the cache."""
    name = f"counterfoil-{VERSION}-{platform.system().lower()}-{platform.machine()}"
    url += f"{name}.tar.gz" if url.endswith("/") else ""
    if not re.fullmatch("[0-9a-f]{64}", sha256):
        raise _wrong(url, "expected its checksum in COUNTERFOIL_SHA256, 64 hexadecimal digits, from SHA256SUMS")
    place = cache / f"{name}-{sha256}"
    if not (place / "bin/counterfoil").exists():
        try:
            cache.mkdir(parents=True, exist_ok=True)
            folder = tempfile.TemporaryDirectory(prefix="new.", dir=cache)
        except OSError as error:
            raise _wrong(url, f"found {error}, expected a folder for it; COUNTERFOIL_CACHE can name another") from None
        with folder as new:
            archive = _fetched(url)
            found = hashlib.sha256(archive).hexdigest()
            if found != sha256:
                raise _wrong(url, f"found the checksum {found}, expected {sha256} (COUNTERFOIL_SHA256)")
            _unpack(url, archive, name, pathlib.Path(new))
            try:
                os.rename(pathlib.Path(new, name), place)
            except OSError:
                # Another process may have been faster: its copy is the same.
                if not (place / "bin/counterfoil").exists():
                    raise
    return str(place / "bin/counterfoil")


def _wrong(url: str, why: str) -> StartError:
    return StartError(f"cannot download the program from {_plain(url)}: {why}")


#: An address of http or https, up to its query: scheme, user, host with port, path.
_ADDRESS = re.compile(r"(https?://)(?:[^/@]*@)?((?:\[[^/@\[\]]*\]|[^/@:\[\]\\\s]+)(?::[0-9]*)?)(/.*)?", re.IGNORECASE)


def _plain(url: str) -> str:
    """The address without a user's name, password and query, which may be secret. Of a mistyped one only what is behind the last `@`."""
    base = re.split("[?#]", url, maxsplit=1)[0]
    parts = _ADDRESS.fullmatch(base)
    return parts[1] + parts[2] + (parts[3] or "") if parts else "…" + base.rpartition("@")[2]


def _checked(url: str) -> str:
    """The address, if it is https, or http on this machine."""
    # With a user or mistyped the libraries' own errors would show it.
    if _plain(url) != re.split("[?#]", url, maxsplit=1)[0]:
        raise _wrong(url, "expected an https address, or http on this machine, without a user")
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")):
        raise _wrong(url, "expected an https address, or http on this machine")
    return url


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to https, and within one host of this machine."""

    def redirect_request(self, request: Any, answer: Any, code: int, message: str, headers: Any, url: str) -> Any:
        there, here = urllib.parse.urlsplit(_checked(url)), urllib.parse.urlsplit(request.full_url)
        if here.scheme != there.scheme or (here.scheme == "http" and here.netloc != there.netloc):
            raise _wrong(request.full_url, f"found a redirect to {_plain(url)}, expected none to another host, or from https to http")
        return super().redirect_request(request, answer, code, message, headers, url)


def _fetched(url: str) -> bytes:
    try:
        with urllib.request.build_opener(_Redirects).open(_checked(url), timeout=WAIT) as answer:
            archive = answer.read(LARGEST_ARCHIVE + 1)
            expected = answer.headers.get("Content-Length")
    except (OSError, http.client.HTTPException) as error:
        raise _wrong(url, f"found {error}, expected the archive") from None
    if len(archive) > LARGEST_ARCHIVE:
        raise _wrong(url, f"found more than {LARGEST_ARCHIVE} bytes, expected an archive of `make dist`")
    if expected is not None and expected != str(len(archive)):
        raise _wrong(url, f"found {len(archive)} bytes, expected {expected}")
    return archive


def _unpack(url: str, archive: bytes, name: str, folder: pathlib.Path) -> None:
    """Unpacks an archive that has files and folders below `name` alone."""
    left = LARGEST_TREE
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            for entry in tar:
                parts = entry.name.split("/")
                if parts[0] != name or any(part in ("", ".", "..") for part in parts) or not (entry.isfile() or entry.isdir()):
                    raise _wrong(url, f"found {entry.name!r} in the archive, expected files and folders below {name} alone")
                left -= entry.size
                if left < 0:
                    raise _wrong(url, f"found more than {LARGEST_TREE} bytes in the archive, expected an archive of `make dist`")
                path = folder.joinpath(*parts)
                if entry.isdir():
                    path.mkdir(parents=True, exist_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                content = tar.extractfile(entry)
                assert content is not None
                with content, path.open("xb") as file:
                    shutil.copyfileobj(content, file)
                path.chmod(0o755 if entry.mode & 0o100 else 0o644)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise _wrong(url, f"found an archive that cannot be unpacked: {error}") from None
    if not folder.joinpath(name, "bin/counterfoil").is_file():
        raise _wrong(url, f"found no {name}/bin/counterfoil in the archive, expected it")
