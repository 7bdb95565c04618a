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
        let json = try await caller.posted(body, to: "/v1/consents", headers: ["TPP-Redirect-URI": redirect])
        let id = try needed(json["consentId"]?.string, "`consentId`")
        let page = try needed(json.at("_links.scaRedirect.href")?.string, "`scaRedirect`")
        guard Origin(page) != nil else { throw ClientFailure(.decode, "the page has no http or https address", mayHaveLeft: true) }
        return OpenedConsent(id: id, page: page)
    }

    package func consentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> GivenConsent.State {
        let json = try await caller.json(.get("/v1/consents/\(Percent.encode(id))/status", authorised: false))
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
