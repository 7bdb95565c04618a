import BankModel
import ProviderCheck
import Testing

@Suite struct ShapeTests {
    @Test func `the elements of an array are gathered into one shape`() throws {
        let shape = Shape(try JSON(parsing: Array(#"{"rows": [{"id": "a", "fee": 1}, {"id": "b", "fee": null}, {"id": "c"}]}"#.utf8)))

        let row = try #require(shape["rows"]?.shape.elements)
        #expect(row.objects == 3)
        #expect(row["id"]?.count == 3)
        #expect(row["fee"]?.count == 2)
        #expect(row["fee"]?.shape.text == "a whole number or null")
    }

    @Test(.timeLimit(.minutes(1))) func `objects with thousands of names are gathered and compared in time`() throws {
        let rows = (0..<20_000).map { JSON.object(JSONObject([("k\($0)", .object(JSONObject([("a\($0)", 1)])))])) }

        let provider = Shape(.array(rows))
        let found = ShapeComparison(stub: Shape([["id": "a"]]), provider: provider)

        #expect(provider.elements?.members.count == 20_000)
        #expect(provider.elements?["k19999"]?.shape["a19999"]?.count == 1)
        #expect(found.drifts.count { $0.kind == .newField } == 10_001, "names of more than four digits are shown as one")
    }

    @Test func `equal shapes and less variety are no drift`() throws {
        let stub = [#"{"rows": [{"id": "a", "note": "x"}, {"id": "b", "at": null, "sum": 1.5}], "next": "c"}"#, #"{"rows": []}"#]

        #expect(try compare(stub, stub).drifts == [])
        #expect(try compare(stub, [#"{"rows": [{"id": "GBP", "sum": 2}]}"#]).drifts == [])
    }

    @Test func `what a client may stumble over is drift, each with its position`() throws {
        let stub = [#"{"rows": [{"id": "a", "at": "2026-01-12T09:15:00Z", "sum": 1, "in": {"c": "GBP"}}]}"#]
        let provider = [#"{"rows": [{"id": "a", "at": "2026-01-12T09:15:00.000Z", "in": {"c": null}, "a/b": []}, {"id": 7, "sum": 1}]}"#]

        let drifts = try compare(stub, provider).drifts

        #expect(
            Set(drifts) == [
                Drift(.otherType, at: "/rows/*/id", stub: "a text", provider: "a text or a whole number"),
                Drift(.otherType, at: "/rows/*/at", stub: "an instant (Z)", provider: "an instant with a fraction (Z)"),
                Drift(.missingField, at: "/rows/*/at", stub: "an instant (Z)", provider: "an instant with a fraction (Z) in 1 of 2"),
                Drift(.missingField, at: "/rows/*/sum", stub: "a whole number", provider: "a whole number in 1 of 2"),
                Drift(.missingField, at: "/rows/*/in", stub: "an object", provider: "an object in 1 of 2"),
                Drift(.otherType, at: "/rows/*/in/c", stub: "a currency code", provider: "null"),
                Drift(.newField, at: "/rows/*/a~1b", stub: "nothing", provider: "an array"),
            ])
    }

    @Test func `of a list that was empty nothing is claimed`() throws {
        let comparison = try compare([#"{"rows": [{"id": "a"}]}"#], [#"{"rows": []}"#])

        #expect(comparison.drifts == [])
        #expect(comparison.uncompared == ["/rows/*"])
    }

    @Test(
        arguments: ["70010001", "ava@bank.example", "5f1c0a10-0000-4000-8000-000000000a01", "a b"])
    func `a name that is data is not repeated`(name: String) throws {
        let drifts = try compare([#"{"id": "a"}"#], [#"{"id": "a", "\#(name)": 1}"#]).drifts

        #expect(drifts == [Drift(.newField, at: "/{…}", stub: "nothing", provider: "a whole number")])
    }

    private func compare(_ stub: [String], _ provider: [String]) throws -> ShapeComparison {
        func shape(_ examples: [String]) throws -> Shape {
            var shape = Shape()
            for example in examples { shape.add(try JSON(parsing: Array(example.utf8))) }
            return shape
        }
        return ShapeComparison(stub: try shape(stub), provider: try shape(provider))
    }
}
