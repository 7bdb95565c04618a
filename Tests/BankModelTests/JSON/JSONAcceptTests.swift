import BankModel
import Testing

@Suite struct JSONAcceptTests {
    @Test(arguments: structure + numbers + strings)
    func `accepts and keeps`(_ sample: Sample) throws {
        let value = try JSON(parsing: sample.bytes)

        #expect(value.text == sample.compact)
    }

    static let structure: [Sample] = [
        Sample("null", "null"),
        Sample("true", "true"),
        Sample("false", "false"),
        Sample("empty array", "[]"),
        Sample("empty object", "{}"),
        Sample("space in an empty array", "[ \t\r\n]", compact: "[]"),
        Sample("space in an empty object", "{ \t\r\n}", compact: "{}"),
        Sample("space before the value", " \n\r\t 1", compact: "1"),
        Sample("space after the value", "1 \n\r\t ", compact: "1"),
        Sample("space around every mark", " { \"a\" : [ 1 , 2 ] , \"b\" : null } ", compact: #"{"a":[1,2],"b":null}"#),
        Sample("one element", "[1]"),
        Sample("elements of all kinds", #"[null,true,false,0,"",[],{}]"#),
        Sample("one member", #"{"a":1}"#),
        Sample("members in an order that is not the alphabet's", #"{"z":1,"a":2,"m":3}"#),
        Sample("an empty name", #"{"":0}"#),
        Sample("names that differ in case", #"{"a":1,"A":2}"#),
        Sample("names that differ by a space", #"{"a":1,"a ":2}"#),
        Sample("one name at two levels", #"{"a":{"a":1}}"#),
        Sample("one name in two elements", #"[{"a":1},{"a":2}]"#),
        Sample("a name with a dot", #"{"a.b":1}"#),
        Sample("a name that is a digit", #"{"1":1}"#),
        Sample("a name with an escape", #"{"\u0061\n":1}"#, compact: #"{"a\n":1}"#),
        Sample("arrays as deep as allowed", nested(512)),
        Sample("objects as deep as allowed", deepObjects),
        Sample("a wide array", "[" + Array(repeating: "0", count: 5000).joined(separator: ",") + "]"),
        Sample("a text alone", #""text""#),
    ]

    static let numbers: [Sample] = [
        "0", "-0", "1", "-1", "10", "1234567890", "0.0", "-0.0", "0.5", "12.00", "12.10", "-0.05", "1.0000000000000000000000001", "1e2",
        "1E2", "1e+2", "1E+2", "1e-2", "1e02", "0e0", "0e+1", "-0e-1", "1.5e3", "123.456e-789", "1e400", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "170141183460469231731687303715884105727",
        "100000000000000000000000000000000000000000000000000000000000000000000001",
    ].map { Sample("number \($0)", $0) }

    static let strings: [Sample] = [
        Sample("an empty text", #""""#),
        Sample("letters", #""abc""#),
        Sample("a quote and a backslash", #""\"\\""#),
        Sample("a slash, escaped", #""\/""#, compact: #""/""#),
        Sample("a slash, plain", #""/""#),
        Sample("b and f escapes", #""\b\f""#, compact: #""\u0008\u000c""#),
        Sample("n, r and t escapes", #""\n\r\t""#),
        Sample("an escaped zero", #""\u0000""#),
        Sample("a control character, escaped", #""\u001F""#, compact: #""\u001f""#),
        Sample("hexadecimal digits of both cases", #""\u00e9\u00E9""#, compact: #""éé""#),
        Sample("a delete character", "\"\u{7F}\""),
        Sample("two bytes of UTF-8", #""é""#),
        Sample("three bytes of UTF-8", #""€""#),
        Sample("four bytes of UTF-8", #""🏦""#),
        Sample("a surrogate pair", #""\uD83C\uDFE6""#, compact: #""🏦""#),
        Sample("the last pair", #""\uDBFF\uDFFF""#, compact: "\"\u{10FFFF}\""),
        Sample("two pairs", #""\ud83c\udfe6\ud83c\udfe6""#, compact: #""🏦🏦""#),
        Sample("a character before and after the surrogates", #""\uD7FF\uE000""#, compact: "\"\u{D7FF}\u{E000}\""),
        Sample("a noncharacter", #""\uFFFF""#, compact: "\"\u{FFFF}\""),
        Sample("a line separator", "\"\u{2028}\u{2029}\""),
        Sample("a byte order mark inside a text", #""\uFEFFa""#, compact: "\"\u{FEFF}a\""),
        Sample("an escaped backslash before u", #""\\u0041""#),
        Sample("an escape's digits followed by a digit", #""\u00411""#, compact: #""A1""#),
        Sample("marks of JSON", #""[{,:}]""#),
        Sample("a comment's marks", #""// /* */ #""#),
        Sample("a combining accent", "\"e\u{301}\""),
    ]

    private static let deepObjects = String(repeating: #"{"a":"#, count: 511) + "{}" + String(repeating: "}", count: 511)
}
