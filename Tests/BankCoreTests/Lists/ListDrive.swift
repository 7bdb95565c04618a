import BankCore
import BankModel
import TestBanks
import Testing

/// A session of the list bank beside the plain model of its lists, driven by a random generator.
struct ListDrive {
    var till: Till
    var model: ListModel
    var dice: SeededGenerator
    var tokens: [String: String] = [:]

    init(_ dates: ListBank.Dates, isScanned: Bool, seed: UInt64) throws {
        let files = ListBank.files(dates, seed: seed)
        var till = try Till(files)
        var bank = till.state.bank
        model = ListModel(bank: bank, start: till.now)
        if isScanned {
            for (name, table) in bank.tables {
                let columns = [table.key, table.order?.field, "_account", "_customer"].compactMap(\.self)
                let scan = RowScan(Array((files.files["till/\(name).json"] ?? "").utf8), columns: columns)
                bank.tables[name]?.rows = TableRows(try #require(scan))
            }
            till.state = SessionState(id: "till", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: till.now)
        }
        for login in ["ann", "bob", "cat"] { tokens[login] = try till.token(login) }
        self.till = till
        dice = SeededGenerator(seed: seed)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(dice.next() % UInt64(elements.count))] }

    /// Adds an entry among the others, or before or after them all.
    mutating func add() throws {
        let at = pick([
            "2025-11-04T08:30:00Z", "2025-11-0\(dice.next() % 9 + 1)T12:00:00Z", "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z",
        ])
        let account = pick(ListBank.accounts + (model.added["accounts"] ?? []).compactMap { $0["id"]?.string })
        try send(["account": .string(account), "at": .string(at), "kind": .string(pick(ListBank.kinds))], to: "entries", by: "ann")
    }

    /// Adds a note, or a spot, which has a rank.
    mutating func jot(_ login: String) throws { try send(["kind": .string(pick(ListBank.kinds))], to: "notes", by: login) }

    mutating func mark() throws { try send(["in": ["rank": .int(Int64(dice.next() % 20))]], to: "spots", by: "ann") }

    /// Opens an account.
    mutating func open(_ login: String) throws { try send(["kind": .string(pick(ListBank.kinds))], to: "accounts", by: login) }

    private mutating func send(_ fields: [String: JSON], to table: String, by login: String) throws {
        let number = 1000 + model.added.values.reduce(0) { $0 + $1.count }
        var sent = JSONObject(fields.map { ($0.key, $0.value) } + [("id", .string("x\(number)")), ("n", .int(Int64(number)))])
        var body = sent
        if let rank = sent["in"]?["rank"] { body.set(rank, at: "rank") }
        let response = till.send("POST", "/v1/\(table)", token: tokens[login], body: JSON.object(body).text)
        try #require(response.status == 201, "\(response.text)")
        if let account = fields["account"] { sent.set(account, at: "_account") } else { sent.set(.string(login), at: "_customer") }
        model.added[table, default: []].append(sent)
    }

    /// All pages of a list; commands may be executed between two of them.
    mutating func pages(
        _ target: String, _ login: String, limit: Int, meanwhile: (inout ListDrive) throws -> Void = { _ in }
    ) throws -> [[Int64]] {
        var pages: [[Int64]] = []
        var cursor: String?
        repeat {
            let sign = target.contains("?") ? "&" : "?"
            let response = till.send(
                "GET", "/v1\(target)\(sign)limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""), token: tokens[login])
            pages.append(try #require(numbers(response), "\(response.text)"))
            cursor = response.json["next"]?.string
            try #require(pages.count < 1000)
            try meanwhile(&self)
        } while cursor != nil
        return pages
    }

    func numbers(_ response: BankResponse) -> [Int64]? { response.json["list"]?.array?.compactMap { $0["n"]?.int } }
}
