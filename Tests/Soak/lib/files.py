"""files: files made wrong, in place, and `counterfoil validate` asked of them."""
import concurrent.futures
import json
import os
import pathlib
import re

from child import run
from mutate import mutate
from oddities import DURATIONS, INSTANTS, NUMBERS, TEXTS, text, with_odd
from soaking import BOUND, Failure, shown

INTERNAL = re.compile(r"Error Domain|couldn.t be completed|Swift\.|DecodingError|YamlError|NSCocoa|Optional\(|Fatal error|Illegal instruction|^\s*at /", re.M)
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HANGING = float(os.environ.get("SOAK_HANGING", "3"))  # times the bound, by the clock on the wall: others may have the processor
C0 = re.compile(r"[\x00-\x1f]")
SCALAR = re.compile(r"^(\s*(?:- )?[\w.$-]+:)\s+\S.*$", re.M)


def spoil(file, chooser):
    """Makes one file wrong.

    - Returns: what was done, in words.
    """
    way = chooser.choices([_bytes, _lines, _scalars, _values, _whole, _kinds], [30, 20, 20, 20, 12, 3])[0]
    if way is _values and file.suffix != ".json":
        way = _scalars
    return way(file, chooser)


def _bytes(file, chooser):
    file.write_bytes(mutate(file.read_bytes(), chooser))
    return "bytes changed"


def _lines(file, chooser):
    """Lines removed, doubled, moved, put under another."""
    lines = file.read_bytes().split(b"\n")
    for _ in range(chooser.choice([1, 1, 2, 4])):
        place = chooser.randrange(len(lines))
        way = chooser.randrange(5)
        if way == 0 and len(lines) > 1:
            del lines[place]
        elif way == 1:
            lines.insert(place, lines[place])
        elif way == 2:
            lines.insert(chooser.randrange(len(lines)), lines.pop(place))
        elif way == 3:
            lines[place] = chooser.choice([b" ", b"  ", b"\t", b"- ", b"? ", b"#", b"--- ", b"!!binary ", b"&a ", b"*a "]) + lines[place]
        else:
            lines[place] = lines[place][:chooser.randrange(len(lines[place]) + 1)]
    file.write_bytes(b"\n".join(lines))
    return "lines changed"


def _scalars(file, chooser):
    """A value of another type, or beyond all bounds, in the place of one."""
    content = file.read_text()
    found = list(SCALAR.finditer(content)) or list(re.finditer(r"(:)\s*[^,}\]\s]+", content))
    if not found:
        return _bytes(file, chooser)
    match = chooser.choice(found)
    odd = chooser.choice([json.dumps(chooser.choice(TEXTS)), str(chooser.choice(NUMBERS)), chooser.choice(DURATIONS), chooser.choice(INSTANTS), "~", "[]", "{}", "[[[]]]", "{a: {b: c}}",
                          "!!int x", "&a [*a]", "*none", "0o777", "1_000", "yes", "2026-01-01", ".inf", "-.inf", ".nan", "'", '"', "|", ">", "@x", "%x", "<<: *x", "9" * 5000,
                          "[" * 3000, "a" * 70_000])
    file.write_bytes((content[:match.start()] + match[1] + " " + odd + content[match.end():]).encode(errors="replace"))
    return f"a value became {shown(odd, 40)}"


def _values(file, chooser):
    """JSON whose values are odd."""
    document, path = with_odd(json.loads(file.read_text()), chooser)
    file.write_bytes(text(document))
    return f"the value at {shown(path, 80)} made odd"


