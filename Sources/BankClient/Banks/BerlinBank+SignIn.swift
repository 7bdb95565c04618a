import BankModel

extension BerlinBank: ConsentSigningBank {
    /// The stub's registered app.
    package var redirect: String { "counterfoil-app:/callback" }

    /// The longest life of a consent, in seconds: 90 days.
    private static let lifetime = 90 * 86_400

    /// Asks to read all of the customer's accounts.
    package func askForConsent(_ caller: BankCaller) async throws(ClientFailure) -> OpenedConsent {
        let lastDay = (caller.clock.now() + .seconds(BerlinBank.lifetime)).date
        let access: JSON = ["accounts": [], "balances": [], "transactions": []]
        let body: JSON = [
            "access": access, "recurringIndicator": true, "validUntil": .string(lastDay.description), "frequencyPerDay": 4,
            "combinedServiceIndicator": false,
        ]
        return try await opened(body, at: "/v1/consents", "consentId", caller)
    }

    /// What the app has posted, and the page on which the customer decides about it.
    func opened(
        _ body: JSON, at path: String, _ idName: String, _ caller: BankCaller
    ) async throws(ClientFailure) -> OpenedConsent {
        let json = try await caller.posted(body, to: path, headers: ["TPP-Redirect-URI": redirect])
        let id = try needed(json[idName]?.string, "`\(idName)`")
        let page = try needed(json.at("_links.scaRedirect.href")?.string, "`scaRedirect`")
        guard Origin(page) != nil else { throw ClientFailure(.decode, "the page has no http or https address", mayHaveLeft: true) }
        return OpenedConsent(id: id, page: page)
    }

    package func consentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> GivenConsent.State {
        try BerlinBank.state(try await caller.json(.get("\(BerlinBank.path(ofConsent: id))/status", authorised: false)))
    }

    private static func path(ofConsent id: String) -> String { "/v1/consents/\(percentEncoded(id))" }

    private static func state(_ json: JSON) throws(ClientFailure) -> GivenConsent.State {
        switch try needed(json["consentStatus"]?.string, "`consentStatus`") {
        case "received", "partiallyAuthorised": return .awaiting
        case "valid": return .authorised
        case "rejected": return .rejected
        case "revokedByPsu", "terminatedByTpp": return .revoked
        case "expired": return .expired
        default: throw ClientFailure(.decode, "found no known state of the consent", mayHaveLeft: true)
        }
    }
}

extension BerlinBank: ConsentListing {
    /// The bank lists no consents: the app shows the one with whose id it reads.
    package func consents(_ caller: BankCaller) async throws(ClientFailure) -> Listing<GivenConsent> {
        guard let token = try await caller.keeper.current() else {
            throw ClientFailure(.unauthorized, "nobody is signed in", mayHaveLeft: false)
        }
        let json = try await caller.json(.get(BerlinBank.path(ofConsent: token.access), authorised: false))
        let state = try BerlinBank.state(json)
        // A consent that asks for all accounts names none.
        var covered: [String] = []
        if state == .authorised { covered = try await accounts(caller).rows.map(\.id) }
        // It is valid to the end of its last day.
        let lastDay = json["validUntil"]?.string.flatMap(CivilDate.init(_:))
        let end = lastDay.map { Instant($0, nanosecondsOfDay: Instant.nanosecondsPerDay - 1) }
        return Listing([GivenConsent(id: token.access, state: state, accounts: covered, expires: end)])
    }

    package func revokeConsent(_ caller: BankCaller, id: String) async throws(ClientFailure) {
        let call = BankCall(
            "DELETE", BerlinBank.path(ofConsent: id), headers: ["Accept": "application/json"], authorised: false, expected: [204])
        try await caller.read(call) { _ in }
    }
}
