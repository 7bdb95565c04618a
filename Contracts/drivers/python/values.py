"""Money, instants and lists as banks send them, read exactly. A function raises ValueError for what it cannot read."""

import re
from datetime import datetime, timedelta, timezone

from errors import Failure

DIGITS = {"JPY": 0, "KRW": 0, "VND": 0, "ISK": 0, "CLP": 0, "BHD": 3, "KWD": 3, "OMR": 3, "JOD": 3, "TND": 3, "IQD": 3, "CLF": 4}


def minor(text, currency):
    """The minor units of an amount in major units: ("12.30", "GBP") gives 1230. No floating point, no rounding."""
    match = re.fullmatch(r"(-?)([0-9]{1,18})(?:\.([0-9]{1,18}))?", _text(text))
    count = digits(currency)
    if not match:
        raise ValueError("no amount")
    sign, whole, fraction = match[1], match[2], match[3] or ""
    if fraction[count:].strip("0"):
        raise ValueError("more digits than the currency has")
    units = int(whole + fraction[:count].ljust(count, "0"))
    return -units if sign else units


def major(units, currency):
    """An amount of minor units as text: (1230, "GBP") gives "12.30"."""
    if isinstance(units, bool) or not isinstance(units, int):
        raise ValueError("minor units must be a whole number")
    count = digits(currency)
    text = str(abs(units)).rjust(count + 1, "0")
    whole, fraction = (text[:-count], "." + text[-count:]) if count else (text, "")
    return ("-" if units < 0 else "") + whole + fraction


def instant(text):
    """An instant of RFC 3339. A leap second is read as the second before it."""
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?([Zz]|([+-])(\d\d):(\d\d))", _text(text), re.ASCII)
    if not match:
        raise ValueError("no instant")
    seconds = "59" if match[3] == "60" else match[3]
    local = datetime.fromisoformat("%s %s:%s.%s" % (match[1], match[2], seconds, (match[4] or "").ljust(6, "0")[:6]))
    offset = timedelta()
    if match[6]:
        if int(match[7]) > 23 or int(match[8]) > 59:
            raise ValueError("no offset")
        offset = timedelta(hours=int(match[7]), minutes=int(match[8]))
    return (local - (offset if match[6] != "-" else -offset)).replace(tzinfo=timezone.utc)


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


def _text(value):
    if not isinstance(value, str):
        raise ValueError("found no text")
    return value


text = _text


def digits(currency):
    """How many digits of its amounts stand after the point."""
    if not re.fullmatch("[A-Z]{3}", _text(currency), re.ASCII):
        raise ValueError("no currency")
    return DIGITS.get(currency, 2)
