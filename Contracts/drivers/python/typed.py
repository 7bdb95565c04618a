"""Amounts as people type them, read by the signs of their language: a formatter needs locale data, which may not be installed.

A text that has two readings is no amount: ValueError.
"""

import re
import unicodedata

import values

COMMA = set("az be bg bs ca cs da de el es et eu fi fr gl hr hu id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr uk uz vi".split())
POINT_IN = set("CH LI MX US PR GT HN NI SV PA DO PE".split())  # though their languages elsewhere write a comma
COMMA_IN = {"ar_DZ", "ar_LB", "ar_LY", "ar_MA", "ar_MR", "ar_TN", "en_ZA"}
DIRECTIONS = dict.fromkeys(map(ord, "\u200e\u200f\u061c"))  # invisible, and copied along


def major(text, currency, locale):
    """The amount with a point and all digits of its currency: ("1.234,5", "EUR", "de_DE") gives "1234.50"."""
    language, _, country = (locale or "en").partition("_")
    comma = locale in COMMA_IN or (language in COMMA and country not in POINT_IN)
    point, group = (",", "[. '’\u066c]") if comma else (".", "[, '’\u066c]")
    plain = "".join(map(_ascii, " ".join(text.translate(DIRECTIONS).split())))
    match = re.fullmatch(r"([0-9]+|[0-9]{1,3}(?:%s[0-9]{2,3})*%s[0-9]{3})(?:[%s\u066b]([0-9]+))?" % (group, group, point), plain)
    if not match:
        raise ValueError("cannot read the amount %r for certain" % text)
    whole, fraction = re.sub("[^0-9]", "", match[1]), match[2] or ""
    if len(fraction) > values.digits(currency):
        raise ValueError("more digits than the currency has")
    return values.major(values.minor(whole + ("." + fraction if fraction else ""), currency), currency)


def _ascii(character):
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)
