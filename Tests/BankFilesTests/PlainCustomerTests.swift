import BankCore
import BankFiles
import BankModel
import Testing

/// The first customer of each bank, who signs in by default, has plain data; elin has data that is difficult for a client.
@Suite struct PlainCustomerTests {
    /// A list that the bank sends, and the properties of plain rows.
    struct List: Sendable, CustomTestStringConvertible {
        let bank: String
        let path: String
        /// The path of the rows; empty for the reply itself.
        let rows: String
        let id: String
        /// The members that each row has, none of them null or empty.
        let members: [String]
        var instants: [String] = []
        var days: [String] = []
        var currency: String?
        /// The words that a member may have.
        var words: [String: Set<String>] = [:]

        var testDescription: String { "\(bank) \(path)" }
    }

    private static let kinds: Set = ["card", "transfer", "internal", "fee", "cash"]
    private static let sources: Set = [
        "MASTER_CARD", "INTERNAL_TRANSFER", "FASTER_PAYMENTS_IN", "FASTER_PAYMENTS_OUT", "DIRECT_DEBIT", "CASH_WITHDRAWAL",
        "INTEREST_PAYMENT",
    ]
    private static let week = "minTransactionTimestamp=2025-10-01T00:00:00Z&maxTransactionTimestamp=2025-12-01T00:00:00Z"

    /// At counterfoil each of ava's five accounts has a currency of its own; the first is plain by itself.
    private static func lists(_ account: [String: String], roundUp: String) -> [List] {
        [
            List(
                bank: "counterfoil", path: "/v1/accounts/\(account["counterfoil"] ?? "")/transactions?limit=20", rows: "transactions",
                id: "id",
                members: ["booked_at", "value_date", "status", "direction", "kind", "amount", "description", "counterparty", "fee"],
                instants: ["booked_at"], days: ["value_date"], currency: "amount.currency",
                words: ["status": ["pending", "booked"], "direction": ["debit", "credit"], "kind": kinds]),
            List(
                bank: "counterfoil", path: "/v1/accounts", rows: "accounts", id: "id",
                members: ["name", "type", "currency", "balance", "available"], words: ["type": ["current", "savings"]]),
            List(
                bank: "counterfoil", path: "/v1/accounts/\(account["counterfoil"] ?? "")/goals", rows: "goals", id: "id",
                members: ["name", "saved", "target"], currency: "saved.currency"),
            List(
                bank: "roundup", path: "/api/v2/accounts", rows: "accounts", id: "accountUid",
                members: ["accountType", "defaultCategory", "currency", "createdAt", "name"], instants: ["createdAt"], currency: "currency",
                words: ["accountType": ["PRIMARY", "ADDITIONAL"]]),
            List(
                bank: "roundup", path: "/api/v2/feed/account/\(roundUp)/settled-transactions-between?\(week)", rows: "feedItems",
                id: "feedItemUid",
                members: [
                    "amount", "sourceAmount", "direction", "updatedAt", "transactionTime", "settlementTime", "source", "sourceSubType",
                    "status",
                    "counterPartyType", "counterPartyUid", "counterPartyName", "reference", "country", "spendingCategory", "userNote",
                    "hasAttachment",
                ],
                instants: ["updatedAt", "transactionTime", "settlementTime"], currency: "sourceAmount.currency",
                words: ["direction": ["IN", "OUT"], "source": sources, "status": ["SETTLED"]]),
            List(
                bank: "roundup", path: "/api/v2/account/\(roundUp)/spaces", rows: "savingsGoals", id: "savingsGoalUid",
                members: ["name", "target", "totalSaved", "sortOrder", "state"], currency: "totalSaved.currency",
                words: ["state": ["ACTIVE"]]),
            List(
                bank: "feed", path: "/v2/transactions", rows: "data", id: "id",
                members: ["date", "description", "category_id", "currency", "amount", "product"], days: ["date"],
                currency: "amount.currency_iso", words: ["product.title": ["Lloyds Bank"], "category_id": ["0", "1", "5", "6", "7"]]),
            List(
                bank: "login", path: "/profile", rows: "accounts", id: "id", members: ["name", "currency", "balance"],
                currency: "currency"),
        ]
    }

