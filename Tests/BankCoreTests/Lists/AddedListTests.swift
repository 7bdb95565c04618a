import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Lists of rows that operations added, with all their filters: equal to the plain model's, whatever happened before; and
/// their cost does not grow with the number of earlier rows.
@Suite struct AddedListTests {
    /// The queries of each list: its path, and the query of the model.
    private static func asked(_ drive: inout ListDrive) -> (target: String, query: ListModel.Query) {
        let accounts = ListBank.accounts + (drive.model.added["accounts"] ?? []).compactMap { $0["id"]?.string }
        let (account, kind) = (drive.pick(accounts), drive.pick(ListBank.kinds))
        let from = drive.pick([nil, "2020-01-01", "2025-11-03", "2025-11-12"])
        let to = drive.pick([nil, "2025-11-05", "2025-11-16", "2030-01-01"])
        let ends = "?" + [from.map { "from=\($0)" }, to.map { "to=\($0)" }].compactMap(\.self).joined(separator: "&")
        let ofAccount = (field: "_account", text: account as String?)
        let queries: [(String, ListModel.Query)] = [
            ("/entries\(ends)", .init(table: "entries", from: from, to: to)),
            ("/accounts/\(account)/entries\(ends)", .init(table: "entries", filters: [ofAccount], from: from, to: to)),
            (
                "/accounts/\(account)/entries/\(kind)\(ends)",
                .init(table: "entries", filters: [ofAccount, ("kind", kind)], from: from, to: to)
            ),
            ("/kinds?kind=\(kind)", .init(table: "entries", filters: [("kind", kind)])), ("/notes", .init(table: "notes")),
            ("/spots", .init(table: "spots")), ("/accounts", .init(table: "accounts")),
            ("/holders/\(kind)", .init(table: "accounts", filters: [("kind", kind)])),
        ]
        return drive.pick(queries)
    }

    private static func step(_ drive: inout ListDrive) throws {
        drive.till.now = drive.till.now + .seconds(Int64(drive.dice.next() % 3))
        switch drive.dice.next() % 20 {
        case 0: try drive.open(drive.pick(["ann", "cat"]))
        case 1...4: try drive.jot(drive.pick(["ann", "bob", "cat"]))
        case 5...8: try drive.mark()
        default: try drive.add()
        }
    }

