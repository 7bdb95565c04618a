import BankModel
import Testing

@Suite struct TextPatternTests {
    @Test(arguments: [
        ("a.c", ["abc"], ["ac", "abcd", "a\nc"]), ("(?s)a.c", ["a\nc"], ["ac"]), ("(?i)ab", ["AB", "aB"], ["ac"]),
        ("[0-9]{2,3}", ["12", "123"], ["1", "1234", "ab"]), ("(a|bc)*d?", ["", "abcad", "bc"], ["b", "dd"]),
        ("^\\d+\\.\\w$", ["1.a"], ["1a", "x1.a"]), ("[^/]+", ["ab"], ["", "a/b"]), ("[\\]a-]+", ["]a-"], ["b"]),
        ("a\\b.*", ["a b", "a"], ["ab"]), ("(?<id>x){3}", ["xxx"], ["xx"]), ("\\u0041é", ["Aé"], ["A"]),
    ])
    func `a whole text fits or not`(source: String, fits: [String], fitsNot: [String]) throws {
        let pattern = try TextPattern(source)
        for text in fits { #expect(pattern.matches(text), "\(text)") }
        for text in fitsNot { #expect(!pattern.matches(text), "\(text)") }
    }

    @Test(arguments: ["(?=a)", "(a)\\1", "a++", "[a", "a)", "*a", "a{3,2}", "[a&&b]", "\\p{L}", "(?i", "((((a{1000}){1000}))))"])
    func `what has no automaton is rejected with its position`(source: String) {
        let error = #expect(throws: PatternError.self) { try TextPattern(source) }
        #expect(error?.description.contains("expected") == true)
    }

    @Test func `an expression that makes backtracking explode takes linear time`() throws {
        let text = String(repeating: "a", count: 2000)
        #expect(try !TextPattern("(a*)*b").matches(text))
        #expect(try !TextPattern("(a|aa)+$b").matches(text))
    }

    /// Each character of the text costs thousands of steps: a body of 1 MiB took three quarters of an hour.
    @Test(.timeLimit(.minutes(1))) func `an expression of many steps ends, and does not fit a text that is too long for it`() throws {
        let long = String(repeating: "a", count: 1 << 20)
        let wide = try TextPattern("(?:a*){800}(?:a*){800}")

        #expect(wide.matches(String(repeating: "a", count: 1000)))
        #expect(!wide.matches(long))
        #expect(try !TextPattern("(?:a*){800}(?:a*){800}b").isFound(in: long))
        #expect(try TextPattern(".*b.*c.*").matches(long + "bc"))
    }

    /// A filter applies the expression to the long text once for each element.
    @Test(.timeLimit(.minutes(1))) func `a JSON path that matches a long text for each element ends and finds nothing`() throws {
        let long = String(repeating: "a", count: 1 << 19)
        let elements = Array(repeating: "{}", count: 100_000).joined(separator: ",")
        let document = try JSON(parsing: #"{"x":"\#(long)","list":[\#(elements)]}"#)

        #expect(try JSONPath("$.list[?($.x =~ /.*b.*/)]").find(in: document) == .nothing)
    }

    /// Such an expression has no step, so the limit on steps did not end its writing out.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "a((((x{0}){1000}){1000}){1000}){1000}", "a(((((){1000}){1000}){1000}){1000}){1000}", "a(((((()())?)*)+){1000}){1000}",
            "(((((?:){1000}){1000}){1000}){1000}){1000}a",
        ])
    func `counts of nothing are not written out`(_ source: String) throws {
        let pattern = try TextPattern(source)
        #expect(pattern.matches("a"))
        #expect(!pattern.matches("ax"))
        #expect(pattern.literal == "a")
        #expect(pattern.example() == "a")
    }

    @Test func `an expression has pieces between its own slashes`() throws {
        #expect(try TextPattern.pieces("/a/[/b]/(c/d)/e", at: "/") == ["", "a", "[/b]", "(c/d)", "e"])
        #expect(try TextPattern("a\\.b").literal == "a.b")
        #expect(try TextPattern(TextPattern.escaped("a.b*(c)")).literal == "a.b*(c)")
    }

    @Test(arguments: [
        ("$.items[?(@.id > 1)].n", #"{"items":[{"id":1,"n":"a"},{"id":2,"n":"b"}]}"#, ["b"]),
        ("$[?(@.a == '5' || @.b != 1)]", #"{"a":5,"b":1}"#, [#"{"a":5,"b":1}"#]), ("$..x", #"{"x":1,"y":[{"x":2.50}]}"#, ["1", "2.5"]),
        ("$.a[-1:]", #"{"a":[1,2]}"#, ["2"]), ("$['a b'][0]", #"{"a b":["c"]}"#, ["c"]), ("$.a.length()", #"{"a":[1,2]}"#, ["2"]),
        ("$.b", #"{"a":1}"#, []), ("$[?(@.a in ['x','y'])].a", #"[{"a":"y"},{"a":"z"}]"#, ["y"]),
    ])
    func `a JSON path leads to values`(path: String, document: String, texts: [String]) throws {
        #expect(try JSONPath(path).find(in: JSON(parsing: document)).texts == texts)
    }

    /// Each step multiplies what the one before has found: 2^60 values, or 500^6 / 6!.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["$" + String(repeating: "[0,0]", count: 60), "$..*..*..*..*..*..*", "$..[?($..x)]", "$..[?(@..[?($..[?($..x)])])]"])
    func `a JSON path that multiplies what it finds ends and finds nothing`(_ path: String) throws {
        let deep = String(repeating: "[", count: 500) + "1" + String(repeating: "]", count: 500)
        // A filter tests objects.
        let wide = "[" + Array(repeating: #"{"a":1}"#, count: 20_000).joined(separator: ",") + "]"
        let document = try JSON(parsing: path.contains("?") ? wide : deep)

        #expect(try JSONPath(path).find(in: document) == .nothing)
    }

    @Test func `a JSON path finds all of a large document`() throws {
        let wide = try JSON(parsing: "[" + Array(repeating: #"{"x":[1]}"#, count: 100_000).joined(separator: ",") + "]")

        #expect(try JSONPath("$..x[0]").find(in: wide) == .several(Array(repeating: 1, count: 100_000)))
    }

    /// No document has more values: a body has 1 MiB at most.
    @Test(arguments: ["1", "[]", "{}"])
    func `a JSON path searches a whole body of the smallest values`(value: String) throws {
        let count = ((1 << 20) - 12) / (value.utf8.count + 1)
        let body = "[" + String(repeating: value + ",", count: count) + #"{"a":"x"}]"#

        #expect(try JSONPath("$..a").find(in: JSON(parsing: body)) == .several(["x"]))
    }

    @Test(arguments: ["a", "$.", "$[", "$[?(@.a ~ 1)]", "$[?(@.a =~ 'b')]", "$.a.min()"])
    func `a JSON path that is not supported is rejected`(path: String) {
        #expect(throws: PatternError.self) { try JSONPath(path) }
    }

    @Test(arguments: [("", "!"), ("", "("), ("@.a in ", "["), ("@.a == 'x' && ", "!(")])
    func `a JSON path of any depth is rejected, and does not use up the stack`(start: String, deeper: String) {
        let path = "$[?(" + start + String(repeating: deeper, count: 100_000)
        let error = #expect(throws: PatternError.self) { try JSONPath(path) }

        #expect(error?.expected.hasPrefix("fewer ") == true, "\(error?.description ?? "")")
    }

    @Test func `a JSON path may nest within reason`() throws {
        #expect(try JSONPath("$[?(!(!(@.a == 'x')))].a").find(in: JSON(parsing: #"[{"a":"x"},{"a":"z"}]"#)).texts == ["x"])
    }

    @Test func `a schema limits a document`() throws {
        let schema = try JSONSchema(
            JSON(
                parsing: #"""
                    {"type": "object", "required": ["a"], "additionalProperties": false,
                     "properties": {"a": {"type": "integer", "minimum": 1},
                     "b": {"type": ["string", "null"], "pattern": "^x"}, "c": {"items": {"enum": [1, "y"]}, "maxItems": 2}}}
                    """#))
        for text in [#"{"a":1}"#, #"{"a":2.0,"b":"xy","c":[1,"y"]}"#, #"{"a":1,"b":null}"#] {
            #expect(try schema.fits(JSON(parsing: text)))
        }
        for text in [
            "[]", "{}", #"{"a":0}"#, #"{"a":1.5}"#, #"{"a":1,"b":"y"}"#, #"{"a":1,"c":[2]}"#, #"{"a":1,"c":[1,1,1]}"#, #"{"a":1,"d":2}"#,
        ] {
            #expect(try !schema.fits(JSON(parsing: text)), "\(text)")
        }
        #expect(throws: JSONSchemaError.self) { try JSONSchema(["$ref": "#/a"]) }
    }

    @Test func `a date pattern writes an instant`() {
        let instant = Instant(rfc3339: "2026-01-02T15:04:05.678Z")
        let texts = ["yyyy-MM-dd'T'HH:mm:ss.SSSZ", "d MMM yy h a", "EEE ''E", "epoch"].map {
            DatePattern($0).flatMap { instant.map($0.text) }
        }
        #expect(texts == ["2026-01-02T15:04:05.678+0000", "2 Jan 26 3 PM", "Fri 'Fri", "1767366245678"])
        #expect(DatePattern("yyyy-Q") == nil)
    }

    @Test(arguments: [("00", "12 AM"), ("12", "12 PM"), ("23", "11 PM")])
    func `a 12-hour clock has no hour 0`(hour: String, text: String) throws {
        let instant = try #require(Instant(rfc3339: "2026-01-02T\(hour):00:00Z"))

        #expect(DatePattern("h a")?.text(instant) == text)
    }

    @Test func `elements in any order each take one of their own`() throws {
        let wanted = JSONLikeness(try JSON(parsing: #"["${json-unit.any-number}", 1]"#), anyOrder: true)
        #expect(try wanted.fits(JSON(parsing: "[1, 2]")))
        #expect(try !wanted.fits(JSON(parsing: "[2, 3]")))
    }

    @Test(arguments: [
        ("^[A-Z]{3,3}$", "AAA"), ("^\\d{1,13}$|^\\d{1,13}\\.\\d{1,5}$", "1"), ("-?[0-9]{1,14}(\\.[0-9]{1,3})?", "1"),
        ("[a-f0-9]{8}-[a-f0-9]{4}", "aaaaaaaa-aaaa"), ("^acc_[A-Za-z0-9]+$", "acc_A"), ("^[^A-Z ]$", "a"), ("(GB|DE)\\d{2}", "GB11"),
        ("^\\+[1-9]\\d{1,14}$", "+11"), ("^.{0,5}$", ""), ("a|b", "a"), ("^(?:x{2}|y)$", "xx"), ("[é]", "é"),
    ])
    func `an example fits its expression`(source: String, text: String) throws {
        #expect(try TextPattern(source).example() == text)
    }

    @Test(arguments: ["a\\bb", "x^", "[^\\s\\S]"])
    func `an expression that nothing fits has no example`(source: String) throws {
        #expect(try TextPattern(source).example() == nil)
    }

    @Test func `an example is long enough, and not too long`() throws {
        #expect(try TextPattern("^[a-z]+$").example(shortest: 10)?.count ?? 0 >= 10)
        #expect(try TextPattern("^[a-z]{20}$").example(longest: 10) == nil)
    }
}
