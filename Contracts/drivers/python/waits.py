"""How long the bank asks a client to wait, by the headers of a response."""

import email.utils
import re
from datetime import timezone


def _limit_ends(text):
    """Seconds until a limit that is used up begins again, from `"default";r=0;t=60`; None if there is none."""
    used_up = [limit for limit in text.split(",") if re.search(r";\s*r=0\s*(;|$)", limit)]
    waits = [re.search(r";\s*t=([0-9]{1,9})\s*(;|$)", limit) for limit in used_up]
    return max((float(wait[1]) for wait in waits if wait), default=None)


def retry_after(response):
    """Seconds, from a number or a date (measured by the bank's own clock), or from RateLimit; None if absent or unreadable."""
    text = response.headers.get("Retry-After", "").strip()
    if not text:
        return _limit_ends(response.headers.get("RateLimit", ""))
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        until = email.utils.parsedate_to_datetime(text)
        now = email.utils.parsedate_to_datetime(response.headers.get("Date") or email.utils.formatdate(usegmt=True))
        return max(0.0, (until.astimezone(timezone.utc) - now.astimezone(timezone.utc)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
