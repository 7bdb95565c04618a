import Testing

@testable import BankModel

@Suite struct SchemaTests {
    private enum Key {
        static let by = Field("by", .int(in: 1...9), default: 3, "how far")
        static let how = Field(required: "how", .choice(among: ["fast", "slow"]), "how fast")
        static let wait = Field("wait", .duration, "how long")
    }

    private static let schema = ObjectSchema(
        "a walk", "From here to there.", fields: [Key.by, Key.how, Key.wait], rules: [.atMostOne(["by", "wait"])], example: "how: fast")

    private func document(_ schema: Schema) -> JSON { schema.document(title: "Walks", about: "Some walks.") }

    private func fields(_ yaml: JSON, _ complaints: Complaints) -> Fields { Fields(Node(yaml), of: Self.schema, complaints) }

    @Test func `a mapping's schema has keys, bounds, defaults and help`() throws {
        let walk = try #require(document(.object(Self.schema)).at("definitions.walk"))

        #expect(walk["type"] == "object")
        #expect(walk["additionalProperties"] == false)
        #expect(walk["required"] == ["how"])
        #expect(walk.at("properties.by") == ["type": "integer", "minimum": 1, "maximum": 9, "description": "how far", "default": 3])
        #expect(walk.at("properties.how") == ["enum": ["fast", "slow"], "description": "how fast"])
        #expect(walk["allOf"] == [["not": ["anyOf": [["required": ["by", "wait"]]]]]])
    }

    @Test func `a word that YAML takes for a number is one for editors too`() {
        #expect(document(.words(["0", "this", "true"]))["allOf"] == [["enum": [0, "0", "this", true, "true"]]])
    }

    @Test func `the name of a parameter stands for any value where the schema allows it`() {
        let plain = document(.list(.integer(0...Int.max), atLeast: 1))
        let open = document(.withParameters(.integer(0...Int.max)))

        #expect(plain["allOf"] == [["type": "array", "items": ["type": "integer", "minimum": 0], "minItems": 1]])
        #expect(
            open["allOf"] == [["anyOf": [["type": "integer", "minimum": 0], ["type": "string", "pattern": "^\\$[a-z_0-9]+$"]]]])
    }

    @Test func `a number below a bound may not reach it`() {
        let schema = Schema.numberBelow(0..<1)
        let page = Schema.object(ObjectSchema("a cut", fields: [Field("at", .node(schema), "where")]))
            .page(title: "Cuts", about: "All.", source: "here")

        #expect(document(schema)["allOf"] == [["type": "number", "minimum": 0, "exclusiveMaximum": 1]])
        #expect(page.contains("| `at` | a number from 0.0 to below 1.0 |"))
    }

    @Test(arguments: [("a step's rule", "steps-rule"), ("the `at` of a cut", "at-of-a-cut"), ("an ending", "ending")])
    func `a mapping's name is the address of its heading`(_ what: String, _ name: String) {
        #expect(ObjectSchema(what).name == name)
    }

    @Test func `a page has a section for each mapping, and links to those of other pages`() {
        let schema = Schema.list(
            .object(ObjectSchema("a tour", fields: [Field("walk", .node(.object(Self.schema)), "one of it")])), atLeast: 0)
        let whole = schema.page(title: "Tours", about: "All.", source: "here")
        let linked = schema.page(title: "Tours", about: "All.", source: "here", elsewhere: ["walk": "walks.md"])

        #expect(whole.contains("## walk\n\nFrom here to there.\n\n```yaml\nhow: fast\n```"))
        #expect(whole.contains("| `by` | a whole number from 1 to 9 | `3` | how far |"))
        #expect(whole.contains("At most one of: `by`, `wait`."))
        #expect(linked.contains("| `walk` | [walk](walks.md#walk) |  | one of it |"))
        #expect(!linked.contains("## walk"))
    }

    @Test func `fields are read by their declarations`() {
        let complaints = Complaints()
        let fields = fields(["how": "fats", "by": 4, "wiat": "3s"], complaints)

        #expect(fields[Key.by] == 4)
        #expect(fields[Key.how] == nil)
        #expect(fields[Key.wait] == nil)
        fields.finish()
        #expect(
            complaints.all.map(\.message) == [
                "found `fats`, expected fast or slow; did you mean `fast`?", "unknown key `wiat` in a walk; did you mean `wait`?",
            ])
    }

    @Test(arguments: [true, false])
    func `a misspelt required key is reported as missing and as unknown, once, though the reader gives up`(finishes: Bool) {
        let complaints = Complaints()
        let fields = fields(["hwo": "fast", "far": 4], complaints)

        #expect(fields[Key.how] == nil)
        if finishes {
            _ = (fields[Key.by], fields[Key.wait])
            fields.finish()
        }
        let found = ["`how` is missing in a walk", "unknown key `hwo` in a walk; did you mean `how`?"]
        let later = finishes ? ["unknown key `far` in a walk; known keys are by, how, wait"] : []
        #expect(complaints.all.map(\.message) == found + later)
    }

    @Test func `a misspelt one of several keys is reported`() {
        let complaints = Complaints()
        let fields = fields(["wiat": "3s"], complaints)

        #expect(fields.exactlyOne(of: [Field("wait", .duration, "how long"), Field("how", .duration, "how")], "end") == nil)
        #expect(complaints.all.last?.message == "unknown key `wiat` in a walk; did you mean `wait`?")
    }

    @Test(
        arguments: [
            (["a", "b"], nil), (["a"], "found a list of 1, expected a list of at least 2"),
            ([], "found an empty list, expected a list of at least 2"),
        ] as [([String], String?)])
    func `a list must have its fewest elements, however it is read`(texts: [String], message: String?) {
        let node = Node(.array(texts.map(JSON.string)))
        let element = Schema.text(TextSchema("a text"))
        let reads: [(Complaints) -> Bool] = [
            { Format<Node>.node(.list(element, atLeast: 2)).read(node, $0) != nil },
            { Format<[String]>.texts(atLeast: 2).read(node, $0) == texts },
            { Format<[String]>.list(of: Format<String>.text(), atLeast: 2).read(node, $0) == texts },
        ]
        for read in reads {
            let complaints = Complaints()
            #expect(read(complaints) == (message == nil))
            #expect(complaints.all.map(\.message) == [message].compactMap(\.self))
        }
    }

    @Test func `a default stands for an absent key and not for a wrong one`() {
        #expect(fields(["how": "fast"], Complaints())[Key.by] == 3)
        #expect(fields(["how": "fast", "by": "far"], Complaints())[Key.by] == nil)
    }

    @Test func `a reader that leaves a declared key out stops`() async {
        await #expect(processExitsWith: .failure) {
            let fields = Fields(Node(["how": "fast"]), of: SchemaTests.schema, Complaints())
            _ = (fields[Key.by], fields[Key.how])
            fields.finish()
        }
    }

    @Test func `a reader that asks for a key that is not declared stops`() async {
        await #expect(processExitsWith: .failure) {
            _ = Fields(Node(["how": "fast"]), of: SchemaTests.schema, Complaints())["why"]
        }
    }
}
