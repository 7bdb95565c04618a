import BankCore
import BankModel
import TestBanks
import Testing

/// A scanned fixture answers as a parsed one, and pages as one list, with rows that operations added between.
@Suite struct LargeTableTests {
    private static let count = 400

    /// Entries of two accounts; several of one instant, some with the same key.
    private static var entries: String {
        var dice = SeededGenerator(seed: 7)
        let rows = (0..<count).map { number in
            let day = Int(dice.next() % 28) + 1
            let key = dice.next().isMultiple(of: 50) ? "e1" : "e\(number)"
            return """
                {"id": "\(key)", "_account": "\(dice.next().isMultiple(of: 4) ? "b1" : "a1")", "at": "2025-10-\(day < 10 ? "0" : "")\(day)T12:00:00Z", "amount": \(number)}
                """
        }
        return "[\(rows.joined(separator: ",\n"))]"
    }

    private func tills() throws -> (read: Till, scanned: Till) {
        let files = TestFiles.settling
            .replacing("till/entries.json", TestFiles.settling.files["till/entries.json"] ?? "", with: Self.entries)
            .replacing("till/bank.yaml", "bank: till", with: "bank: till\ndirty: [key]")
        let read = try Till(files)
        var bank = read.state.bank
        let scan = try #require(RowScan(Array(Self.entries.utf8), columns: ["id", "at", "_account"]))
        bank.tables["entries"]?.rows = TableRows(scan)
        var scanned = read
        scanned.state = SessionState(id: "till", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: read.now)
        return (read, scanned)
    }

    /// All pages of ann's first account.
    private func pages(_ till: inout Till, _ token: String, _ query: String = "") throws -> [[Int64]] {
        var pages: [[Int64]] = []
        var cursor: String?
        repeat {
            let target = "/v1/accounts/a1/entries?limit=5\(query)" + (cursor.map { "&cursor=\($0)" } ?? "")
            let response = till.send("GET", target, token: token)
            pages.append((response.json["entries"]?.array ?? []).map { $0["amount"]?.int ?? -1 })
            cursor = response.json["next"]?.string
            try #require(pages.count < 200)
        } while cursor != nil
        return pages
    }

    @Test(arguments: ["", "&from=2025-10-05&to=2025-10-20", "&from=2025-10-28", "&to=2025-10-01", "&from=2026-01-01"])
    func `a scanned fixture answers as one that is read`(_ query: String) throws {
        var (read, scanned) = try tills()
        let (one, other) = (try read.token(), try scanned.token())

        let expected = try pages(&read, one, query)

        #expect(try pages(&scanned, other, query) == expected)
        #expect(expected.count > 1 || query.contains("2026") || query.contains("to=2025-10-01") || query.contains("28"))
    }

    @Test func `pages are the list in order with each row once`() throws {
        var (_, till) = try tills()
        let ann = try till.token()
        for number in 1...7 { _ = till.pay("0.0\(number)", key: "k\(number)", token: ann, to: "a2") }

        let all = try pages(&till, ann)

        let rows = all.flatMap { $0 }
        let fixtures = rows.filter { $0 >= 0 }
        #expect(rows.count - fixtures.count == 7, "the new ones come first")
        #expect(rows.prefix(7).allSatisfy { $0 == -1 }, "the new ones come first")
        #expect(Set(fixtures).count == fixtures.count)
        #expect(fixtures.count > 250)
        #expect(all.dropLast().allSatisfy { $0.count == 5 })
    }

    @Test func `no customer sees another's rows`() throws {
        var (_, till) = try tills()
        let bob = try till.token("bob")

        #expect(till.send("GET", "/v1/accounts/a1/entries", token: bob).status == 404)
        #expect(till.send("GET", "/v1/accounts/b1/entries?limit=5", token: bob).json["entries"]?.array?.count == 5)
    }
}
