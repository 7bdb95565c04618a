import BankCore
import BankFiles
import BankModel

/// What a careful reader makes of a shipped bank's replies: an opinion independent of `expected.yaml` and of any client.
struct Answers: Equatable {
    /// Accounts as `id balance`, in order; a bank that tells no balance there has the id only.
    var accounts: [String]?
    /// `balance available`, as far as they are told.
    var balance: String?
    /// `date id amount pending`, in the order shown.
    var transactions: [String]?

    /// What `expected.yaml` says.
    init(expected: ExpectedViews, customer: String, start: Instant) {
        func view(_ operation: String) -> JSON? { expected.view(customer: customer, operation: operation, start: start) { _ in 0 } }
        func line(_ value: JSON, _ names: [String]) -> String { names.compactMap { value[$0]?.plainText }.joined(separator: " ") }
        accounts = view("accounts")?["accounts"]?.array?.map { line($0, ["id", "balance"]) }
        balance = view("balance").map { line($0, ["balance", "available"]) }
        transactions = view("transactions")?["transactions"]?.array?.map { line($0, ["date", "id", "amount", "pending"]) }
    }

    /// What the replies say.
    init(bank: String, _ caller: inout Caller) throws {
        switch bank {
        case "counterfoil": counterfoil(&caller)
        case "roundup": roundup(&caller)
        case "bins": bins(&caller)
        case "snapshot": snapshot(&caller)
        case "feed": feed(&caller)
        case "login": login(&caller)
        default: break
        }
    }

    private mutating func counterfoil(_ caller: inout Caller) {
        let list = caller.json("/v1/accounts")["accounts"]?.array ?? []
        accounts = list.map { "\(text($0, "id")) \(text($0, "balance.amount"))" }
        let first = list.first.map { text($0, "id") } ?? ""
        let account = caller.json("/v1/accounts/\(first)")
        balance = "\(text(account, "balance.amount")) \(text(account, "available.amount"))"
        var rows: [JSON] = []
        var next: String? = ""
        while let cursor = next, rows.count < 1000 {
            let page = caller.json("/v1/accounts/\(first)/transactions" + (cursor.isEmpty ? "" : "?cursor=\(cursor)"))
            rows += page["transactions"]?.array ?? []
            next = page["next_cursor"]?.string
        }
        let replaced = Set(rows.compactMap { $0["replaces"]?.string })
        transactions = rows.filter { !replaced.contains(text($0, "id")) }.map { row in
            let sign = text(row, "direction") == "debit" ? "-" : ""
            return "\(text(row, "booked_at").prefix(10)) \(text(row, "id")) \(sign)\(text(row, "amount.amount")) \(text(row, "status") == "pending")"
        }
    }

    private mutating func roundup(_ caller: inout Caller) {
        let list = caller.json("/api/v2/accounts")["accounts"]?.array ?? []
        accounts = list.map { text($0, "accountUid") }
        let first = accounts?.first ?? ""
        let account = caller.json("/api/v2/accounts/\(first)/balance")
        balance = "\(major(account["clearedBalance"])) \(major(account["effectiveBalance"]))"
        let from = (caller.start + .seconds(-30 * 86_400)).date
        let target = "/api/v2/feed/account/\(first)/settled-transactions-between"
            + "?minTransactionTimestamp=\(from)T00:00:00Z&maxTransactionTimestamp=\(caller.start.date)T23:59:00Z"
        transactions = caller.json(target)["feedItems"]?.array?.map { row in
            let sign = text(row, "direction") == "OUT" ? "-" : ""
            return "\(text(row, "transactionTime").prefix(10)) \(text(row, "feedItemUid")) \(sign)\(major(row["amount"]))"
        }
    }

    private mutating func bins(_ caller: inout Caller) {
        let rows = (caller.json("/bins/1a30k8").array ?? []).filter { isInstant(text($0, "date")) }
        let newest = rows.sorted { text($0, "date") > text($1, "date") }
        var seen: Set<String> = []
        let kept = newest.filter { seen.insert(text($0, "id")).inserted }
        transactions = kept.map { "\(text($0, "date").prefix(10)) \(text($0, "id")) \(cents(text($0, "amount")))" }
        let sum = kept.flatMap { [$0["amount"], $0["fee"]] }.compactMap { $0?.plainText }.reduce(0) { $0 + minor($1) }
        balance = cents(sum)
    }

    private mutating func snapshot(_ caller: inout Caller) {
        let location = caller.send("GET", "/s/data.json?dl=1").header("Location")?.dropFirst("http://bank".count)
        let document = caller.json(String(location ?? ""))
        accounts = ["\(text(document, "account.accountNumber")) \(text(document, "account.balance"))"]
        balance = "\(text(document, "account.balance")) \(text(document, "account.available"))"
        let pending = (document["pending"]?.array ?? []).map { ($0, true) }
        let rows = (pending + (document["transactions"]?.array ?? []).map { ($0, false) }).map { row, isPending in
            let parts = text(row, "effectiveDate").split(separator: "/").compactMap { Int($0) }
            let day = CivilDate(year: parts[2], month: parts[1], day: parts[0])
            return (day: day?.daysSinceEpoch ?? 0, line: "\(day?.description ?? "?") \(text(row, "id")) \(text(row, "amount")) \(isPending)")
        }
        transactions = rows.enumerated().sorted { ($1.element.day, $0.offset) < ($0.element.day, $1.offset) }.map(\.element.line)
    }

    private mutating func feed(_ caller: inout Caller) {
        transactions = caller.json("/v2/transactions")["data"]?.array?.map { row in
            "\(text(row, "date")) \(text(row, "id")) \(cents(text(row, "amount.value")))"
        }
    }

    private mutating func login(_ caller: inout Caller) {
        let list = caller.json("/profile")["accounts"]?.array ?? []
        accounts = list.map { "\(text($0, "id")) \(text($0, "balance"))" }
        balance = list.first.map { text($0, "balance") }
    }
}

private func text(_ value: JSON, _ path: String) -> String { value.at(path)?.plainText ?? "" }

/// `{"minorUnits": 184230}` as `1842.30`; all of these currencies have two digits.
private func major(_ amount: JSON?) -> String { cents(amount?["minorUnits"]?.int.map(Int.init) ?? 0) }

/// `12` and `12.5` as `12.00` and `12.50`, without floating point.
private func cents(_ text: String) -> String { cents(minor(text)) }

private func cents(_ minor: Int) -> String {
    let digits = "\(abs(minor) % 100)"
    return (minor < 0 ? "-" : "") + "\(abs(minor) / 100)." + (digits.count < 2 ? "0" : "") + digits
}

private func minor(_ text: String) -> Int {
    let parts = text.split(separator: ".")
    let fraction = parts.count > 1 ? (parts[1] + "0").prefix(2) : "00"
    return Int(parts[0] + fraction) ?? 0
}

/// `2026-03-22T10:26:10.000Z`, each part in its range; written here anew, as the loader's own reading is what is under test.
private func isInstant(_ text: String) -> Bool {
    guard let match = text.wholeMatch(of: /(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.\d{3}Z/) else { return false }
    let (hour, minute, second) = (Int(match.4) ?? 99, Int(match.5) ?? 99, Int(match.6) ?? 99)
    return hour < 24 && minute < 60 && second < 60
}
