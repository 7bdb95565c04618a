import BankModel
import Testing

@Suite struct JSONCanonicalTests {
    private static let pairs: [(String, String)] = [
        (#"{"currency":"GBP","minorUnits":1235}"#, #"{"minorUnits":1235,"currency":"GBP"}"#),
        (#"{"a":{"x":1,"y":[1,2]},"b":null}"#, " {\n\t\"b\" : null ,\r\n \"a\" : { \"y\" : [ 1 , 2 ] , \"x\" : 1 } } "),
        (#"{"at":"https://a/b"}"#, #"{"at":"https:\/\/a\/b"}"#),
        (#"["é🏦\n"]"#, #"["\u00e9\uD83C\uDFE6\u000A"]"#),
        (#"{"\u0061":1}"#, #"{"a":1}"#),
        ("10.0", "10.00"), ("10.0", "1e1"), ("10", "1E+1"), ("0.5", "5e-1"), ("0.5", "500.0e-3"), ("-0", "0.00"), ("0e99", "-0E-7"),
        ("123456789012345678901234567890123456789012345678901.0", "123456789012345678901234567890123456789012345678901"),
        ("1e1000000000", "10e999999999"), ("0e99999999999999999999", "0"),
        ("[]", " [ ] "), ("{}", "{\n}"),
    ]

    @Test(arguments: pairs)
    func `what is spelled otherwise is the same value`(_ a: String, _ b: String) throws {
        #expect(try JSON(parsing: a).canonical == JSON(parsing: b).canonical)
        #expect(JSON.isSameBody(Array(a.utf8), Array(b.utf8)))
    }

    private static let others: [(String, String)] = [
        ("10.0", "10.01"), ("1e1", "1e2"), ("1", "-1"), ("1", #""1""#), ("0", "null"), ("false", "null"), ("10", "1"), ("0.1", "0.01"),
        ("123456789012345678901234567890123456789012345678901", "123456789012345678901234567890123456789012345678902"),
        ("[1,2]", "[2,1]"), ("[]", "{}"), ("[1]", "[[1]]"), (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":"b"}"#, #"{"b":"a"}"#),
        (#"["a,b"]"#, #"["a","b"]"#), (#"" a""#, #""a""#), (#""A""#, #""a""#),
        // One character for a reader, other scalars: a bank that stores the text stores another one.
        ("\"\u{E9}\"", "\"e\u{301}\""), ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"),
        ("1e99999999999999999999", "1e99999999999999999998"),
    ]

    @Test(arguments: others)
    func `another value has another form`(_ a: String, _ b: String) throws {
        #expect(try JSON(parsing: a).canonical != JSON(parsing: b).canonical)
        #expect(!JSON.isSameBody(Array(a.utf8), Array(b.utf8)))
    }

    @Test func `the form is fixed, whatever process makes it`() throws {
        let value = try JSON(parsing: #"{"b": [1.50, true], "a": {"z": "\/", "é": -0.0}, "A": 1200}"#)

        #expect(String(decoding: value.canonical, as: UTF8.self) == #"{"A":12e2,"a":{"z":"/","é":0},"b":[15e-1,true]}"#)
    }

    @Test(arguments: [
        ("a=1&b=2", "b=2&a=1"), (#"{"a":1,"a":2}"#, #"{"a":1, "a":2}"#), (#"{"a":1"#, #"{ "a":1"#), ("", " "),
        ("\u{FEFF}{}", "\u{FEFF}{ }"),
    ])
    func `bodies that are not JSON, or have a name twice, are compared byte for byte`(_ a: String, _ b: String) {
        let (a, b) = (Array(a.utf8), Array(b.utf8))

        #expect(!JSON.isSameBody(a, b))
        #expect(JSON.isSameBody(a, a))
        #expect(JSON.canonical(ofBody: a) == a)
    }

    @Test(arguments: [7, 2026] as [UInt64])
    func `a value written at random has one form, and a changed value another`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)

        for round in 0..<500 {
            let value = RandomJSON.value(&generator)
            let (first, second) = (RandomJSON.text(value, &generator), RandomJSON.text(value, &generator))
            #expect(try JSON(parsing: first).canonical == value.canonical, "seed \(seed), round \(round): \(first)")
            #expect(JSON.isSameBody(Array(first.utf8), Array(second.utf8)), "seed \(seed), round \(round): \(first), \(second)")
            let other = JSON.array([value, .null])
            #expect(!JSON.isSameBody(Array(first.utf8), Array(RandomJSON.text(other, &generator).utf8)), "seed \(seed), round \(round)")
        }
    }
}
