"""oddities: odd values, and documents with odd values in places of right ones."""
import json
import re

TEXTS = ["", " ", "\0", "a" * 5000, "é", "日本語", "\u202e\u2066evil", "\x1b[2J", "\r\nX: y", "\ud800", "\uffff", "💩" * 200, "../../etc/passwd", "%00", "%2e%2e%2f",
         "${token}", "{{x}}", "<script>", "'; DROP TABLE x", "default", "counterfoil", "rule-1", "token#1", "null", "true", "yes", "*", "a.b.c", "-", "#", "0x10"]
DURATIONS = ["9223372036s", "9223372036s", "9223372037s", "9223372036854775807s", "99999999999999999999s", "106751d", "106752d", "36500d", "36501d", "2562047h",
             "-1s", "-9223372036s", "0s", "1ns", "0.5s", "s", "1", "１s", "1s1s", "9223372036854ms"]
INSTANTS = ["9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1600-02-29T00:00:00Z",
            "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+99:99", "2026-01-01", "2262-04-11T23:47:17Z",
            "2262-04-12T00:00:00Z", "1677-09-21T00:12:43Z", "1677-01-01T00:00:00Z", "292277026596-12-04T15:30:08Z", "2026-01-01T00:00:00.999999999999Z", "now"]
NUMBERS = [0, -1, 1, 2, 99, 255, 65_536, 1 << 31, (1 << 31) - 1, 1 << 53, (1 << 63) - 1, 1 << 63, -(1 << 63), -(1 << 63) - 1, (1 << 64) - 1, 1 << 64, 10 ** 30, 0.5, -0.5, 1.0000001,
           1e308, -1e308, 1e-320, 5e-324]
RAW = ["1e999", "-1e999", "-0", "-0.0", "1E400", "9" * 400, "0." + "1" * 400, "1e-999999999", "01", "NaN", "Infinity", "tru", "'x'", "\"\\ud800\"", "\"\\u0000\"", "\"\t\"", "/**/1"]


def odd(chooser, depth=0):
    """A value that is seldom what was asked for."""
    way = chooser.randrange(10)
    if way < 3:
        return chooser.choice(TEXTS + DURATIONS + INSTANTS)
    if way == 3:
        return chooser.choice(DURATIONS)
    if way == 4:
        return chooser.choice(INSTANTS)
    if way < 7:
        return chooser.choice(NUMBERS)
    if way == 7:
        return chooser.choice([None, True, False, [], {}])
    if way == 8:
        return f"@raw{chooser.randrange(len(RAW))}@"
    if depth:
        return []
    shape = chooser.randrange(4)
    if shape == 0:
        return nested(chooser.choice([20, 100, 600]), chooser.random() < 0.5)
    if shape == 1:
        return [odd(chooser, 1) for _ in range(chooser.choice([1, 3, 2000]))]
    return {chooser.choice(TEXTS): odd(chooser, 1) for _ in range(3)}


def like(right, chooser):
    """An odd value, mostly of the kind that stood there."""
    if isinstance(right, str) and chooser.random() < 0.6:
        if re.fullmatch(r"-?[0-9]+(ms|s|m|h|d)", right):
            return chooser.choice(DURATIONS)
        if re.match(r"[0-9]{4}-[0-9]{2}-", right):
            return chooser.choice(INSTANTS)
        return chooser.choice(TEXTS)
    if isinstance(right, (int, float)) and not isinstance(right, bool) and chooser.random() < 0.6:
        return chooser.choice(NUMBERS)
    return odd(chooser)


def nested(depth, is_list):
    value = 1
    for _ in range(depth):
        value = [value] if is_list else {"a": value}
    return value


def text(document):
    """JSON with what JSON cannot say."""
    written = json.dumps(document)
    for number, raw in enumerate(RAW):
        written = written.replace(f'"@raw{number}@"', raw)
    return written.encode()


def places(document, path=()):
    """The paths of all values, the whole first."""
    yield path
    pairs = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in pairs:
        yield from places(value, (*path, key))


def with_odd(document, chooser):
    """The document with one thing made odd: a copy, and the path of it."""
    document = json.loads(json.dumps(document))
    path = chooser.choice(list(places(document)))
    way = chooser.randrange(8)
    if way == 0 and path:
        parent = follow(document, path[:-1])
        del parent[path[-1]]
        return document, path
    inner = follow(document, path)
    if way == 1 and isinstance(inner, dict):
        key = chooser.choice(TEXTS + ["x", "faults", "namee"])
        inner[key] = odd(chooser)
        return document, (*path, key)
    value = [inner] if way == 2 else {"value": inner} if way == 3 else like(inner, chooser)
    if not path:
        return value, path
    follow(document, path[:-1])[path[-1]] = value
    return document, path


def follow(document, path):
    for key in path:
        document = document[key]
    return document