    @Test(arguments: TestSeeds.of(1...6))
    func `pages of what was added are the list of the model, after a snapshot and in the past too`(_ seed: UInt64) throws {
        var drive = try ListDrive(seed.isMultiple(of: 2) ? .absolute : .relative, isScanned: seed.isMultiple(of: 3), seed: seed)
        var past: [(at: Instant, model: ListModel)] = [(drive.till.now, drive.model)]
        var saved: ListModel?
        var seen = 0
        for round in 0..<250 {
            try Self.step(&drive)
            past.append((drive.till.now, drive.model))
            if round == 80 {
                drive.till.state.save()
                saved = drive.model
            } else if round == 160, let saved {
                let isBack = drive.till.state.restore()
                #expect(isBack)
                drive.model = saved
                past = [(drive.till.now, saved)]
                for login in ["ann", "bob", "cat"] { drive.tokens[login] = try drive.till.token(login) }
            }
            guard round % 3 == 0 else { continue }
            let (target, query) = Self.asked(&drive)
            let login = drive.pick(["ann", "bob", "cat"])
            let list = drive.model.list(query, of: login)

            let pages = try drive.pages(target, login, limit: Int(drive.dice.next() % 9) + 1)

            #expect(pages.flatMap(\.self) == list, "\(login): \(target)")
            seen += list.count
            let then = drive.pick(past)
            let before = drive.now(of: target, login, at: then.at)
            if let model = past.last(where: { $0.at <= then.at })?.model, !target.hasPrefix("/accounts/x") {
                #expect(before == Array(model.list(query, of: login).prefix(20)), "\(login): \(target) at \(then.at)")
            }
        }
        if TestSeeds.isFixed(seed) { #expect(seen > 1000) }
    }

    @Test func `an edited bank lists what was added in its new order, and by its new owners`() throws {
        var drive = try ListDrive(.absolute, isScanned: false, seed: 9)
        for _ in 0..<60 { try Self.step(&drive) }
        var bank = drive.till.state.bank
        bank.tables["entries"]?.order?.descending = false
        bank.tables["notes"]?.belongs = nil

        drive.till.state.prepared = PreparedBank(bank)

        let model = ListModel(bank: bank, start: drive.model.start, added: drive.model.added)
        #expect(try drive.pages("/entries", "ann", limit: 20).flatMap(\.self) == model.list(.init(table: "entries"), of: "ann"))
        let notes = Set(try drive.pages("/notes", "bob", limit: 20).flatMap(\.self))
        #expect(notes == Set((0..<Int64(ListBank.rows)) + (model.added["notes"] ?? []).compactMap { $0["n"]?.int }))
    }

    // MARK: cost

    /// A session with `count` rows added to each table.
    private static func drive(after count: Int) throws -> ListDrive {
        var drive = try ListDrive(.absolute, isScanned: false, seed: 3)
        let tables = drive.till.state.bank.tables
        for number in 0..<count {
            let at = Instant(seconds: 1_700_000_000 + Int64(number) * 7).rfc3339()
            let id = JSON.string("x\(number)")
            let account = JSON.string(["a1", "a2", "b1"][number % 3])
            let rows: [String: JSON] = [
                "entries": [
                    "id": id, "_account": account, "at": .string(at), "kind": .string(ListBank.kinds[number % 2]), "n": .int(Int64(number)),
                ],
                "notes": ["id": id, "_customer": .string(["ann", "bob"][number % 2]), "n": .int(Int64(number))],
                "spots": ["id": id, "in": ["rank": .int(Int64(number % 997))], "n": .int(Int64(number))],
            ]
            for (name, row) in rows {
                guard let table = tables[name], let row = row.object else { continue }
                drive.till.state.apply(.added(table: name, row: TableRow(row, table, since: drive.till.now)))
            }
        }
        drive.till.state.settle(at: drive.till.now)
        return drive
    }

    /// The number of added rows examined for three pages of a list.
    private static func looks(_ target: String, _ drive: ListDrive) throws -> Int {
        var drive = drive
        let looks = RowScanCounter()
        drive.till.state.rowScans = looks
        var cursor: String?
        for _ in 0..<3 {
            let sign = target.contains("?") ? "&" : "?"
            let response = drive.till.send(
                "GET", "/v1\(target)\(sign)limit=20" + (cursor.map { "&cursor=\($0)" } ?? ""), token: drive.tokens["ann"])
            #expect(drive.numbers(response)?.count == 20, "\(response.text)")
            cursor = try #require(response.json["next"]?.string)
        }
        return looks.count
    }

    @Test func `a page looks at no more rows after 100,000 than after 1,000, but for some on the way to it`() throws {
        let (after1000, after100000) = (try Self.drive(after: 1_000), try Self.drive(after: 100_000))
        for target in [
            "/accounts/a1/entries", "/entries", "/accounts/a1/entries/card", "/kinds?kind=cash", "/notes", "/spots",
            "/accounts/a1/entries?from=2023-11-14&to=2023-11-20",
        ] {
            let (few, many) = (try Self.looks(target, after1000), try Self.looks(target, after100000))

            #expect(few > 0, "\(target): \(few) and \(many)")
            #expect(many < 3 * few, "\(target): \(few) and \(many)")
            #expect(many < 2_000, "\(target): \(few) and \(many)")
        }
    }
}

extension ListDrive {
    /// The first rows of a list at an instant.
    fileprivate mutating func now(of target: String, _ login: String, at instant: Instant) -> [Int64]? {
        let sign = target.contains("?") ? "&" : "?"
        guard case .success(.ready(let ticket)) = till.admit("GET", "/v1\(target)\(sign)limit=20", token: tokens[login]) else { return nil }
        return numbers(till.state.execute(ticket, at: till.now, alteration: .stale(till.now - instant)))
    }
}
