import BankModel
import Testing

/// The expected data of a user, computed from a bank's responses by the rules of the driver protocol: the second, independent
/// reading to which `expected.yaml` is compared.
struct RightViews {
    var bank: Caller
    /// The offset of the user's time zone from UTC.
    let secondsEast: Int

    mutating func view(of operation: String, bank name: String) throws -> JSON {
        switch name {
        case "counterfoil": try counterfoil(operation)
        case "roundup": try roundup(operation)
        case "bins": try bins(operation)
        case "snapshot": try snapshot(operation)
        case "feed": try feed()
        case "openbanking": try openbanking(operation)
        case "berlin": try berlin(operation)
        default: try login(operation)
        }
    }

    private func day(_ text: JSON?) throws -> JSON {
        let instant = try #require(text?.string.flatMap { Instant(rfc3339: $0) }, "no instant: \(text?.text ?? "nothing")")
        return .string((instant + .seconds(secondsEast)).date.description)
    }

    private func major(_ value: JSON?, _ code: String = "GBP", minus: Bool = false) throws -> JSON {
        let currency = try #require(Currency(code))
        let money: Money
        if let text = value?.string {
            money = try Money(major: text, currency: currency)
        } else {
            money = try Money(major: try #require(value?.number), currency: currency)
        }
        return .string(Money(minorUnits: minus ? -money.minorUnits : money.minorUnits, currency: currency).major)
    }

    private func minor(_ value: JSON?, minus: Bool = false) throws -> JSON {
        let units = try #require(value?["minorUnits"]?.int)
        let currency = try #require(value?["currency"]?.string.flatMap(Currency.init))
        return .string(Money(minorUnits: minus ? -units : units, currency: currency).major)
    }

    private func rows(_ json: JSON, _ name: String) throws -> [JSON] { try #require(json[name]?.array) }

    /// An object of the fields that are present.
    private func shown(_ fields: KeyValuePairs<String, JSON?>) -> JSON {
        .object(JSONObject(fields.compactMap { name, value in value.map { (key: name, value: $0) } }))
    }

    private func coordinate(_ value: JSON?) -> JSON? { value?.number.map { .string($0.digits) } }

    // MARK: counterfoil

    private mutating func counterfoil(_ operation: String) throws -> JSON {
        let accounts = try rows(try bank.get("/v1/accounts"), "accounts")
        let account = try #require(accounts.first?["id"]?.string)
        switch operation {
        case "accounts":
            return [
                "accounts": .array(
                    accounts.map {
                        shown(["id": $0["id"], "name": $0["name"], "currency": $0["currency"], "balance": $0.at("balance.amount")])
                    })
            ]
        case "balance":
            let row = try bank.get("/v1/accounts/\(account)")
            return shown(["balance": row.at("balance.amount"), "available": row.at("available.amount"), "currency": row["currency"]])
        case "atms":
            let atms = try rows(try bank.get("/v1/atms"), "atms")
            return ["atms": .array(atms.map { atm($0) })]
        case "goals":
            let goals = try rows(try bank.get("/v1/accounts/\(account)/goals"), "goals")
            return [
                "goals": .array(
                    goals.map {
                        shown(["id": $0["id"], "name": $0["name"], "saved": $0.at("saved.amount"), "currency": $0.at("saved.currency")])
                    })
            ]
        default:
            let atms = Set(try rows(try bank.get("/v1/atms"), "atms").compactMap { $0["id"] })
            let all = try counterfoilPages(account)
            let replaced = Set(all.compactMap { $0["replaces"] })
            return [
                "transactions": .array(
                    try all.filter { $0["id"].map { !replaced.contains($0) } ?? true }.map { row in
                        shown([
                            "id": row["id"], "date": try day(row["booked_at"]), "description": row["description"],
                            "amount": try major(
                                row.at("amount.amount"), row.at("amount.currency")?.string ?? "", minus: row["direction"] == "debit"),
                            "currency": row.at("amount.currency"), "pending": .bool(row["status"] == "pending"),
                            "atm": row["atm_id"].flatMap { atms.contains($0) ? $0 : nil },
                        ])
                    })
            ]
        }
    }

    private mutating func counterfoilPages(_ account: String) throws -> [JSON] {
        var all: [JSON] = []
        var cursor: String? = nil
        repeat {
            let page = try bank.get("/v1/accounts/\(account)/transactions?limit=7" + (cursor.map { "&cursor=\($0)" } ?? ""))
            all += try rows(page, "transactions")
            cursor = page["next_cursor"]?.string
        } while cursor != nil && all.count < 1000
        return all
    }

    private func atm(_ row: JSON) -> JSON {
        shown(["id": row["id"], "name": row["name"], "lat": coordinate(row.at("location.lat")), "lng": coordinate(row.at("location.lng"))])
    }

    // MARK: roundup

    private mutating func roundup(_ operation: String) throws -> JSON {
        let accounts = try rows(try bank.get("/api/v2/accounts"), "accounts")
        let account = try #require(accounts.first?["accountUid"]?.string)
        switch operation {
        case "accounts":
            return ["accounts": .array(accounts.map { shown(["id": $0["accountUid"], "name": $0["name"], "currency": $0["currency"]]) })]
        case "balance":
            let row = try bank.get("/api/v2/accounts/\(account)/balance")
            return shown([
                "balance": try minor(row["clearedBalance"]), "available": try minor(row["effectiveBalance"]),
                "currency": row.at("clearedBalance.currency"),
            ])
        case "goals":
            let goals = try rows(try bank.get("/api/v2/account/\(account)/spaces"), "savingsGoals")
            return [
                "goals": .array(
                    try goals.map { row in
                        shown([
                            "id": row["savingsGoalUid"], "name": row["name"], "saved": try minor(row["totalSaved"]),
                            "currency": row.at("totalSaved.currency"),
                        ])
                    })
            ]
        default:
            let midnight = Instant(bank.start.date)
            let window =
                "minTransactionTimestamp=\((midnight + .seconds(-30 * 86_400)).rfc3339(.milliseconds))"
                + "&maxTransactionTimestamp=\((midnight + .seconds(86_340)).rfc3339(.milliseconds))"
            let items = try rows(try bank.get("/api/v2/feed/account/\(account)/settled-transactions-between?\(window)"), "feedItems")
            return [
                "transactions": .array(
                    try items.map { row in
                        shown([
                            "id": row["feedItemUid"], "date": try day(row["transactionTime"]),
                            "description": row["reference"] ?? row["counterPartyName"],
                            "amount": try minor(row["amount"], minus: row["direction"] == "OUT"), "currency": row.at("amount.currency"),
                        ])
                    })
            ]
        }
    }

    // MARK: bins

    private mutating func bins(_ operation: String) throws -> JSON {
        var newest: [String: (at: Instant, row: JSON)] = [:]
        for row in try #require(try bank.get("/bins/1a30k8").array) {
            guard let text = row["date"]?.string, let date = Instant(rfc3339: text), let id = row["id"]?.number?.digits else { continue }
            if let other = newest[id], other.at >= date { continue }
            newest[id] = (date, row)
        }
        let kept = newest.values.sorted { $0.at > $1.at }
        guard operation == "transactions" else {
            let euro = try #require(Currency("EUR"))
            let cents = try kept.flatMap { [$0.row["amount"], $0.row["fee"]] }.compactMap { $0?.number }
                .reduce(0) { sum, number in sum + (try Money(major: number, currency: euro)).minorUnits }
            return ["balance": .string(Money(minorUnits: cents, currency: euro).major)]
        }
        return [
            "transactions": .array(
                try kept.map { date, row in
                    let description = row["description"]?.string.flatMap { $0.isEmpty ? nil : JSON.string($0) }
                    return shown([
                        "id": row["id"]?.number.map { .string($0.digits) }, "date": try day(row["date"]), "description": description,
                        "amount": try major(row["amount"], "EUR"),
                    ])
                })
        ]
    }

    // MARK: snapshot

    private mutating func snapshot(_ operation: String) throws -> JSON {
        let document = try bank.get("/s/data.json?dl=1")
        let account = try #require(document["account"])
        switch operation {
        case "accounts":
            return [
                "accounts": [
                    shown([
                        "id": account["accountNumber"], "name": account["accountName"], "currency": "AUD",
                        "balance": try major(account["balance"], "AUD"),
                    ])
                ]
            ]
        case "balance":
            return [
                "balance": try major(account["balance"], "AUD"), "available": try major(account["available"], "AUD"), "currency": "AUD",
            ]
        case "atms": return ["atms": .array(try rows(document, "atms").map { atm($0) })]
        default:
            let atms = Set(try rows(document, "atms").compactMap { $0["id"] })
            let all =
                try rows(document, "pending").map { (row: $0, pending: true) }
                + rows(document, "transactions").map { (row: $0, pending: false) }
            let dated = try all.enumerated().map { offset, item in
                let parts = try #require(item.row["effectiveDate"]?.string).split(separator: "/").compactMap { Int($0) }
                try #require(parts.count == 3)
                return (day: try #require(CivilDate(year: parts[2], month: parts[1], day: parts[0])), offset: offset, item: item)
            }
            let ordered = dated.sorted { $0.day == $1.day ? $0.offset < $1.offset : $1.day < $0.day }
            return [
                "transactions": .array(
                    try ordered.map { day, _, item in
                        shown([
                            "id": item.row["id"], "date": .string(day.description),
                            "description": item.row["description"]?.string.map { .string($0.replacing("<br/>", with: "\n")) },
                            "amount": try major(item.row["amount"], "AUD"), "pending": .bool(item.pending),
                            "atm": item.row["atmId"].flatMap { atms.contains($0) ? $0 : nil },
                        ])
                    })
            ]
        }
    }

    // MARK: openbanking

    private mutating func openbanking(_ operation: String) throws -> JSON {
        let base = "/open-banking/v4.0/aisp/accounts"
        let accounts = try #require(try bank.get(base).at("Data.Account")?.array)
        guard operation != "accounts" else {
            return [
                "accounts": .array(
                    accounts.map { shown(["id": $0["AccountId"], "name": $0["Nickname"], "currency": $0["Currency"]]) })
            ]
        }
        let account = try #require(accounts.first?["AccountId"]?.string)
        guard operation == "transactions" else {
            let row = try #require(try bank.get("\(base)/\(account)/balances").at("Data.Balance")?.array?.first)
            return shown([
                "balance": try major(row.at("Amount.Amount"), minus: row["CreditDebitIndicator"] == "Debit"),
                "currency": row.at("Amount.Currency"),
            ])
        }
        var all: [JSON] = []
        var page = 1
        while true {
            let json = try bank.get("\(base)/\(account)/transactions?page=\(page)")
            all += try #require(json.at("Data.Transaction")?.array)
            guard json.at("Links.Next") != nil, page < 100 else { break }
            page += 1
        }
        return [
            "transactions": .array(
                try all.map { row in
                    shown([
                        "id": row["TransactionId"], "date": try day(row["BookingDateTime"]), "description": row["TransactionInformation"],
                        "amount": try major(row.at("Amount.Amount"), minus: row["CreditDebitIndicator"] == "Debit"),
                        "currency": row.at("Amount.Currency"), "pending": .bool(row["Status"] == "PDNG"),
                    ])
                })
        ]
    }

    // MARK: berlin

    /// Without `description`, which a client may choose.
    private mutating func berlin(_ operation: String) throws -> JSON {
        let accounts = try rows(try bank.get("/v1/accounts"), "accounts")
        guard operation != "accounts" else {
            return [
                "accounts": .array(
                    accounts.map { shown(["id": $0["resourceId"], "name": $0["name"], "currency": $0["currency"]]) })
            ]
        }
        let account = try #require(accounts.first?["resourceId"]?.string)
        guard operation == "transactions" else {
            let amount = try #require(try bank.get("/v1/accounts/\(account)/balances")["balances"]?.array?.first?["balanceAmount"])
            return shown(["balance": try major(amount["amount"], "EUR"), "currency": amount["currency"]])
        }
        let lists = try #require(try bank.get("/v1/accounts/\(account)/transactions?bookingStatus=both")["transactions"])
        let pending = try rows(lists, "pending").map { (row: $0, day: $0["valueDate"], isPending: true) }
        let booked = try rows(lists, "booked").map { (row: $0, day: $0["bookingDate"], isPending: false) }
        return [
            "transactions": .array(
                try (pending + booked).map { item in
                    shown([
                        "id": item.row["transactionId"], "date": item.day,
                        "amount": try major(item.row.at("transactionAmount.amount"), "EUR"),
                        "currency": item.row.at("transactionAmount.currency"), "pending": .bool(item.isPending),
                    ])
                })
        ]
    }

    // MARK: feed, login

    private mutating func feed() throws -> JSON {
        let rows = try rows(try bank.get("/v2/transactions"), "data")
        return [
            "transactions": .array(
                try rows.map { row in
                    shown([
                        "id": row["id"], "date": row["date"], "description": row["description"],
                        "amount": try major(row.at("amount.value"), row.at("amount.currency_iso")?.string ?? ""),
                        "currency": row["currency"],
                    ])
                })
        ]
    }

    private mutating func login(_ operation: String) throws -> JSON {
        let accounts = try rows(try bank.get("/profile"), "accounts").map { row in
            shown([
                "id": row["id"], "name": row["name"], "currency": row["currency"],
                "balance": try major(row["balance"], row["currency"]?.string ?? ""),
            ])
        }
        guard operation == "balance" else { return ["accounts": .array(accounts)] }
        let first = try #require(accounts.first)
        return shown(["balance": first["balance"], "currency": first["currency"]])
    }
}
