import BankModel
package import Foundation

extension RoundupBank: RoundUpBank {
    package var timeZone: TimeZone { reading.timeZone }

    /// The settled feed of the account. `INTERNAL_TRANSFER` is a move to or from a space.
    package func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow] {
        let query = [
            ("minTransactionTimestamp", period.from?.rfc3339(.milliseconds)),
            ("maxTransactionTimestamp", period.to?.rfc3339(.milliseconds)),
        ]
        let path = "/api/v2/feed/account/\(Percent.encode(account))/settled-transactions-between"
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
        let json = try await caller.json(.get("/api/v2/account/\(Percent.encode(account))/spaces"))
        let goals = try needed(json["savingsGoals"]?.array, "list `savingsGoals`")
        return goals.compactMap { (goal: JSON) in
            (goal["state"]?.string ?? "ACTIVE") == "ACTIVE" ? goal["savingsGoalUid"]?.string : nil
        }
    }
}
