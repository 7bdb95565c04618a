import BankCore
import BankModel
import Testing

/// Lists, pages and single rows, by index or not, from parsed or scanned fixtures: always equal to the plain model's.
@Suite struct ListModelTests {
    private static let drives: [(ListBank.Dates, Bool, UInt64)] = ListBank.Dates.allCases.flatMap { dates in
        [false, true].flatMap { isScanned in [1, 2, 3].map { (dates, isScanned, $0) } }
    }

    @Test(arguments: drives)
    func `pages are the list of the model`(_ dates: ListBank.Dates, _ isScanned: Bool, _ seed: UInt64) throws {
        var drive = try ListDrive(dates, isScanned: isScanned, seed: seed)
        var seen = 0
        for round in 0..<90 {
            if round % 4 == 3 { try drive.add() }
            if round == 45 { for login in ["ann", "cat"] { try drive.open(login) } }
            let (login, account, kind) = (drive.pick(["ann", "bob", "cat"]), drive.pick(ListBank.accounts), drive.pick(ListBank.kinds))
            let from = drive.pick([nil, "2025-11-03", "2025-11-12", "2025-11-30"])
            let to = drive.pick([nil, "2025-11-05", "2025-11-16", "2025-10-01"])
            let ends = "?" + [from.map { "from=\($0)" }, to.map { "to=\($0)" }].compactMap(\.self).joined(separator: "&")
            let ofAccount = (field: "_account", text: account as String?)
            let (target, query): (String, ListModel.Query) = drive.pick([
                ("/entries\(ends)", .init(table: "entries", from: from, to: to)),
                ("/accounts/\(account)/entries\(ends)", .init(table: "entries", filters: [ofAccount], from: from, to: to)),
                (
                    "/accounts/\(account)/entries/\(kind)\(ends)",
                    .init(table: "entries", filters: [ofAccount, ("kind", kind)], from: from, to: to)
                ),
                ("/kinds?kind=\(kind)", .init(table: "entries", filters: [("kind", kind)])),
                ("/kinds?kind=", .init(table: "entries", filters: [("kind", "")])),
                ("/kinds?kind=%C3%BC%1F", .init(table: "entries", filters: [("kind", "ü\u{1F}")])),
                ("/kinds", .init(table: "entries", filters: [("kind", nil)])),
                ("/notes", .init(table: "notes")),
                ("/spots", .init(table: "spots")),
            ])
            let limit = Int(drive.dice.next() % 9) + 1

            let pages = try drive.pages(target, login, limit: limit)

            let list = drive.model.list(query, of: login)
            #expect(pages.flatMap(\.self) == list, "\(login): \(target)")
            #expect(pages.dropLast().allSatisfy { $0.count == limit }, "\(login): \(target)")
            #expect((pages.last?.count ?? 0) <= limit, "\(login): \(target)")
            seen += list.count
        }
        #expect(seen > 500)
    }

    @Test(arguments: drives)
    func `rows that come between two pages move no others`(_ dates: ListBank.Dates, _ isScanned: Bool, _ seed: UInt64) throws {
        var drive = try ListDrive(dates, isScanned: isScanned, seed: seed)
        for login in ["ann", "bob"] {
            let before = drive.model.list(.init(table: "entries"), of: login)

            let pages = try drive.pages("/entries", login, limit: 3) { try $0.add() }

            let known = Set(before)
            #expect(pages.flatMap(\.self).filter(known.contains) == before)
        }
    }

    @Test(arguments: drives)
    func `single rows are the first of the model's list`(_ dates: ListBank.Dates, _ isScanned: Bool, _ seed: UInt64) throws {
        var drive = try ListDrive(dates, isScanned: isScanned, seed: seed)
        for _ in 0..<5 { try drive.add() }
        try drive.open("ann")
        for login in ["ann", "bob", "cat"] {
            for id in (0..<ListBank.rows).map({ "e\($0)" }) + ["twice", "thrice", "x1000", "x1004", "none"] {
                let row = drive.till.send("GET", "/v1/entries/\(id)", token: drive.tokens[login])
                #expect(row.json["n"]?.int == drive.model.list(.init(table: "entries", filters: [("id", id)]), of: login).first)
                #expect(row.status == (row.json["n"] == nil ? 404 : 200))
            }
            for kind in ListBank.kinds {
                let row = drive.till.send("GET", "/v1/first/\(kind)", token: drive.tokens[login])
                #expect(row.json["n"]?.int == drive.model.list(.init(table: "entries", filters: [("kind", kind)]), of: login).first)
                let holders = drive.till.send("GET", "/v1/holders/\(kind)", token: drive.tokens[login])
                #expect(drive.numbers(holders) == drive.model.list(.init(table: "accounts", filters: [("kind", kind)]), of: login))
            }
            let all = drive.till.send("GET", "/v1/accounts", token: drive.tokens[login])
            #expect(drive.numbers(all) == drive.model.list(.init(table: "accounts"), of: login))
            for account in ListBank.accounts + ["x1005"] {
                let row = drive.till.send("GET", "/v1/accounts/\(account)", token: drive.tokens[login])
                #expect(row.json["n"]?.int == drive.model.list(.init(table: "accounts", filters: [("id", account)]), of: login).first)
            }
        }
    }
}
