import BankModel

extension RoundupBank: GoalListing {
    /// The savings goals among the account's spaces, in any state: an unknown state must not lose the list.
    package func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal> {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/api/v2/account/\(Percent.encode(id))/spaces"))
        return try Listing(reading: json["savingsGoals"]?.array, named: "savingsGoals") { row in
            guard let id = row["savingsGoalUid"]?.string, let saved = amounts.moneyOfMinorUnits(row["totalSaved"]) else { return nil }
            return Goal(id: id, name: row["name"]?.string ?? "", saved: saved, target: amounts.moneyOfMinorUnits(row["target"]))
        }
    }
}
