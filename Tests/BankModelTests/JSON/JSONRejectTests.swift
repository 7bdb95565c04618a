import BankModel
import Testing

@Suite struct JSONRejectTests {
    @Test(arguments: structure + numbers + strings + encodings)
    func `rejects what is no JSON`(_ sample: Sample) {
        #expect(throws: JSONError.self) { try JSON(parsing: sample.bytes) }
    }

    @Test(arguments: ["{", "[", "\"", ":", ",", "}", "]", "t", "-", "1e", "\\"])
    func `rejects every text that ends too early or goes on`(_ mark: String) {
        let valid = #"{"a":[1,-2.5e3,"b\u0041"],"c":{"d":null}}"#

        for length in 0..<valid.utf8.count {
            #expect(throws: JSONError.self, "cut to \(length)") { try JSON(parsing: valid.utf8.prefix(length)) }
        }
        #expect(throws: JSONError.self) { try JSON(parsing: valid + mark) }
    }

    static let structure: [Sample] =
        [
            "", " ", "\n", "nul", "nulll", "Null", "NULL", "tru", "True", "truefalse", "falsey", "none", "undefined", "{]", "[}", "[", "]",
            "{", "}", ",", ":", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1]]", "[1],", "[1][2]", "1 2", "null null", "[1:2]",
            "{\"a\":1,}", "{,\"a\":1}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\",1}", "{\"a\"=1}", "{\"a\":1 \"b\":2}",
            "{\"a\":1,,\"b\":2}",
            "{\"a\"::1}", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{[]:1}", "{\"a\":1", "{\"a\":", "{\"a\"", "[\"a\"", "[1", "[1,",
            "// no\n1", "1 // no", "/* no */ 1", "[1 /* no */]", "# no\n1", "[...]", "<a/>", "a", "@", "(1)", "[\u{A0}1]", "[\u{2028}1]",
            "[\u{C}1]", "[\u{B}1]", "\u{0}", "1\u{0}", "[\u{0}]",
        ].map { Sample("structure: \($0.debugDescription)", $0) } + [
            Sample("a name twice", #"{"a":1,"a":1}"#),
            Sample("a name twice, once escaped", #"{"a":1,"\u0061":2}"#),
            Sample("an empty name twice", #"{"":1,"":2}"#),
            Sample("a name twice, far apart and deep", #"[{"a":{"b":1,"c":2,"d":3,"b":4}}]"#),
            Sample("arrays one level too deep", nested(513)),
            Sample("a hundred thousand open arrays", String(repeating: "[", count: 100_000)),
            Sample("a hundred thousand open objects", String(repeating: #"{"a":"#, count: 100_000)),
        ]

    static let numbers: [Sample] = [
        "NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "+1", "-", "--1", "- 1", "-a", "01", "-01", "00", "007", "0123.4", ".5",
        "-.5", "1.", "-1.", "1.e2", "1..2", "1.2.3", "1e", "1e+", "1e-", "1E", "1e1.5", "1ee2", "1e+-2", "e5", "0x10", "0b1", "0o7",
        "1_000", "1,000", "1 000", "1f", "1L", "12a", "1.2a", "١", "½", "１", "$1", "1%",
    ].map { Sample("number: \($0)", $0) }

    static let strings: [Sample] =
        [
            Sample("no closing quote", "\"abc"),
            Sample("single quotes", "'abc'"),
            Sample("backquotes", "`abc`"),
            Sample("a quote too many", "\"abc\"\""),
            Sample("an unknown escape", #""\a""#),
            Sample("an escaped single quote", #""\'""#),
            Sample("an escaped zero", #""\0""#),
            Sample("a two-digit escape", #""\x41""#),
            Sample("a capital escape", #""\N""#),
            Sample("an escaped line end", "\"\\\n\""),
            Sample("a Swift escape", #""\u{41}""#),
            Sample("three digits", #""\u041""#),
            Sample("no digits", #""\u""#),
            Sample("a digit that is none", #""\u00G0""#),
            Sample("a sign among the digits", #""\u+041""#),
            Sample("full-width digits", #""\u００４１""#),
            Sample("a capital U", #""\U0041""#),
            Sample("an escape at the end", #""\"#),
            Sample("a high surrogate alone", #""\uD800""#),
            Sample("a high surrogate before a letter", #""\uD800a""#),
            Sample("a high surrogate before another escape", #""\uD800\n""#),
            Sample("two high surrogates", #""\uD800\uD800""#),
            Sample("a high surrogate before an ordinary escape", #""\uD800\u0041""#),
            Sample("a low surrogate alone", #""\uDC00""#),
            Sample("surrogates the wrong way round", #""\uDFE6\uD83C""#),
            Sample("half a low surrogate", #""\uD800\uDC0""#),
            Sample("a lone surrogate in a name", #"{"\uD800":1}"#),
        ] + (UInt8(0)..<0x20).map { Sample("control character \($0) in a text", bytes: quoted($0)) }

    static let encodings: [Sample] = [
        Sample("a byte order mark", bytes: [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
        Sample("a byte order mark alone", bytes: [0xEF, 0xBB, 0xBF]),
        Sample("UTF-16, big end first", bytes: [0xFE, 0xFF, 0, 0x31]),
        Sample("UTF-16, little end first", bytes: [0x31, 0]),
        Sample("Latin-1", bytes: quoted(0xE9)),
        Sample("a continuation byte alone", bytes: quoted(0x80)),
        Sample("two bytes, cut", bytes: quoted(0xC3)),
        Sample("three bytes, cut", bytes: quoted(0xE2, 0x82)),
        Sample("four bytes, cut", bytes: quoted(0xF0, 0x9F, 0x8F)),
        Sample("an overlong slash", bytes: quoted(0xC0, 0xAF)),
        Sample("an overlong zero", bytes: quoted(0xC0, 0x80)),
        Sample("an overlong euro sign", bytes: quoted(0xF0, 0x82, 0x82, 0xAC)),
        Sample("a surrogate in UTF-8", bytes: quoted(0xED, 0xA0, 0x80)),
        Sample("a pair of surrogates in UTF-8", bytes: quoted(0xED, 0xA0, 0xBC, 0xED, 0xBF, 0xA6)),
        Sample("beyond U+10FFFF", bytes: quoted(0xF4, 0x90, 0x80, 0x80)),
        Sample("five bytes", bytes: quoted(0xF8, 0x88, 0x80, 0x80, 0x80)),
        Sample("byte 0xFF", bytes: quoted(0xFF)),
        Sample("byte 0xFF outside a text", bytes: [0xFF]),
        Sample("bad UTF-8 in a name", bytes: Array("{".utf8) + quoted(0xFF) + Array(":1}".utf8)),
        Sample("bad UTF-8 after an escape", bytes: quoted(UInt8(ascii: "\\"), UInt8(ascii: "n"), 0xC3)),
        Sample("two bytes parted by an escape", bytes: quoted(0xC3, UInt8(ascii: "\\"), UInt8(ascii: "n"), 0xA9)),
    ]
}
