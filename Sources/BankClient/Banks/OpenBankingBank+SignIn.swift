import BankModel

extension OpenBankingBank: PageSigningBank {
    /// The stub's registered app. A real one has its secret on its own server.
    package var app: RegisteredApp {
        RegisteredApp(id: "tpp", redirect: "https://tpp.example/callback", scopes: ["accounts"], secret: "tpp-secret")
    }

    /// The id of a new account-access consent, which the customer authorises on the page. The tokens of the sign-in carry it.
    package func pageParameters(_ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> [PageParameter] {
        let wanted: JSON = ["Permissions": ["ReadAccountsDetail", "ReadBalances", "ReadTransactionsDetail"]]
        let body: JSON = ["Data": wanted, "Risk": [:]]
        let json = try await posted(body, to: "\(OpenBankingBank.accountsPath)/account-access-consents", for: "accounts", caller, bank)
        let id = try needed(json.at("Data.ConsentId")?.string, "`Data.ConsentId`")
        return [OpenBankingBank.parameter(id)]
    }

    /// Names a consent in the page's address. A real bank takes it as a claim of a signed request object.
    static func parameter(_ consent: String) -> PageParameter { PageParameter(name: "openbanking_intent_id", value: consent) }

    /// The response to what the app itself posts. It is sent once: a consent that was asked for twice would be one that nobody ends.
    ///
    /// - Parameter key: the idempotency key, if the call takes one.
    func posted(
        _ body: JSON, to path: String, key: String? = nil, for scope: String, _ caller: BankCaller, _ bank: BankAddresses
    ) async throws(ClientFailure) -> JSON {
        var once = caller
        once.retry = .never
        let authorization = try await ownAuthorization(for: scope, once, bank)
        var headers: HTTPHeaders = ["Authorization": authorization]
        if let key { headers["x-idempotency-key"] = key }
        return try await once.posted(body, to: path, headers: headers)
    }

    /// The header with a token of the app's own (RFC 6749 §4.4): it belongs to no customer, and is not kept.
    func ownAuthorization(for scope: String, _ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> String {
        let fields: [(String, String?)] = [("grant_type", "client_credentials"), ("scope", scope)]
        return "Bearer \(try OpenBankingBank.token(try await caller.json(app.form(bank.tokenPath, fields))).access)"
    }

    /// The bearer token of a response of the token call.
    private static func token(_ json: JSON) throws(ClientFailure) -> Token {
        guard let access = json["access_token"]?.string, !access.isEmpty, json["token_type"]?.string?.lowercased() == "bearer" else {
            throw ClientFailure(.decode, "found no bearer token in the response", mayHaveLeft: true)
        }
        return Token(access: access, refresh: json["refresh_token"]?.string)
    }
}

extension OpenBankingBank: TokenRenewingBank {
    /// RFC 6749 §6. Never retried: the token is valid for one use, and the bank treats a second use as theft.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        var once = caller
        once.retry = .never
        let fields: [(String, String?)] = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        let tokenPath = try await BankAddresses.discovered(by: caller).tokenPath
        return try OpenBankingBank.token(try await once.json(app.form(tokenPath, fields)))
    }
}
