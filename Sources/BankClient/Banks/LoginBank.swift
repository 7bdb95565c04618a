import BankModel

/// Exchanges name and password for a token, which gives access to one profile with the accounts. Tokens can be neither
/// refreshed nor revoked.
package struct LoginBank: BankAdapter, SigningInBank, AccountListing, BalanceReporting {
    package let name = "login"
    package let rules: any ResponseRules = PlainRules()
    package let usesTokens = true
    private let reading: Reading

    package init(_ reading: Reading) { self.reading = reading }

    package func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        let body: JSON = ["username": .string(user), "password": .string(password)]
        let json = try await caller.json(.json("POST", "/login", body.bytes, authorised: false, expected: [200]))
        guard let access = json["accessToken"]?.string, !access.isEmpty, json["tokenType"]?.string?.lowercased() == "bearer" else {
            throw ClientFailure(.decode, "found no bearer token in the response", mayHaveLeft: true)
        }
        return Token(access: access)
    }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(.get("/profile"))
        return try Listing(reading: json["accounts"]?.array, named: "accounts") { row in
            guard let id = row["id"]?.string, let name = row["name"]?.string,
                let currency = row["currency"]?.string.flatMap(Currency.init)
            else { return nil }
            return Account(
                id: id, name: name, currency: currency,
                balance: reading.amounts.moneyOfNumber(row["balance"], currency))
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let accounts = try await accounts(caller).rows
        guard let found = account.map({ id in accounts.first { $0.id == id } }) ?? accounts.first else {
            throw ClientFailure(.notFound, "the profile has no account \(account ?? "at all")", mayHaveLeft: true)
        }
        return Balance(balance: try needed(found.balance, "balance"))
    }
}
