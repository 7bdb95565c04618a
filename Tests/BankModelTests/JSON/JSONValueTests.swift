import BankModel
import Testing

@Suite struct JSONValueTests {
    private let document: JSON = [
        "id": "a", "balance": ["amount": 12, "parts": [1, 2]], "x.y": "direct", "x": ["y": "nested"], "ok": true,
    ]

    @Test func `a dotted path leads through objects`() {
        #expect(document.at("balance.amount") == 12)
        #expect(document.at("id") == "a")
    }

    @Test(arguments: ["balance.none", "none", "id.more", "balance.parts.0"])
    func `a path that leads nowhere gives nil`(_ path: String) {
        #expect(document.at(path) == nil)
    }

    @Test func `the empty path leads to the value itself`() {
        #expect(document.at("") == document)
    }

    @Test func `a name with a dot goes before a path`() {
        #expect(document.at("x.y") == "direct")
    }

    @Test func `each kind of value gives only itself`() {
        let values: [JSON] = [.null, true, 1, "a", [], [:]]

        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.number != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.int != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.string != nil } == [false, false, false, true, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, false, true, false])
        #expect(values.map { $0.object != nil } == [false, false, false, false, false, true])
        #expect(values.map(\.kindName) == ["null", "a truth value", "a number", "a text", "an array", "an object"])
    }

    @Test func `an object of known members leaves out those without a value, but not null`() {
        let unknown: JSON? = nil

        #expect(JSON.object(known: ["b": 1, "a": unknown, "c": .null]).text == #"{"b":1,"c":null}"#)
    }

    @Test func `objects are equal whatever the order of their members`() throws {
        let a = try JSON(parsing: #"{"a":1,"b":{"c":2.0,"d":3}}"#)
        let b = try JSON(parsing: #"{"b":{"d":3,"c":2},"a":1}"#)

        #expect(a == b)
        #expect(Set([a, b]).count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a set of objects with the same names takes linear time`() {
        let rows = (0..<100_000).map { number -> JSON in ["id": .int(number), "of": ["n": 1]] }

        #expect(Set(rows).count == rows.count)
        #expect(Set(rows + rows).count == rows.count)
    }

    @Test(arguments: [#"{"a":1}"#, #"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":3}"#, #"{"a":1,"c":2}"#, "[]", "null"])
    func `objects with other members are not equal`(_ other: String) throws {
        let object: JSON = ["a": 1, "b": 2]

        #expect(try JSON(parsing: other) != object)
    }

    @Test func `arrays in another order are not equal`() {
        #expect(JSON.array([1, 2]) != JSON.array([2, 1]))
    }
}

@Suite struct JSONObjectTests {
    @Test func `setting keeps the position of a name and appends a new one`() {
        var object = JSONObject([("a", 1), ("b", 2)])

        object["a"] = 3
        object["c"] = 4

        #expect(object.keys == ["a", "b", "c"])
        #expect(object["a"] == 3)
    }

    @Test func `setting nil removes, and removing what is not there does nothing`() {
        var object = JSONObject([("a", 1), ("b", 2)])

        object["a"] = nil
        object["z"] = nil

        #expect(object.keys == ["b"])
    }

    @Test func `of two members with one name the later value stands at the earlier position`() {
        let object = JSONObject([("a", 1), ("b", 2), ("a", 3)])

        #expect(JSON.object(object).text == #"{"a":3,"b":2}"#)
    }

    /// A request's body may have that many; a linear search for each would take minutes.
    @Test(.timeLimit(.minutes(10)))
    func `a hundred thousand members are made and compared in no time`() {
        let members = (0..<100_000).map { (key: "name\($0)", value: JSON.int($0)) }

        let object = JSONObject(members + members.prefix(2))
        var other = object

        #expect(object.members.count == 100_000)
        #expect(object == JSONObject(members.reversed()))
        other["name99999"] = nil
        other["name100000"] = 1
        #expect(object != other)
        #expect(other != object)
    }

    @Test func `the values and the members in a value come in their order, each before those inside it`() {
        let json: JSON = ["a": [1, ["b": "x"]], "c": ["d": .null]]

        #expect(json.flattened.map(\.text) == [json.text, #"[1,{"b":"x"}]"#, "1", #"{"b":"x"}"#, #""x""#, #"{"d":null}"#, "null"])
        #expect(json.allMembers().map(\.key) == ["a", "b", "c", "d"])
        #expect(json.allMembers(levels: 2).map(\.key) == ["a", "c", "d"])
        #expect(json.allMembers(levels: 1).map(\.key) == ["a", "c"])
    }

    @Test func `members whose values are mapped to nothing are left out`() {
        let object = JSONObject([("a", 1), ("b", 2), ("c", .null)])

        let mapped = object.compactMapValues { key, value in value == 2 ? nil : ["was \(key)": value] }

        #expect(JSON.object(mapped).text == #"{"a":{"was a":1},"c":{"was c":null}}"#)
    }

    @Test(arguments: [("a_1", "$.a_1", "a_1"), ("a b", "$['a b']", "a b"), ("", "$['']", ""), ("é/~", "$['é/~']", "é~1~0")])
    func `a member has a step of a path and of a pointer`(_ name: String, _ path: String, _ step: String) {
        #expect("$".jsonPath(of: name) == path)
        #expect(name.pointerStep == step)
    }

    @Test func `a path is set through objects that are made on the way`() {
        var object = JSONObject([("a", ["b": 1]), ("s", "text")])

        object.set(2, at: "a.c")
        object.set(3, at: "x.y.z")
        object.set(4, at: "s.t")

        #expect(JSON.object(object).text == #"{"a":{"b":1,"c":2},"s":{"t":4},"x":{"y":{"z":3}}}"#)
    }
}
