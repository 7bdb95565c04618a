import BankModel
import Crypto

/// Where a bank's page, token call and keys are (OpenID Connect Discovery 1.0 §3, RFC 8414 §2).
package struct BankAddresses: Sendable, Hashable, Codable {
    package var issuer: String
    /// The page's address, for the browser.
    package var page: String
    /// The paths of the calls, at the bank's address.
    package var tokenPath: String
    /// nil if the bank has none: it gives no ID tokens.
    package var keysPath: String?
    /// Whether each answer names its issuer (RFC 9207 §3).
    package var namesIssuer: Bool

    /// Asks the bank for them, at each sign-in: they may change.
    ///
    /// - Throws: ``ClientFailure`` `decode` if the bank names another issuer, or a call at another address.
    static func discovered(by caller: BankCaller) async throws(ClientFailure) -> BankAddresses {
        let json = try await caller.json(.get("/.well-known/openid-configuration", authorised: false))
        let issuer = try needed(json["issuer"]?.string, "issuer")
        guard issuer == caller.baseURL else {
            throw ClientFailure(.decode, "the bank at \(caller.baseURL) names another issuer", mayHaveLeft: true)
        }
        let page = try needed(json["authorization_endpoint"]?.string, "authorization_endpoint")
        guard Origin(page) != nil else { throw ClientFailure(.decode, "the sign-in page has no http or https address", mayHaveLeft: true) }
        return BankAddresses(
            issuer: issuer, page: page, tokenPath: try path(json["token_endpoint"], issuer),
            keysPath: try json["jwks_uri"] == nil ? nil : path(json["jwks_uri"], issuer),
            namesIssuer: json["authorization_response_iss_parameter_supported"]?.bool ?? false)
    }

    private static func path(_ address: JSON?, _ issuer: String) throws(ClientFailure) -> String {
        guard let address = address?.string, address.hasPrefix(issuer + "/") else {
            throw ClientFailure(.decode, "found no address at the bank for one of its calls", mayHaveLeft: true)
        }
        return String(address.dropFirst(issuer.count))
    }
}

extension SignInAttempt {
    /// The address of the bank's page for this attempt (RFC 6749 §4.1.1, RFC 7636 §4.3). It has the verifier's digest, never the verifier.
    package var pageAddress: String {
        let challenge = Base64.url(Array(SHA256.hash(data: Array(verifier.utf8))))
        let fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", app.id), ("redirect_uri", app.redirect), ("scope", app.scopes.joined(separator: " ")),
            ("state", state), ("nonce", nonce), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        let all = fields + parameters.map { (name: $0.name, value: $0.value) }
        return bank.page + (bank.page.contains("?") ? "&" : "?") + formEncoded(all)
    }
}
