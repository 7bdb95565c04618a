import BankCore
import BankFiles
import BankModel
import Testing

/// The control customers of each bank, ava and ben, have plain data; elin has data that is difficult for a client.
@Suite struct PlainCustomerTests {
    /// A list that the bank sends to a customer.
    struct List: Sendable, CustomTestStringConvertible {
        let row: PlainRow
        /// nil: anyone.
        let login: String?
        let path: String
        /// The path of the rows; empty for the response itself.
        let rows: String
        var id = "id"

        var testDescription: String { "\(row.bank) \(path) \(login ?? "anyone")" }
    }

    private static let days = "minTransactionTimestamp=2025-10-01T00:00:00Z&maxTransactionTimestamp=2025-12-01T00:00:00Z"

    /// All lists of a customer, of these accounts.
    private static func lists(_ login: String, counterfoil: String, roundup: [String]) -> [List] {
        [
            List(row: .counterfoil, login: login, path: "/v1/accounts/\(counterfoil)/transactions?limit=20", rows: "transactions"),
            List(row: .counterfoilAccount, login: login, path: "/v1/accounts", rows: "accounts"),
            List(row: .counterfoilGoal, login: login, path: "/v1/accounts/\(counterfoil)/goals", rows: "goals"),
            List(row: .roundupAccount, login: login, path: "/api/v2/accounts", rows: "accounts", id: "accountUid"),
            List(row: .feed, login: login, path: "/v2/transactions", rows: "data"),
            List(row: .login, login: login, path: "/profile", rows: "accounts"),
        ]
            + roundup.prefix(1).map {
                List(
                    row: .roundup, login: login, path: "/api/v2/feed/account/\($0)/settled-transactions-between?\(days)", rows: "feedItems",
                    id: "feedItemUid")
            }
            + roundup.prefix(1).map {
                List(row: .roundupGoal, login: login, path: "/api/v2/account/\($0)/spaces", rows: "savingsGoals", id: "savingsGoalUid")
            }
    }

    private static let uid = "5f1c0a10-0000-4000-8000-000000000"

    static let plain: [List] = otherLists + openBankingLists + berlinLists

    private static let otherLists =
        lists("ava", counterfoil: "ava-gbp", roundup: [uid + "a01"]) + lists("ben", counterfoil: "ben-gbp", roundup: [uid + "b01"]) + [
            List(
                row: .roundup, login: "ava", path: "/api/v2/feed/account/\(uid)a02/settled-transactions-between?\(days)", rows: "feedItems",
                id: "feedItemUid"),
            List(row: .bins, login: nil, path: "/bins/1a30k8", rows: ""),
            List(row: .bins, login: nil, path: "/bins/1a30k8/pages?limit=10", rows: "items"),
            List(row: .snapshot, login: nil, path: "/content/data.json", rows: "transactions"),
            List(row: .snapshot, login: nil, path: "/content/data.json", rows: "pending"),
        ]

    /// The lists of openbanking, whose rows have different names.
    private static var openBankingLists: [List] {
        let base = "/open-banking/v4.0/aisp/accounts"
        let rows = [("ava", "22289"), ("ava", "31820"), ("ben", "40117")].map { login, account in
            List(
                row: .openbanking, login: login, path: "\(base)/\(account)/transactions", rows: "Data.Transaction", id: "TransactionId")
        }
        let accounts = ["ava", "ben"].map { login in
            List(row: .openbankingAccount, login: login, path: base, rows: "Data.Account", id: "AccountId")
        }
        return rows + accounts
    }

    /// The lists of berlin: booked and pending rows stand apart.
    private static var berlinLists: [List] {
        let accounts = [
            ("ava", "3dc3d5b3-7023-4848-9853-f5400a64e80f"), ("ava", "7b0cd5d4-3a17-4a23-9d2f-0c5ee1a7d301"),
            ("ben", "c1f2a6de-64a4-47ab-8b8a-8b4a9d2f7b11"),
        ]
        let booked = accounts.map { login, account in
            List(
                row: .berlin, login: login, path: "/v1/accounts/\(account)/transactions?bookingStatus=booked", rows: "transactions.booked",
                id: "transactionId")
        }
        let pending = accounts.prefix(1).map { login, account in
            List(
                row: .berlin, login: login, path: "/v1/accounts/\(account)/transactions?bookingStatus=pending",
                rows: "transactions.pending", id: "transactionId")
        }
        let lists = ["ava", "ben"].map { List(row: .berlinAccount, login: $0, path: "/v1/accounts", rows: "accounts", id: "resourceId") }
        return booked + pending + lists
    }

