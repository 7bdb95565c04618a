"""mutate: bytes made wrong at a few places."""

SPECIAL = [b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\t", b" ", b"\x0b", b"\x7f", b"\x80", b"\xff", b"\xc3\xa9", b"\xe2\x80\xae", b"%00", b"%",
           b":", b";", b",", b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b"&", b"*", b"-", b"#", b"!", b"|", b">", b"?", b"@", b"`", b"<<", b"~",
           b"..", b"/", b"//", b"0", b"-1", b"1e999", b"9223372036854775808", b"18446744073709551616", b"null", b"true", b"NaN", b"1.5",
           b"\xef\xbb\xbf", b"\xed\xa0\x80", b"A" * 300]


def mutate(data, chooser, times=None):
    """The bytes after one to four changes: flipped, removed, doubled, moved, put between."""
    data = bytearray(data)
    for _ in range(times or chooser.choice([1, 1, 1, 2, 2, 3, 4])):
        _change(data, chooser)
    return bytes(data)


def _change(data, chooser):
    place = chooser.randrange(len(data) + 1)
    until = min(len(data), place + chooser.choice([1, 1, 2, 4, 16, 64]))
    way = chooser.randrange(7)
    if way == 0 and place < len(data):
        data[place] ^= 1 << chooser.randrange(8)
    elif way == 1 and place < len(data):
        data[place] = chooser.randrange(256)
    elif way == 2:
        del data[place:until]
    elif way == 3:
        data[place:place] = data[place:until]
    elif way == 4:
        piece = bytes(data[place:until])
        del data[place:until]
        other = chooser.randrange(len(data) + 1)
        data[other:other] = piece
    elif way == 5:
        data[place:until] = chooser.choice(SPECIAL)
    else:
        data[place:place] = chooser.choice(SPECIAL)
