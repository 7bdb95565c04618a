import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Written YAML is read back unchanged.
@Suite struct YAMLTextTests {
    @Test(arguments: [
        "", "plain", "null", "Yes", "12.00", "1e2", "~", "a: b", "# no comment", "- a", "{a}", "[b]", "'", "\"", "\\", "tab\tline\nend\r",
        "*", "&a", "!tag", "%", "@", "`", "ünïcode €", "\u{85}\u{9F}\u{7F}\u{2028}\u{FEFF}", "\u{1F600}", " a ", "a #b", "?", "=", "<<",
        String(repeating: "long ", count: 60),
    ])
    func `texts come back`(_ text: String) throws {
        let value: JSON = ["a": .string(text), "b": [.string(text), ["c": .string(text), "d": [.string(text)]]]]

        let read = Node.parse(yaml: YAMLText.document(value, comment: "x"), file: "x", Complaints())

        #expect(read?.json == value)
    }

    @Test func `keys and other values come back`() throws {
        let text =
            #"{"true": null, "a.b": {"": 12.00, "-1": -0, "x y": [], "z": {}, "w": [[1, [2]], [{"u": true}]]}, "l": [{"long": "LLLL"}]}"#
        let value = try JSON(parsing: text.replacing("LLLL", with: String(repeating: "x", count: 120)))

        let complaints = Complaints()
        let read = Node.parse(yaml: YAMLText.document(value, comment: "x"), file: "x", complaints)

        #expect(read?.json.text == value.text)
        #expect(complaints.all.isEmpty)
    }
}
