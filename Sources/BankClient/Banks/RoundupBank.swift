package import BankModel
package import Foundation

/// Starling v2 shapes: amounts in minor units and always positive, the sign in `direction`; the key in the path.
package struct RoundupBank: BankAdapter, AccountListing, BalanceReporting, TransactionListing, PayingBank {
    package let name = "roundup"
    package let rules: any ResponseRules = StarlingRules()
    package let usesTokens = true
    package let payments: any PaymentCalls = RoundupPayments()
    /// A transfer's UUID identifies it permanently.
    package let keyWindow: Duration? = nil
    let reading: Reading
    private let clock: any ClientClock
    var amounts: any AmountReading { reading.amounts }

    package init(_ reading: Reading, clock: any ClientClock = SystemClock()) {
        self.reading = reading
        self.clock = clock
    }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("/api/v2/accounts"))
        return try Listing(reading: json["accounts"]?.array, named: "accounts") { row in
            // Accepts any account type: a new kind of account must not lose the list.
            guard let id = row["accountUid"]?.string, let currency = row["currency"]?.string.flatMap(Currency.init) else { return nil }
            return Account(id: id, name: row["name"]?.string ?? "", currency: currency)
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/api/v2/accounts/\(percentEncoded(id))/balance"))
        let balance = try needed(amounts.moneyOfMinorUnits(json["clearedBalance"]), "clearedBalance")
        return Balance(balance: balance, available: amounts.moneyOfMinorUnits(json["effectiveBalance"]))
    }

    /// The settled rows, newest first; without a period those of the last seven days.
    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let to = period.to ?? clock.now()
        let from = period.from ?? to + .seconds(-7 * 86_400)
        let query = [
            ("minTransactionTimestamp", from.rfc3339(.milliseconds)), ("maxTransactionTimestamp", to.rfc3339(.milliseconds)),
        ]
        let json = try await caller.json(.get("/api/v2/feed/account/\(percentEncoded(id))/settled-transactions-between", query: query))
        return try Listing(reading: json["feedItems"]?.array, named: "feedItems", item).newestFirst().transactions
    }

    private func item(_ row: JSON) -> Dated<Instant>? {
        guard let id = row["feedItemUid"]?.string, let at = row["transactionTime"]?.string.flatMap(Instant.init(rfc3339:)),
            let unsigned = amounts.moneyOfMinorUnits(row["amount"])
        else { return nil }
        let amount: Money?
        switch row["direction"]?.string {
        case "OUT": amount = unsigned.negated
        case "IN": amount = unsigned
        default: return nil
        }
        guard let amount else { return nil }
        // `reference` is optional in the real API; the counterparty's name replaces a missing one.
        let text = row["reference"]?.string ?? row["counterPartyName"]?.string ?? ""
        return Dated(
            transaction: Transaction(id: id, date: at.day(in: reading.timeZone), description: Markup.plain(text), amount: amount), at: at)
    }
}

/// `PUT …/savings-goals/{to}/add-money/{key}`: the key is the transfer's UUID.
package struct RoundupPayments: PaymentCalls {
    package init() {}

    package func body(for order: PaymentOrder) -> [UInt8] {
        let amount: JSON = ["currency": .string(order.amount.currency.code), "minorUnits": .int(order.amount.minorUnits)]
        return JSON.object(["amount": amount]).bytes
    }

    package func call(for entry: OutboxEntry) -> BankCall {
        let (from, to) = (percentEncoded(entry.order.from), percentEncoded(entry.order.to))
        return .json("PUT", "/api/v2/account/\(from)/savings-goals/\(to)/add-money/\(entry.key)", entry.body, expected: [200])
    }

    package func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        guard try needed(json["success"]?.bool, "`success`") else {
            let reason = json["errors"]?.array?.first?["message"]?.string ?? "the bank responded with success: false"
            throw ClientFailure(.rejected, reason, mayHaveLeft: true)
        }
        return PaymentReceipt(id: json["transferUid"]?.string ?? entry.key, state: .accepted)
    }
}

extension RoundupBank: GoalListing {
    /// The savings goals among the account's spaces, in any state: an unknown state must not lose the list.
    package func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal> {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/api/v2/account/\(percentEncoded(id))/spaces"))
        return try Listing(reading: json["savingsGoals"]?.array, named: "savingsGoals") { row in
            guard let id = row["savingsGoalUid"]?.string, let saved = amounts.moneyOfMinorUnits(row["totalSaved"]) else { return nil }
            return Goal(id: id, name: row["name"]?.string ?? "", saved: saved, target: amounts.moneyOfMinorUnits(row["target"]))
        }
    }
}

extension RoundupBank: RoundUpBank {
    package var timeZone: TimeZone { reading.timeZone }

    /// The settled feed of the account. `INTERNAL_TRANSFER` is a move to or from a space.
    package func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow] {
        let query = [
            ("minTransactionTimestamp", period.from?.rfc3339(.milliseconds)),
            ("maxTransactionTimestamp", period.to?.rfc3339(.milliseconds)),
        ]
        let path = "/api/v2/feed/account/\(percentEncoded(account))/settled-transactions-between"
        let items = try needed(try await caller.json(.get(path, query: query))["feedItems"]?.array, "list `feedItems`")
        var ids: Set<String> = []
        return items.compactMap { item in
            guard let id = item["feedItemUid"]?.string, let at = item["transactionTime"]?.string.flatMap(Instant.init(rfc3339:)),
                let amount = amounts.moneyOfMinorUnits(item["amount"]), amount.minorUnits >= 0, let direction = item["direction"]?.string,
                ids.insert(id).inserted
            else { return nil }
            return RoundUpRow(
                at: at, amount: amount, isOutgoing: direction == "OUT", isSettled: (item["status"]?.string ?? "SETTLED") == "SETTLED",
                isInternal: item["source"]?.string == "INTERNAL_TRANSFER",
                description: Markup.plain(item["reference"]?.string ?? item["counterPartyName"]?.string ?? ""))
        }
    }

    /// Goals that are archived, or are being archived, accept no money.
    package func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String] {
        let json = try await caller.json(.get("/api/v2/account/\(percentEncoded(account))/spaces"))
        let goals = try needed(json["savingsGoals"]?.array, "list `savingsGoals`")
        return goals.compactMap { (goal: JSON) in
            (goal["state"]?.string ?? "ACTIVE") == "ACTIVE" ? goal["savingsGoalUid"]?.string : nil
        }
    }
}