def _whole(file, chooser):
    """Another content altogether."""
    content = file.read_bytes()
    name, made = chooser.choice([
        ("empty", lambda: b""), ("UTF-16", lambda: content.decode().encode("utf-16")), ("a byte order mark", lambda: b"\xef\xbb\xbf" + content),
        ("two marks", lambda: b"\xef\xbb\xbf" * 2 + content), ("CR LF", lambda: content.replace(b"\n", b"\r\n")), ("CR", lambda: content.replace(b"\n", b"\r")),
        ("NUL behind", lambda: content + b"\0"), ("twice", lambda: content * 2), ("two documents", lambda: content + b"\n---\n" + content), ("tabs", lambda: content.replace(b"  ", b"\t")),
        ("noise", lambda: chooser.randbytes(4000)), ("deep lists", lambda: b"[" * 100_000), ("deep mappings", lambda: b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
        ("deep block", lambda: b"".join(b" " * n + b"a:\n" for n in range(3000))), ("a list", lambda: b"[1, 2]"), ("null", lambda: b"null"), ("a text", lambda: b'"x"'),
        ("a cycle", lambda: b"a: &a\n  b: *a\n" + content), ("laughs", lambda: b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(ord("a"), ord("i")))),
        ("huge", lambda: content + b"\n#" + b"x" * 3_000_000), ("a huge number", lambda: b"bank: " + b"9" * 1_000_000), ("many keys", lambda: b"".join(b"k%d: 1\n" % n for n in range(20_000))),
        ("cut", lambda: content[:chooser.randrange(len(content) + 1)]), ("latin-1", lambda: content + b"\n# \xe9\xff\n"), ("merge keys", lambda: b"<<: [1, {a: b}]\n" + content)])
    file.write_bytes(made())
    return f"the whole file: {name}"


def _kinds(file, chooser):
    """No regular file."""
    kind = chooser.choice(["fifo", "gone", "folder", "link to itself", "link to nowhere", "link out", "device"])
    file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind != "gone":
        file.symlink_to({"link to itself": file.name, "link to nowhere": "none", "link out": "/etc/passwd", "device": "/dev/zero"}[kind])
    return f"the file: {kind}"


def validate(program, stubs, contracts, bound=BOUND, banks=()):
    """Asks `validate`, and looks at how it ends and what it prints.

    - Returns: the complaints.
    """
    done = run([program, "validate", *banks, "--stubs", str(stubs), "--contracts", str(contracts), "--json"], HANGING * bound, bound)
    out, err = done.out, done.err
    if done.code not in (0, 2):
        raise Failure(f"found exit code {done.code}, expected 0 or 2: {shown(err[-400:], 500)}")
    for name, said in (("stdout", out), ("stderr", err)):
        # JSON escapes C0 alone, and is for programs.
        if control := (CONTROLS if name == "stderr" else C0).search(said.replace("\n", "")):
            raise Failure(f"found {ascii(control[0])} raw on {name}: {shown(said[max(0, control.start() - 60):][:160])}")
        if leak := INTERNAL.search(said):
            raise Failure(f"found «{leak[0].strip()}» on {name}, expected words for people: {shown(said[max(0, leak.start() - 100):][:300], 320)}")
    try:
        report = json.loads(out)
    except ValueError as error:
        raise Failure(f"found {shown(out, 200)} on stdout, expected one line of JSON") from error
    errors = [complaint for complaint in report["complaints"] if not complaint["warning"]]
    if (done.code == 0) != report["sound"] or report["sound"] == bool(errors):
        raise Failure(f"found exit code {done.code}, sound {report['sound']} and {len(errors)} errors, expected them to agree")
    for complaint in report["complaints"]:
        if not complaint["file"] or not complaint["message"].strip():
            raise Failure(f"found the complaint {shown(complaint, 300)}, expected a file and words")
        if complaint["line"] is None and pathlib.Path(complaint["file"]).is_file() and not pathlib.Path(complaint["file"]).is_symlink() \
                and not re.search(r"empty|UTF-8|UTF-16|bytes", complaint["message"]):
            raise Failure(f"found the complaint {shown(complaint, 300)}, expected a line of the file")
    return errors


def in_parallel(numbers, body):
    """Runs the body for each, two at a time; what it raises ends all."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(body, number) for number in numbers]
        try:
            for one in runs:
                one.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
