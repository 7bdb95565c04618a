import BankModel

extension CounterfoilBank: GoalListing, ImageServing {
    package func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal> {
        let id = try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) }
        let json = try await caller.json(.get("/v1/accounts/\(Percent.encode(id))/goals"))
        return try Listing(reading: json["goals"]?.array, named: "goals") { row in
            guard let id = row["id"]?.string, let name = row["name"]?.string, let saved = amounts.moneyOfText(row["saved"]) else {
                return nil
            }
            return Goal(id: id, name: name, saved: saved, target: amounts.moneyOfText(row["target"]))
        }
    }
}
