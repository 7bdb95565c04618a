import BankModel
import Testing

@Suite struct FieldsTests {
    private let complaints = Complaints()

    private var messages: [String] { complaints.all.map(\.description) }

    @Test func `a mapping read by its schema has nothing to complain of`() throws {
        let fields = Fields(try node(#"{"name":"ava","ttl":"5m"}"#), of: "a token", complaints)

        #expect(fields.required("name")?.text(complaints) == "ava")
        #expect(fields["ttl"]?.duration(complaints) == .seconds(300))
        #expect(fields["scope"] == nil)
        fields.finish()
        #expect(messages == [])
    }

    @Test func `an unknown key is reported with the nearest known one, or with all`() throws {
        let fields = Fields(try node(#"{"ordre":1,"zzzzzz":2}"#), of: "a list", complaints)

        _ = (fields["order"], fields["limit"])
        fields.finish()

        #expect(
            messages == [
                "ordre: unknown key `ordre` in a list; did you mean `order`?",
                "zzzzzz: unknown key `zzzzzz` in a list; known keys are order, limit",
            ])
    }

    /// The nearest of the known keys takes 50 µs to find, and a file may have 200,000 unknown ones.
    @Test func `as many unknown keys as are listed are compared with the known ones`() throws {
        let fields = Fields(try node("{" + (1...150).map { "\"ordre\($0)\":1" }.joined(separator: ",") + "}"), of: "a list", complaints)

        _ = fields["order"]
        fields.finish()

        #expect(messages.count == 150)
        #expect(messages[..<101].allSatisfy { $0.contains("; ") })
        #expect(messages[101...].allSatisfy { $0.hasSuffix(" in a list") })
    }

    @Test func `what a message repeats of a file is bounded`() {
        complaints.add(found: "`" + String(repeating: "x", count: 1_000_000) + "`", expected: "a short word", at: SourcePosition())

        #expect(messages[0].count < 1000)
        #expect(messages[0].hasSuffix("(1,000,003 characters in all) expected a short word"))
    }

    @Test func `of the errors of a file a hundred are listed, and the number of the others`() {
        let other = SourcePosition(file: "other.yaml", line: 1, column: 1)
        complaints.add("last", at: other)
        for number in 1...300 { complaints.add("wrong", at: SourcePosition(file: "bank.yaml", line: number, column: 1)) }
        for number in 1...101 { complaints.warn("odd", at: SourcePosition(file: "bank.yaml", line: number, column: 1)) }

        let listed = ComplaintsError(complaints.all).complaints

        #expect(listed.count == 1 + 101 + 101)
        #expect(listed[..<2].map(\.description) == ["other.yaml:1:1: last", "bank.yaml:1:1: wrong"])
        #expect(
            listed[100...102].map(\.description) == [
                "bank.yaml:100:1: wrong", "bank.yaml: 200 more errors", "bank.yaml:1:1: warning: odd",
            ])
        #expect(listed.bounded == listed)
    }

    @Test func `where no key is known, that is reported`() throws {
        Fields(try node(#"{"a":1}"#), of: "an empty thing", complaints).finish()

        #expect(messages == ["a: unknown key `a` in an empty thing; it has no keys"])
    }

    @Test func `a missing key is reported at the position of the mapping`() {
        let position = SourcePosition(file: "bank.yaml", line: 3, column: 5, path: "tokens")
        let fields = Fields(Node(.mapping([]), at: position), of: "a token", complaints)

        #expect(fields.required("name") == nil)

        #expect(messages == ["bank.yaml:3:5: `name` is missing in a token"])
    }

    @Test func `an empty file name is not a body`() {
        #expect("\(SourcePosition(file: ""))" == "a file without a name")
        #expect("\(SourcePosition())" == "body")
    }

    @Test(arguments: [("[1]", "a list"), (#""text""#, "`text`"), ("null", "`null`"), (#""""#, "nothing")])
    func `what is no mapping is reported once, and no key as missing`(_ text: String, _ found: String) throws {
        let fields = Fields(try node(text), of: "a token", complaints)

        _ = (fields.required("name"), fields["ttl"])
        fields.finish()

        #expect(messages == ["body: found \(found), expected a token, a mapping"])
        #expect(fields.keys == [])
    }

    @Test func `names of the file's own are all known`() throws {
        let fields = Fields(try node(#"{"x":1,"y":2}"#), of: "customers", complaints)

        #expect(fields.all.map(\.key) == ["x", "y"])
        fields.finish()
        #expect(messages == [])
    }

    @Test func `collecting gives the value or every complaint at once`() throws {
        #expect(try Complaints.collecting { _ in 1 } == 1)

        let error = try #require(throws: ComplaintsError.self) {
            try Complaints.collecting { complaints in
                complaints.warn("old", at: SourcePosition(path: "w"))
                complaints.add("bad", at: SourcePosition(path: "a"))
                complaints.add(found: "x", expected: "y", at: SourcePosition(path: "b"))
                return 1
            }
        }
        #expect(error.description == "a: bad\nb: found x, expected y")
    }

    @Test func `a warning stops nothing and is marked as one`() throws {
        let value = try Complaints.collecting { given in
            given.warn("old", at: SourcePosition(path: "w"))
            complaints.warn("old", at: SourcePosition(path: "w"))
            return 1
        }

        #expect(value == 1)
        #expect(messages == ["w: warning: old"])
        #expect(complaints.errors == [])
    }
}

/// The node of a JSON text.
func node(_ text: String) throws -> Node { Node(try JSON(parsing: text)) }
