import BankModel
import Foundation

/// A bank that this client was not written for: its calls are known by their roles, and members are read by their usual names.
package protocol RoleBank: AccountListing, BalanceReporting, TransactionListing, PayingBank, PaymentTracking, TokenRevokingBank {
    var calls: OwnCalls { get }
    var reading: Reading { get }
}

/// A user-defined bank, with tokens from elsewhere or none.
package struct OwnBank: RoleBank {
    package let name: String
    package let rules: any ResponseRules = PlainRules()
    package let usesTokens: Bool
    package let calls: OwnCalls
    package let reading: Reading

    package init(_ name: String, _ calls: OwnCalls, usesTokens: Bool, _ reading: Reading) {
        self.name = name
        self.calls = calls
        self.usesTokens = usesTokens
        self.reading = reading
    }

    package func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await end(token, caller) }
}

/// A user-defined bank that has a call to sign in.
package struct OwnLoginBank: RoleBank, SigningInBank {
    package let name: String
    package let rules: any ResponseRules = OwnRules()
    package let usesTokens = true
    package let calls: OwnCalls
    package let reading: Reading

    package init(_ name: String, _ calls: OwnCalls, _ reading: Reading) {
        self.name = name
        self.calls = calls
        self.reading = reading
    }

    /// OAuth's password grant (RFC 6749 §4.3) where the path ends in `token`; else `{"username","password"}`.
    package func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        let address = try calls.address(.login)
        if address.path.hasSuffix("token") {
            return try token(
                try await caller.json(.form(address.path, [("grant_type", "password"), ("username", user), ("password", password)])))
        }
        let body: JSON = ["username": .string(user), "password": .string(password)]
        return try token(try await caller.json(.json(address.method, address.path, body.bytes, authorised: false)))
    }

    /// RFC 6749 §6. Never retried: the bank may treat a second use as theft.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        guard let address = calls[.refresh] else {
            throw ClientFailure(.unauthorized, "the bank \(name) cannot refresh tokens", mayHaveLeft: false)
        }
        return try token(try await caller.once.json(.form(address.path, [("grant_type", "refresh_token"), ("refresh_token", refresh)])))
    }

    package func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await end(token, caller) }

    private func token(_ json: JSON) throws(ClientFailure) -> Token {
        let named = ["access_token", "accessToken", "token"].lazy.compactMap { json[$0]?.string }.first
        let access = try needed(named.flatMap { $0.isEmpty ? nil : $0 }, "token")
        return Token(access: access, refresh: json["refresh_token"]?.string)
    }
}

extension RoleBank {
    package var payments: any PaymentCalls { OwnPayments(address: calls[.pay]) }
    package var keyWindow: Duration? { .seconds(24 * 3600) }

    /// A revocation where the path ends in `revoke`; else a request with the token that it ends.
    fileprivate func end(_ token: Token, _ caller: BankCaller) async throws(ClientFailure) {
        guard let address = calls[.logout], !address.hasParameter else { return }
        if address.path.hasSuffix("revoke") { return try await revoke(caller, token, at: address.path) }
        let body: [UInt8]? = address.method == "POST" ? [] : nil
        let answer = try await caller.exchange(
            BankCall(address.method, address.path, headers: ["Authorization": "Bearer \(token.access)"], body: body, authorised: false))
        if answer.verdict.error != nil { throw caller.failure(answer) }
    }

    package func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        let json = try await caller.json(get(try calls.address(.accounts).path))
        return try Listing(reading: CommonMembers.rows(json), named: "of accounts") { row in
            CommonMembers.account(row).map { Account(id: $0.id, name: $0.name, currency: $0.currency, balance: $0.balance) }
        }
    }

    package func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        let json = try await caller.json(get(try await path(.balance, account, caller)))
        let found = try needed(CommonMembers.balance(json), "balance")
        return Balance(balance: found.balance, available: found.available)
    }

    package func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
    {
        let path = try await path(.transactions, account, caller)
        let (rows, isComplete) = try await reading.pages.read { cursor throws(ClientFailure) in
            let json = try await caller.json(get(path, [("cursor", cursor)]))
            return ListPage(rows: try needed(CommonMembers.rows(json), "list of transactions"), next: CommonMembers.cursor(json))
        }
        var listing = try Listing(reading: rows, named: "of transactions") { OwnRow($0, in: reading.timeZone) }.newestFirst()
        listing.rows.removeAll { !$0.isWithin(period, in: reading.timeZone) }
        listing.isComplete = isComplete
        return listing.transactions
    }

    package func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        let json = try await caller.json(get(try calls.address(.paymentStatus).path(filledWith: id)))
        return try PaymentProgress.State(reading: json["state"] ?? json["status"])
    }

    private func get(_ path: String, _ query: [(String, String?)] = []) -> BankCall { .get(path, query: query, authorised: usesTokens) }

    /// The path of a role's call for an account; nil is the first account.
    private func path(_ role: Role, _ account: String?, _ caller: BankCaller) async throws(ClientFailure) -> String {
        let address = try calls.address(role)
        guard address.hasParameter else { return address.path }
        return address.path(filledWith: try await accountID(account) { () async throws(ClientFailure) in try await accounts(caller) })
    }
}

/// A transaction of a user-defined bank.
private struct OwnRow: DatedRow {
    var transaction: Transaction
    var at: Instant
    private var time: CommonMembers.Time

    init?(_ row: JSON, in zone: TimeZone) {
        guard let found = CommonMembers.transaction(row) else { return nil }
        time = found.time
        let day: CivilDate
        switch found.time {
        case .day(let written):
            day = written
            at = Instant(written)
        case .instant(let instant):
            day = instant.day(in: zone)
            at = instant
        }
        transaction = Transaction(id: found.id, date: day, description: Markup.plain(found.description), amount: found.amount)
    }

    func isWithin(_ period: Period, in zone: TimeZone) -> Bool {
        switch time {
        case .day(let day): Days(period, in: zone).contains(day)
        case .instant(let instant): period.contains(instant)
        }
    }
}

/// The status and `{"code","message"}`; and OAuth's rejection of a sign-in (RFC 6749 §5.2).
private struct OwnRules: ResponseRules {
    func judge(_ response: HTTPResponse) -> ResponseVerdict {
        var verdict = PlainRules().judge(response)
        let body = response.status == 400 ? try? JSON(parsing: response.body) : nil
        if body?["error"]?.string == "invalid_grant" { verdict.error = .unauthorized }
        return verdict
    }
}
