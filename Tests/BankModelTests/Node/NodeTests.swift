import BankModel
import Testing

@Suite struct NodeTests {
    private let complaints = Complaints()

    private var messages: [String] { complaints.all.map(\.description) }

    @Test func `scalars are read by the schema, whether quoted or not`() throws {
        #expect(try node("12").int(in: 0...20, complaints) == 12)
        #expect(try node(#""12""#).int(in: 0...20, complaints) == 12)
        #expect(try node("0.25").double(in: 0...1, complaints) == 0.25)
        #expect(try node("true").bool(complaints) == true)
        #expect(try node("12.00").text(complaints) == "12.00")
        #expect(try node(#""5m""#).duration(complaints) == .seconds(300))
        #expect(try node(#""2026-01-12T09:15:00Z""#).instant(complaints) == Instant(seconds: 1_768_209_300))
        #expect(try node(#"["a","b"]"#).texts(complaints) == ["a", "b"])
        #expect(try node(#""refresh""#).choice(of: Role.self, complaints) == .refresh)
        #expect(messages == [])
    }

    @Test(arguments: [#""x""#, "21", "-1", "1.5", "[]", "{}", #""""#, "99999999999999999999"])
    func `what is no such whole number is reported with the range`(_ text: String) throws {
        let node = try node(text)

        #expect(node.int(in: 0...20, complaints) == nil)

        #expect(messages == ["body: found \(node.kindName), expected a whole number from 0 to 20"])
    }

    @Test func `a range without end is reported as such`() throws {
        #expect(try node("0").int(in: 1...Int.max, complaints) == nil)

        #expect(messages == ["body: found `0`, expected a whole number, at least 1"])
    }

    @Test(arguments: [#""nan""#, #""inf""#, "1.1", "-0.1", #""a""#, "[]"])
    func `what is no such number is reported with the range`(_ text: String) throws {
        let node = try node(text)

        #expect(node.double(in: 0...1, complaints) == nil)

        #expect(messages == ["body: found \(node.kindName), expected a number from 0.0 to 1.0"])
    }

    @Test func `the wrong kind is reported with what was expected`() throws {
        let node = try #require(try node(#"{"a":["x"]}"#).member("a"))

        let nothing: [Any?] = [
            node.text(complaints), node.bool(complaints), node.duration(complaints), node.instant(complaints),
            node.choice(of: Role.self, complaints),
        ]

        #expect(nothing.allSatisfy { $0 == nil })
        #expect(
            messages == [
                "a: found a list, expected a text",
                "a: found a list, expected true or false",
                "a: found a list, expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 36525d (100 years)",
                "a: found a list, expected an instant such as 2026-01-12T09:15:00Z",
                "a: found a list, expected login, refresh, logout, accounts, balance, transactions, atms, pay, goals, image, payment_status or quote",
            ])
    }

    @Test(arguments: ["yes", "no", "True", "1", "on", ""])
    func `only true and false are truth values`(_ text: String) {
        let node = Node(.scalar(text, quoted: false), at: SourcePosition())

        #expect(node.bool(complaints) == nil)
        #expect(messages.count == 1)
    }

    @Test func `a misspelt choice is reported with the nearest word`() throws {
        #expect(try node(#""refersh""#).choice(of: Role.self, complaints) == nil)

        #expect(messages.first?.hasSuffix("image, payment_status or quote; did you mean `refresh`?") == true)
    }

    @Test func `an element of the wrong kind is reported with its position in the list`() throws {
        #expect(try node(#"{"tags":["a",[],"b"]}"#).member("tags")?.texts(complaints) == ["a", "b"])

        #expect(messages == ["tags.1: found a list, expected a text"])
    }

    @Test func `places are reported by file, line and column, else by the path of keys`() {
        #expect(SourcePosition(file: "a.yaml", line: 3, column: 7, path: "x").description == "a.yaml:3:7")
        #expect(SourcePosition(file: "a.yaml").description == "a.yaml")
        #expect(SourcePosition(path: "x").member("y").member("0").description == "x.y.0")
        #expect(SourcePosition().description == "body")
    }

    @Test func `JSON that became a node is the same JSON again`() throws {
        let text = #"{"z":[1,2.50,"3",true,null,"true","null",""],"a":{"b":{}},"c":[]}"#

        #expect(try node(text).json.text == text)
    }

    @Test(arguments: [("12", "12"), ("~", "null"), ("", "null"), ("true", "true"), ("01", #""01""#), ("yes", #""yes""#), ("1e2", "1e2")])
    func `a plain scalar as JSON is what it spells`(_ scalar: String, _ json: String) {
        #expect(Node(.scalar(scalar, quoted: false), at: SourcePosition()).json.text == json)
    }

    @Test func `only a plain null is null`() {
        #expect(["null", "~", ""].allSatisfy { Node(.scalar($0, quoted: false), at: SourcePosition()).isNull })
        #expect(["null", "~", ""].allSatisfy { !Node(.scalar($0, quoted: true), at: SourcePosition()).isNull })
        #expect(!Node(.list([]), at: SourcePosition()).isNull)
    }
}

extension Node {
    fileprivate func member(_ key: String) -> Node? {
        guard case .mapping(let members) = content else { return nil }
        return members.first { $0.key.scalar == key }?.value
    }
}
