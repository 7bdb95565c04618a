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
            ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3, z: 4}\n", #"{"a":{"x":1,"y":2},"b":{"y":3,"z":4,"x":1}}"#),
            ("a: &a {x: 1}\nb: {<<: [*a, {x: 2, w: 5}]}\n", #"{"a":{"x":1},"b":{"x":1,"w":5}}"#),
            ("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc:\n  <<: *b\n", #"{"a":{"x":1},"b":{"y":2,"x":1},"c":{"y":2,"x":1}}"#),
            ("a: {\"<<\": {x: 1}}\n", #"{"a":{"<<":{"x":1}}}"#), ("a: <<\n", #"{"a":"<<"}"#),
        ])
    func `a merge key brings the members that are missing`(_ text: String, _ expected: String) {
        let complaints = Complaints()

        let node = Node.parse(yaml: text, file: "f.yaml", complaints)

        #expect(node?.json.text == expected)
        #expect(complaints.all.isEmpty)
    }

    @Test func `a byte order mark is no part of the first key`() {
        let complaints = Complaints()

        let node = Node.parse(yaml: "\u{FEFF}a: 1\nb: 2\n", file: "f.yaml", complaints)

        #expect(node?.json.text == #"{"a":1,"b":2}"#)
        #expect(complaints.all.isEmpty)
    }

    @Test(
        arguments: [
            ("a: 1\n\tb: 2\n", "f.yaml:2:1: found a tab, expected spaces: YAML has no tabs in an indentation"),
            ("a:\n\tb: 2\n", "f.yaml:2:1: found a tab, expected spaces: YAML has no tabs in an indentation"),
            ("\u{FEFF}a: 1\nü: @b\n", "f.yaml:2:4: found `@`, expected a value: a text that begins with this character needs quotes"),
            (
                "a: 1\n  b: 2\n",
                "f.yaml:2:4: found a `:` where no value can begin, expected a key with the indentation of its neighbours, or quotes around a text with `: `"
            ),
            ("a: - b\n", "f.yaml:1:4: found a `-` where no list can begin, expected it on a line of its own"),
            ("a: 1\nb\nc: 2\n", "f.yaml:2:1: found a line without `:`, expected a key and its value"),
            (
                "a:\n    b: 1\n  c: 2\n",
                "f.yaml:3:3: found another indentation, expected a key indented as the others (in a mapping that begins in line 1)"
            ),
            ("a: 1\n---\nb: 2\n", "f.yaml:2:1: found another document, expected a single document"),
            ("", "f.yaml:1:1: found an empty file, expected a mapping"),
            ("# a comment\n", "f.yaml:1:1: found an empty file, expected a mapping"),
            ("a: *b\n", "f.yaml:1:4: found the alias `*b`, expected its anchor `&b` before it"),
            ("a: &a [1, *a]\n", "f.yaml:1:11: found the alias `*a`, expected its anchor `&a` before it"),
            ("a: 1\nb: {c: 1, \"c\": 2}\n", "f.yaml:2:11: found the key `c` a second time (first in line 2), expected each once"),
            ("a: {<<: 1}\n", "f.yaml:1:9: found `1` for the merge key `<<`, expected a mapping, or a list of mappings"),
            ("a: 1\n? [b]\n: 2\n", "f.yaml:2:3: found a list as a key, expected a text"),
            ("a: 1\ng: ü\u{7}\n", "f.yaml:2:5: found a control character, expected none"),
            (
                "a: {b: 1\n",
                "f.yaml:2:1: found the end of the text, expected ',' or '}' (in a mapping with braces that begins in line 1)"
            ),
            (
                "a: \"b\n",
                "f.yaml:2:1: found the end of the text, expected the closing quote (in a quoted text that begins in line 1)"
            ),
            ("a: !<x\n", "f.yaml:1:7: found the end of the line, expected '>' (while scanning a tag)"),
            (
                "a: [1, 2\nb: 3\n",
                "f.yaml:2:2: found `:`, expected ',' or ']' (in a list with brackets that begins in line 1)"
            ),
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

    @Test(
        arguments: [(100, []), (101, ["f.yaml:1:1: found more than 100 directives `%TAG`, expected none: tags are ignored"])])
    func `a hundred tag directives are taken`(_ count: Int, _ expected: [String]) {
        let complaints = Complaints()
        let directives = (0..<count).map { "%TAG !e\($0)! tag:x\n" }.joined()

        let node = Node.parse(yaml: directives + "---\na: 1\n", file: "f.yaml", complaints)

        #expect((node?.json.text == #"{"a":1}"#) == expected.isEmpty)
        #expect(complaints.all.map { "\($0)" } == expected)
    }

    /// libyaml took quadratic time for them: six seconds for 40,000.
    @Test(.timeLimit(.minutes(1)), arguments: ["", "a: 1\n...\n"])
    func `thousands of tag directives are rejected before they are compared with each other`(_ before: String) {
        let complaints = Complaints()
        let directives = (0..<200_000).map { "%TAG !e\($0)! tag:x\n" }.joined()

        let node = Node.parse(yaml: before + directives + "---\na: 1\n", file: "f.yaml", complaints)

        #expect(node == nil)
        #expect(
            complaints.all.map { "\($0)" } == ["f.yaml:1:1: found more than 100 directives `%TAG`, expected none: tags are ignored"])
    }
}
