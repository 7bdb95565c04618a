"""The data that must survive the end of the process: the sign-in and the payments, each in a private file."""

import json
import os
import threading

from errors import Failure

try:
    import fcntl
except ImportError:  # no POSIX
    fcntl = None

SHARED = fcntl is not None  # whether several processes may use one folder at the same time


class Lock:
    """Held by one thread of one process at a time. Its holder may take it again; the system releases it when the process ends."""

    def __init__(self, path):
        self.path, self.threads, self.depth, self.file = path, threading.RLock(), 0, None

    def __enter__(self):
        self.threads.acquire()
        self.depth += 1
        if self.depth == 1 and SHARED:
            try:
                self.file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self.file, fcntl.LOCK_EX)
            except OSError:
                pass  # the store itself cannot be used then either, and raises an error

    def __exit__(self, *_):
        self.depth -= 1
        if self.depth == 0 and self.file is not None:
            os.close(self.file)
            self.file = None
        self.threads.release()


class Store:
    """A small JSON document on disk, readable by its owner only (0600) from the moment it is made.

    Every change is on disk before `change` returns: the new content goes to a second file that then takes the place of the first,
    so a kill at any moment leaves the old content or the new one, never half of it. Several processes may share the file: it is read
    again each time, and under `lock` nobody else changes it. A file that cannot be read or written for a while, on a locked device or a
    full disk, is a failure of that moment; nothing is forgotten for it. A damaged file counts as absent: the user signs in again.
    """

    def __init__(self, folder, name):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.folder, self.path = folder, os.path.join(folder, name + ".json")
        self.lock, self.unsaved = Lock(self.path + ".lock"), {}

    def get(self, name, default=None):
        with self.lock:
            if self.unsaved:
                self.remember()
            value = self._read().get(name)
            return default if value is None else value

    def change(self, **values):
        """Sets these values, those that are None are removed. On return they are on disk."""
        with self.lock:
            content = {**self._read(), **values}
            try:
                self._write({name: value for name, value in content.items() if value is not None})
            except OSError as error:
                raise Failure("unavailable", "the store cannot be written now: %s" % error.strerror, sent=False) from None
            self.unsaved = {}

    def remember(self, **values):
        """As `change`, for what is true whether it can be stored or not: this process knows it, and stores it as soon as it can."""
        with self.lock:
            try:
                self.change(**values)
            except Failure:
                self.unsaved.update(values)

    def _read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                content = json.load(file)
            if not isinstance(content, dict):
                raise ValueError("no JSON object")
        except FileNotFoundError:
            content = {}
        except ValueError:  # no JSON or no UTF-8
            content = self._damaged()
        except OSError as error:
            raise Failure("unavailable", "the store cannot be read now: %s" % error.strerror, sent=False) from None
        return {**content, **self.unsaved}

    def _damaged(self):
        """The content of a damaged file."""
        return {}

    def _write(self, content):
        half = self.path + ".new"
        handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, self.path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)  # the new name too
        finally:
            os.close(folder)


class Payments(Store):
    """The store of payment orders. A damaged file may contain a payment that was sent: it is reported, and never replaced."""

    def _damaged(self):
        raise Failure("unavailable", "the payments cannot be read: %s is damaged" % os.path.basename(self.path), sent=False)