    @Test(arguments: plain)
    func `the rows of the control customers are plain`(_ list: List) throws { #expect(try oddities(of: list) == []) }

    @Test(arguments: lists("elin", counterfoil: "elin-gbp", roundup: [uid + "c01"]))
    func `elin's rows are not`(_ list: List) throws { #expect(try !oddities(of: list).isEmpty) }

    @Test(arguments: ["a01", "a02", "b01", "b02"])
    func `the balances of the control customers are plain`(_ account: String) throws {
        var caller = try Caller(Shipped.library.load("roundup").bank, login: account.hasPrefix("a") ? "ava" : "ben")

        #expect(try PlainRow.roundupBalance.oddities(in: caller.get("/api/v2/accounts/\(Self.uid)\(account)/balance")) == [])
    }

    @Test func `the plain list comes newest first`() throws {
        var caller = try Caller(Shipped.library.load("bins").bank, login: nil)
        let dates = try caller.get("/bins/1a30k8").array?.compactMap { $0["date"]?.string } ?? []

        #expect(dates.count == 15)
        #expect(dates == dates.sorted(by: >))
    }

    @Test func `the plain document names cash machines that it has`() throws {
        var caller = try Caller(Shipped.library.load("snapshot").bank, login: nil)
        let document = try caller.get("/s/any-link/data.json?dl=1")
        let rows = (document["transactions"]?.array ?? []) + (document["pending"]?.array ?? [])
        let machines = Set((document["atms"]?.array ?? []).compactMap { $0["id"]?.string })

        #expect(rows.count == 15)
        #expect(machines.isSuperset(of: rows.compactMap { $0["atmId"]?.string }))
    }

    @Test func `each cash machine of a plain row is listed`() throws {
        var caller = try Caller(Shipped.library.load("counterfoil").bank, login: "ava")
        let rows = try caller.get("/v1/accounts/ava-gbp/transactions?limit=20")["transactions"]?.array ?? []
        let machines = Set(try caller.get("/v1/atms")["atms"]?.array?.compactMap { $0["id"]?.string } ?? [])

        #expect(rows.count == 20)
        let wrong = rows.filter { row in
            let isCash = row["kind"]?.string == "cash"
            return isCash != (row["atm_id"] != nil)
        }
        #expect(wrong.isEmpty)
        #expect(machines.isSuperset(of: rows.compactMap { $0["atm_id"]?.string }))
    }

    /// A purchase in the window of a round-up is one that counts: what does not is shown by the cases that are about it.
    @Test(arguments: ["counterfoil", "roundup"])
    func `what ava has spent in a week is all rounded up, but what is pending`(_ bank: String) throws {
        let rows = try Shipped.library.load(bank).bank.tables[bank == "roundup" ? "feed" : "transactions"]?.rows.map(JSON.object) ?? []
        let accounts = ["ava-gbp", "\(Self.uid)a01"]
        let own = rows.filter { row in accounts.contains((row["_account"] ?? row["_accountUid"])?.string ?? "") }
        let week = own.filter { (row: JSON) -> Bool in
            let written = (row["booked_at"] ?? row["transactionTime"])?.string ?? ""
            let status = row["status"]?.string ?? ""
            return written.wholeMatch(of: /@(0|-[1-7])d.*/) != nil && status.lowercased() != "pending"
        }

        #expect(week.count >= 8)
        for row in week {
            #expect(["booked", "SETTLED"].contains(row["status"]?.string ?? ""))
            #expect(["debit", "OUT"].contains(row["direction"]?.string ?? ""))
            #expect(!["internal", "INTERNAL_TRANSFER"].contains((row["kind"] ?? row["source"])?.string ?? ""))
            #expect(row.at("amount.amount")?.string?.hasSuffix(".00") != true)
            #expect(row.at("amount.minorUnits")?.int.map { $0.isMultiple(of: 100) } != true)
        }
    }

    /// The odd properties of a list, row by row.
    private func oddities(of list: List) throws -> [String] {
        var caller = try Caller(Shipped.library.load(list.row.bank).bank, login: list.login)
        let rows = try #require(try caller.get(list.path).at(list.rows)?.array)
        var odd = rows.isEmpty ? ["no rows"] : []
        let ids = rows.compactMap { $0[list.id]?.plainText }
        if Set(ids).count < rows.count { odd.append("an id twice, or none") }
        for (id, row) in zip(ids, rows) { odd += list.row.oddities(in: row).map { "\(id): \($0)" } }
        return odd
    }
}