    private static let open = [
        List(
            bank: "bins", path: "/bins/1a30k8", rows: "", id: "id", members: ["date", "amount", "fee", "description"], instants: ["date"]),
        List(
            bank: "bins", path: "/bins/1a30k8/pages?limit=10", rows: "items", id: "id", members: ["date", "amount", "fee", "description"],
            instants: ["date"]),
        List(
            bank: "snapshot", path: "/content/data.json", rows: "transactions", id: "id",
            members: ["effectiveDate", "description", "amount"]),
        List(bank: "snapshot", path: "/content/data.json", rows: "pending", id: "id", members: ["effectiveDate", "description", "amount"]),
    ]

    static let plain =
        lists(["counterfoil": "ava-gbp"], roundUp: "5f1c0a10-0000-4000-8000-000000000a01")
        + lists(["counterfoil": "ava-gbp"], roundUp: "5f1c0a10-0000-4000-8000-000000000a02").filter {
            $0.path.contains("a02") && $0.rows == "feedItems"
        }
        + open

    @Test(arguments: plain)
    func `the rows of the customer who signs in by default are plain`(_ list: List) throws {
        let bank = try Shipped.library.load(list.bank).bank

        #expect(try oddities(of: list, bank, bank.customers.first?.login) == [])
    }

    @Test(arguments: lists(["counterfoil": "elin-gbp"], roundUp: "5f1c0a10-0000-4000-8000-000000000c01"))
    func `elin's rows are not`(_ list: List) throws {
        #expect(try !oddities(of: list, Shipped.library.load(list.bank).bank, "elin").isEmpty)
    }

    @Test func `the plain document writes days with two digits and names cash machines that it has`() throws {
        var caller = try Caller(Shipped.library.load("snapshot").bank, login: nil)
        let document = try caller.get("/s/any-link/data.json?dl=1")
        let rows = (document["transactions"]?.array ?? []) + (document["pending"]?.array ?? [])
        let machines = Set((document["atms"]?.array ?? []).compactMap { $0["id"]?.string })

        #expect(rows.count == 15)
        #expect(rows.allSatisfy { $0["effectiveDate"]?.string?.split(separator: "/").map(\.count) == [2, 2, 4] })
        #expect(machines.isSuperset(of: rows.compactMap { $0["atmId"]?.string }))
    }

    @Test func `no plain row stands for another, and each cash machine is listed`() throws {
        var caller = try Caller(Shipped.library.load("counterfoil").bank, login: "ava")
        let rows = try caller.get("/v1/accounts/ava-gbp/transactions?limit=20")["transactions"]?.array ?? []
        let machines = Set(try caller.get("/v1/atms")["atms"]?.array?.compactMap { $0["id"]?.string } ?? [])

        #expect(rows.count == 20)
        #expect(rows.allSatisfy { $0["replaces"] == nil })
        #expect(rows.allSatisfy { ($0["atm_id"] != nil) == ($0["kind"] == "cash") })
        #expect(machines.isSuperset(of: rows.compactMap { $0["atm_id"]?.string }))
    }

    /// The odd properties of a list, row by row.
    private func oddities(of list: List, _ bank: Bank, _ login: String?) throws -> [String] {
        var caller = try Caller(bank, login: login)
        let rows = try #require(try caller.get(list.path).at(list.rows)?.array)
        var odd = rows.isEmpty ? ["no rows"] : []
        let ids = rows.compactMap { $0[list.id]?.plainText }
        if Set(ids).count < rows.count { odd.append("an id twice, or none") }
        for (id, row) in zip(ids, rows) {
            for member in list.members {
                let value = row[member]
                if value == nil || value == .null || value == "" { odd.append("\(id): no \(member)") }
            }
            for member in list.instants where row[member]?.string.flatMap(Instant.init(rfc3339:)) == nil { odd.append("\(id): \(member)") }
            for member in list.days where row[member]?.string.flatMap({ CivilDate($0) }) == nil { odd.append("\(id): \(member)") }
            for (member, known) in list.words where row.at(member).map({ !known.contains($0.plainText) }) ?? true {
                odd.append("\(id): \(member) is \(row.at(member)?.text ?? "missing")")
            }
        }
        if let currency = list.currency, Set(rows.compactMap { $0.at(currency)?.string }) != ["GBP"] { odd.append("other currencies") }
        return odd
    }
}
