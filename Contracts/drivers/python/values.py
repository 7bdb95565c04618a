"""Lists as banks send them, and the kit's exact money and instants. A function raises ValueError for what it cannot read."""

import kit  # noqa: F401
from counterfoil_driver import digits, instant, major, minor  # noqa: F401: for banks.py and typed.py
from errors import Failure


def rows(json, name, read):
    """The rows of a list, each read by `read`. One that cannot be read is left out; if none can, the answer is no good."""
    found = json.get(name) if isinstance(json, dict) else None
    if not isinstance(found, list):
        raise Failure("decode", "found no list %r" % name)
    readable = []
    for row in found:
        try:
            readable.append(read(row))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue
    if found and not readable:
        raise Failure("decode", "no row of %r can be read" % name)
    return readable


def text(value):
    if not isinstance(value, str):
        raise ValueError("found no text")
    return value
