import BankModel
package import Foundation

extension CounterfoilBank: RoundUpBank {
    package var timeZone: TimeZone { reading.timeZone }

    /// The account's transactions, all pages. Fees do not count: only the amount is rounded up.
    package func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow] {
        let path = "/v1/accounts/\(Percent.encode(account))/transactions"
        let (rows, isComplete) = try await reading.pages.read { cursor throws(ClientFailure) in
            let query = [("from", period.from?.rfc3339(.milliseconds)), ("to", period.to?.rfc3339(.milliseconds)), ("cursor", cursor)]
            let json = try await caller.json(.get(path, query: query))
            return ListPage(rows: try needed(json["transactions"]?.array, "list `transactions`"), next: json["next_cursor"]?.string)
        }
        guard isComplete else {
            throw ClientFailure(
                .decode, "found an incomplete list of transactions, expected all of them: a round-up needs the whole list",
                mayHaveLeft: true)
        }
        return rows.compactMap { row in
            guard let at = row["booked_at"]?.string.flatMap(Instant.init(rfc3339:)), let amount = amounts.moneyOfText(row["amount"]),
                amount.minorUnits >= 0, let direction = row["direction"]?.string
            else { return nil }
            return RoundUpRow(
                at: at, amount: amount, isOutgoing: direction == "debit", isSettled: row["status"]?.string == "booked",
                isInternal: row["kind"]?.string == "internal", description: Markup.plain(row["description"]?.string ?? ""))
        }
    }

    package func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String] {
        let json = try await caller.json(.get("/v1/accounts/\(Percent.encode(account))/goals"))
        let goals = try needed(json["goals"]?.array, "list `goals`")
        return goals.compactMap { (goal: JSON) in goal["id"]?.string }
    }
}
