package import BankModel
import DriverProtocol

/// A consent that the customer has given to an app.
package struct GivenConsent: Sendable, Hashable {
    package var id: String
    package var state: State
    /// The ids of the accounts that it covers.
    package var accounts: [String]
    /// When it ends; nil if it has no end.
    package var expires: Instant?

    /// What has become of it.
    package enum State: String, Sendable, CaseIterable {
        case awaiting, authorised, rejected, revoked, expired
    }
}

/// A bank that lists the customer's consents, and ends them.
package protocol ConsentListing: BankAdapter {
    func consents(_ caller: BankCaller) async throws(ClientFailure) -> Listing<GivenConsent>
    func revokeConsent(_ caller: BankCaller, id: String) async throws(ClientFailure)
}

extension BankClient {
    /// The customer's consents as the bank has them now. They are never shown from a cache: one that was revoked would look valid.
    ///
    /// - Throws: ``ClientFailure`` `consentExpired` if the consent of this sign-in has ended: the customer signs in again.
    package func consents() async throws(ClientFailure) -> Listing<GivenConsent> {
        guard let bank = parts.adapter as? any ConsentListing else { throw notOffered(.consents) }
        return try await bank.consents(parts.caller)
    }

    /// Ends a consent at the bank.
    package func revokeConsent(_ id: String) async throws(ClientFailure) {
        guard let bank = parts.adapter as? any ConsentListing else { throw notOffered(.consentRevoke) }
        try await bank.revokeConsent(parts.caller, id: id)
    }
}

extension CounterfoilBank: ConsentListing {
    package func consents(_ caller: BankCaller) async throws(ClientFailure) -> Listing<GivenConsent> {
        let json = try await caller.json(.get("/v1/consents"))
        return try Listing(reading: json["consents"]?.array, named: "consents") { row in
            guard let id = row["id"]?.string, let state = row["state"]?.string.flatMap(GivenConsent.State.init),
                let accounts = row["accounts"]?.array?.compactMap(\.string)
            else { return nil }
            return GivenConsent(
                id: id, state: state, accounts: accounts, expires: row["expires_at"]?.string.flatMap(Instant.init(rfc3339:)))
        }
    }

    package func revokeConsent(_ caller: BankCaller, id: String) async throws(ClientFailure) {
        let call = BankCall("DELETE", "/v1/consents/\(percentEncoded(id))", headers: ["Accept": "application/json"], expected: [204])
        try await caller.read(call) { _ in }
    }
}
