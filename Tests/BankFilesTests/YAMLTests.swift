import BankFiles
import BankModel
import Testing

/// Valid YAML, and the messages about invalid texts; aliases are expanded, but not without end.
@Suite struct YAMLTests {
    @Test func `an alias stands for what it names`() throws {
        let complaints = Complaints()

        let node = try #require(Node.parse(yaml: "a: &a [1, 2]\nb: *a\n", file: "f.yaml", complaints))

        #expect(node.json.text == #"{"a":[1,2],"b":[1,2]}"#)
        #expect(complaints.all.isEmpty)
    }

    @Test(
        arguments: [
            (
                "a: 1\n\tb: 2\n",
                "f.yaml:2:1: found a tab character that violates indentation, expected YAML (while scanning a plain scalar)"
            ),
            ("a: 1\n---\nb: 2\n", "f.yaml:2:1: found another document, expected a single document"),
            ("", "f.yaml:1:1: found an empty file, expected a mapping"),
            ("# a comment\n", "f.yaml:1:1: found an empty file, expected a mapping"),
            ("a: *b\n", "f.yaml:1:4: found undefined alias, expected YAML"),
            ("a: &a [1, *a]\n", "f.yaml:1:11: found undefined alias, expected YAML"),
            ("a: 1\nb: {c: 1, \"c\": 2}\n", "f.yaml:2:11: found the key `c` a second time (first in line 2), expected each once"),
            ("a: 1\n? [b]\n: 2\n", "f.yaml:2:3: found a list as a key, expected a text"),
            ("a: 1\ng: ü\u{7}\n", "f.yaml:2:5: found control characters are not allowed, expected YAML"),
            ("a: [1, 2\nb: 3\n", "f.yaml:2:2: found something else, expected ',' or ']' (while parsing a flow sequence)"),
        ])
    func `what is no YAML is reported once`(_ text: String, _ expected: String) {
        let complaints = Complaints()

        _ = Node.parse(yaml: text, file: "f.yaml", complaints)

        #expect(complaints.all.map { "\($0)" } == [expected])
    }

    @Test(
        arguments: [
            (512, []), (513, ["f.yaml:1:513: found level 513, expected at most 512 levels of nesting"]),
            (100_000, ["f.yaml:1:1: found more than 1000 levels, expected at most 512 levels of nesting"]),
        ])
    func `a text is nested at most as deeply as JSON`(_ levels: Int, _ expected: [String]) {
        let complaints = Complaints()

        let node = Node.parse(
            yaml: String(repeating: "[", count: levels) + String(repeating: "]", count: levels), file: "f.yaml", complaints)

        #expect((node != nil) == expected.isEmpty)
        #expect(complaints.all.map { "\($0)" } == expected)
    }

    @Test(
        arguments: [(111, []), (112, ["f.yaml:2:116: found level 513, expected at most 512 levels of nesting"])])
    func `an alias counts as deep as what it repeats`(_ levels: Int, _ expected: [String]) {
        let complaints = Complaints()
        func nested(_ count: Int, _ inner: String) -> String {
            String(repeating: "[", count: count) + inner + String(repeating: "]", count: count)
        }

        _ = Node.parse(yaml: "a: &a \(nested(400, ""))\nb: \(nested(levels, "*a"))\n", file: "f.yaml", complaints)

        #expect(complaints.all.map { "\($0)" } == expected)
    }

    @Test func `aliases of aliases of aliases are rejected before they fill the memory`() {
        let complaints = Complaints()
        let names = Array("abcdefghijkl")
        let lines = zip(names, names.dropFirst()).map { "\($1): &\($1) [\(Array(repeating: "*\($0)", count: 9).joined(separator: ", "))]" }

        let node = Node.parse(yaml: "a: &a [x]\n" + lines.joined(separator: "\n"), file: "f.yaml", complaints)

        #expect(node == nil)
        #expect(
            complaints.all.map { "\($0)" } == [
                "f.yaml:6:8: found aliases that repeat each other into millions of values, expected values that are written out"
            ])
    }
}
