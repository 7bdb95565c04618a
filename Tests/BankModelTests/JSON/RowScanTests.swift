import BankModel
import Testing

/// The scan accepts the same texts as the parser, and finds the same values.
@Suite struct RowScanTests {
    private static let valid = [
        "[]", " [ ] ", #"[{}]"#, #"[{"id": "a", "n": -0.5e+10}, {"id": "b\u00e9\ud83d\ude00", "in": {"id": [1, {"x": null}]}}]"#,
        "[{\"id\":\t1,\r\n\"t\" : true , \"f\":false}\n]", #"[{"é": "✓", "id": "\\\"\/\b\f\n\r\t"}]"#,
    ]

    private func rows(_ text: String) -> [JSONObject]? {
        guard let array = (try? JSON(parsing: text))?.array else { return nil }
        let rows = array.compactMap(\.object)
        return rows.count == array.count ? rows : nil
    }

    @Test(arguments: valid) func `valid documents are scanned`(_ text: String) throws {
        let scan = try #require(RowScan(Array(text.utf8), columns: ["id"]))

        #expect(scan.rows.indices.map { scan[$0] } == rows(text))
        #expect(scan.rows.indices.map { scan.value("id", $0) } == rows(text)?.map { $0["id"] })
        #expect(scan.rows.indices.map { scan.value("in.id", $0) } == rows(text)?.map { JSON.object($0).at("in.id") })
    }

    @Test func `texts that only the parser accepts are left to it`() {
        #expect(RowScan(Array(#"[{"\u0061": 1}]"#.utf8), columns: []) == nil)
        #expect(RowScan(Array(#"{"rows": [{"id": 1}]}"#.utf8), columns: []) == nil)
    }

    /// Bytes are checked in parts of 1 MiB: the sign of three bytes stands before, across and after the end of the first.
    @Test(arguments: -4...1)
    func `a long document is UTF-8 to its end`(offset: Int) {
        let start = #"[{"id": ""#
        let text = start + String(repeating: "n", count: (1 << 20) - start.utf8.count + offset) + "✓"
        let whole = Array((text + #""}]"#).utf8)

        #expect(RowScan(whole, columns: ["id"])?.rows == [1..<whole.count - 1])
        #expect(RowScan(Array(text.utf8.dropLast()) + Array(#""}]"#.utf8), columns: ["id"]) == nil)
        #expect(RowScan(Array(text.utf8) + [0xFF] + Array(#""}]"#.utf8), columns: ["id"]) == nil)
    }

    @Test func `rows may be nested in a document`() throws {
        let scan = try #require(
            RowScan(Array(#"{"a": [1], "in": {"rows": [{"id": 1}, {"id": 2}], "b": 0}}"#.utf8), at: ["in", "rows"], columns: ["id"]))

        #expect(scan.rows.indices.map { scan.value("id", $0) } == [1, 2])
    }

    /// Equal to the parser's own look-up, for requested columns and others.
    @Test(arguments: ["a", "a.b", "a.b.c", "b", "x.y", "a.b.c.d", "c.b", "", ".", "a."])
    func `paths are followed`(_ path: String) throws {
        let text = """
            [{"a": {"b": {"c": 1}}, "b": "one"}, {"a.b": {"c": 2}, "a": {"b": {"c": 3}}}, {"a": [{"b": 4}]}, {"a": {"b.c": "5"}},
             {"x": null, "c": {"a": {"b": 6}, "b": null}}, {"a": {"b": {"c": {"d": true}}}, "": 7}, {}]
            """
        for columns in [[], [path], ["a", path]] {
            let scan = try #require(RowScan(Array(text.utf8), columns: columns))

            #expect(scan.rows.indices.map { scan.value(path, $0) } == rows(text)?.map { JSON.object($0).at(path) }, "\(columns)")
        }
        let scan = try #require(RowScan(Array(text.utf8), columns: []))
        #expect(scan.plainBytes("b", 0).map { String(decoding: $0, as: UTF8.self) } == "one")
    }

    @Test func `bytes are given only where they are the text`() throws {
        let scan = try #require(RowScan(Array(#"[{"id": "plain"}, {"id": "a\tb"}, {"id": 7}, {}]"#.utf8), columns: ["id"]))

        #expect(scan.plainBytes("id", 0).map { String(decoding: $0, as: UTF8.self) } == "plain")
        #expect((1...3).allSatisfy { scan.plainBytes("id", $0) == nil })
    }

    /// 30,000 documents with a byte or two changed: the scan never accepts a text that the parser rejects, and reads the same
    /// values.
    @Test func `broken documents are never accepted`() {
        var dice = SeededGenerator(seed: 7)
        let signs = Array("\"\\{}[]:,. 0123456789-+eEtrufalsn\u{1}é".utf8) + [0xFF, 0xC3, 0x00]
        var taken = 0
        for round in 0..<30_000 {
            var bytes = Array(Self.valid[round % Self.valid.count].utf8)
            for _ in 0...Int(dice.next() % 2) {
                let position = Int(dice.next() % UInt64(bytes.count))
                let sign = signs[Int(dice.next() % UInt64(signs.count))]
                switch dice.next() % 3 {
                case 0: bytes[position] = sign
                case 1: bytes.insert(sign, at: position)
                default: if bytes.count > 1 { bytes.remove(at: position) }
                }
            }
            let read = (try? JSON(parsing: bytes))?.array
            let rows = read.flatMap { array in array.compactMap(\.object).count == array.count ? array.compactMap(\.object) : nil }
            guard let scan = RowScan(bytes, columns: ["id"]) else {
                #expect(rows == nil || bytes.contains(UInt8(ascii: "\\")), "\(String(decoding: bytes, as: UTF8.self))")
                continue
            }
            taken += 1
            #expect(scan.rows.indices.map { scan[$0] } == rows, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 1000)
    }
}
