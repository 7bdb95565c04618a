import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// How recorded lists are divided into pages, and what their responses say about them.
@Suite struct TrafficPagingTests {
    private static let rows = (1...5).map { #"{"id":"r\#($0)","note":"n\#($0)"}"# }

    private func list(_ range: Range<Int>, _ rest: String = "") -> String {
        #"{"items":[\#(TrafficPagingTests.rows[range].joined(separator: ","))]\#(rest)}"#
    }

    private func response(_ learned: TrafficImport.Learned, _ path: String) throws -> JSON {
        var caller = Caller(try learned.imported.bank("b").bank)
        return try JSON(parsing: caller.send("GET", path).response.body)
    }

    @Test(arguments: [("limit", "offset"), ("take", "skip")])
    func `an offset and a limit select any page, also others than were recorded`(_ limit: String, _ offset: String) throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?\(limit)=2&\(offset)=0", list(0..<2), token: nil),
            Traffic.get(100, "/rows?\(limit)=2&\(offset)=2", list(2..<4), token: nil),
        ])

        #expect(try response(learned, "/rows?\(limit)=2&\(offset)=2").text == list(2..<4))
        #expect(try response(learned, "/rows?\(limit)=2&\(offset)=1").text == list(1..<3))
        #expect(try response(learned, "/rows").text == list(0..<4))
    }

    @Test func `a query that chooses by nothing in the rows is listed`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?since=01.01.2026", list(0..<2), token: nil),
            Traffic.get(100, "/rows?since=01.02.2026", list(2..<3), token: nil),
        ])

        #expect(try response(learned, "/rows?since=01.02.2026").text == list(2..<3))
        #expect(Traffic.lists(learned, "nothing in the rows shows how `since` chooses them"))
    }

    @Test func `a limit alone is the size of a page, and no filter`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/rows?limit=4", list(0..<4), token: nil)])

        #expect(try response(learned, "/rows?limit=4").text == list(0..<4))
        #expect(try response(learned, "/rows?limit=2").text == list(0..<2))
        #expect(try response(learned, "/rows").text == list(0..<4))
    }

    @Test func `a limit beyond a bank's usual one is taken`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/rows?limit=250", list(0..<5), token: nil)])

        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("largest: 250"))
    }

    @Test func `a number that the list exceeds is no limit`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/rows?size=2", list(0..<5), token: nil)])

        #expect(try response(learned, "/rows?size=2").text == list(0..<5))
    }

    @Test func `totals and whether there is more are the page's`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?limit=2&offset=0", list(0..<2, #","total":5,"has_more":true"#), token: nil),
            Traffic.get(100, "/rows?limit=2&offset=2", list(2..<4, #","total":5,"has_more":true"#), token: nil),
            Traffic.get(200, "/rows?limit=2&offset=4", list(4..<5, #","total":5,"has_more":false"#), token: nil),
        ])

        let text = try #require(learned.imported.text("b/bank.yaml"))
        #expect(text.contains("total: {page: total}") && text.contains("has_more: {page: more}"), "\(text)")
        #expect(try response(learned, "/rows?limit=3&offset=3").text == list(3..<5, #","total":5,"has_more":false"#))
    }

    @Test func `a number that is not that of all rows stays as recorded`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/rows?limit=2&offset=0", list(0..<2, #","total":9"#), token: nil)])

        #expect(try response(learned, "/rows?limit=1").text == list(0..<1, #","total":9"#))
    }

    @Test func `the next page's address is the bank's, never the recorded host's`() throws {
        let next = #","links":{"next":"https://bank.example/rows?limit=3&offset=3"}"#
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?limit=3", list(0..<3, next), token: nil),
            Traffic.get(100, "/rows?limit=3&offset=3", list(3..<5, #","links":{}"#), token: nil),
        ])

        let address = try response(learned, "/rows?limit=3")["links"]?["next"]?.string
        #expect(address?.hasSuffix("/rows?limit=3&offset=3") == true && address?.contains("bank.example") == false, "\(address ?? "none")")
    }

    @Test(arguments: [("null", "{page: next, default: null}"), (#""""#, #"{page: next, default: ""}"#), ("", "{page: next}")])
    func `the last page names no other as the recorded one`(_ end: String, _ template: String) throws {
        let last = list(3..<5, end.isEmpty ? "" : #","next":\#(end)"#)
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows", list(0..<3, #","next":"c-one""#), token: nil), Traffic.get(100, "/rows?after=c-one", last, token: nil),
        ])

        let text = try #require(learned.imported.text("b/bank.yaml"))
        #expect(text.contains("next: \(template)"), "\(text)")
        let cursor = try #require(try response(learned, "/rows")["next"]?.string)
        #expect(try response(learned, "/rows?after=\(cursor)").text == last)
    }

    @Test(arguments: ["-9223372036854775808", "-1", "0"])
    func `a page before the first is the first`(number: String) throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?page=\(number)&limit=2", list(0..<2), token: nil),
            Traffic.get(100, "/rows?page=2&limit=2", list(2..<4), token: nil),
        ])

        #expect(try response(learned, "/rows?page=2&limit=2").text == list(2..<4))
    }

    @Test func `a Link header beside numbered pages is listed`() throws {
        let linked = ["Content-Type": "application/json", "Link": "<https://bank.example/rows?page=2>; rel=\"next\""]
        let learned = try Traffic.learned([
            HAREntry(0, "GET", "/rows", gets: linked, response: list(0..<3)), Traffic.get(100, "/rows?page=2", list(3..<5), token: nil),
        ])

        #expect(Traffic.lists(learned, "the header Link is not sent, because requests name pages by `page`"))
    }

    @Test func `rows between those of a filter keep their position`() throws {
        let rows = (1...6).map { #"{"id":"r\#($0)","kind":"\#($0 % 2 == 0 ? "in" : "out")"}"# }
        func list(_ numbers: [Int]) -> String { "[\(numbers.map { rows[$0 - 1] }.joined(separator: ","))]" }
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows?kind=in&limit=3", list([2, 4, 6]), token: nil),
            Traffic.get(100, "/rows?limit=3", list([1, 2, 3]), token: nil),
            Traffic.get(200, "/rows?limit=3&page=2", list([4, 5, 6]), token: nil),
        ])

        #expect(try response(learned, "/rows?limit=6").text == list([1, 2, 3, 4, 5, 6]))
        #expect(try response(learned, "/rows?limit=2&page=2").text == list([3, 4]))
        #expect(try response(learned, "/rows?kind=out&limit=3").text == list([1, 3, 5]))
    }
}
