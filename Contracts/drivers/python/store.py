"""The data that must survive the end of the process: tokens and payments, in one private file."""

import json
import os
import threading


class Store:
    """A small JSON document on disk, readable by its owner only (0600) from the moment it is made.

    Every change is on disk before `change` returns: the new content goes to a second file that then takes the place of the first,
    so a kill at any moment leaves the old content or the new one, never half of it.
    """

    def __init__(self, folder, bank):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.folder, self.path = folder, os.path.join(folder, bank + ".json")  # what one bank gave, no other gets
        self.lock = threading.RLock()
        try:
            with open(self.path, encoding="utf-8") as file:
                self.content = json.load(file)
        except FileNotFoundError:
            self.content = {}

    def get(self, name, default=None):
        with self.lock:
            return self.content.get(name, default)

    def change(self, **values):
        """Sets these values, those that are None are removed. On return they are on disk."""
        with self.lock:
            content = {**self.content, **values}
            self.content = {name: value for name, value in content.items() if value is not None}
            half = self.path + ".new"
            handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self.content, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(half, self.path)
            folder = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(folder)  # the new name too
            finally:
                os.close(folder)
