/// The closed list of responses that every dialect defines for rejected requests.
package enum DialectResponseName: String, Sendable, CaseIterable {
    case noCredentials = "no-credentials"
    case tokenRejected = "token-rejected"
    case tokenExpired = "token-expired"
    case scopeRefused = "scope-refused"
    case stepUp = "step-up"
    case consentExpired = "consent-expired"
    case notFound = "not-found"
    case badRequest = "bad-request"
    case keyMissing = "key-missing"
    case keyMismatch = "key-mismatch"
    case keyInFlight = "key-in-flight"
    case rateLimited = "rate-limited"
    case maintenance
    case internalError = "internal-error"
    case insufficientFunds = "insufficient-funds"
    case cursorExpired = "cursor-expired"

    /// The usual status of the response among banks.
    package var usualStatus: Int {
        switch self {
        case .noCredentials, .tokenRejected, .tokenExpired: 401
        case .scopeRefused, .stepUp, .consentExpired: 403
        case .notFound: 404
        case .badRequest, .keyMissing, .cursorExpired: 400
        case .keyMismatch, .insufficientFunds: 422
        case .keyInFlight: 409
        case .rateLimited: 429
        case .maintenance: 503
        case .internalError: 500
        }
    }
}
