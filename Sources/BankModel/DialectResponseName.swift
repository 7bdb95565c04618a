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

    /// When it is sent, for descriptions.
    package var about: String {
        switch self {
        case .noCredentials: "the request has no token"
        case .tokenRejected: "the token is malformed, unknown or revoked"
        case .tokenExpired: "the token has expired"
        case .scopeRefused: "the token lacks the scope"
        case .stepUp: "the customer must confirm the request; the token remains valid"
        case .consentExpired: "the consent has expired"
        case .notFound: "the resource does not exist, or belongs to another customer"
        case .badRequest: "the request is not valid"
        case .keyMissing: "the request has no key, but needs one"
        case .keyMismatch: "the key was used for another request"
        case .keyInFlight: "the first request with the key is still in progress"
        case .rateLimited: "too many requests"
        case .maintenance: "the bank is down for maintenance"
        case .internalError: "the bank failed internally"
        case .insufficientFunds: "the account has insufficient funds"
        case .cursorExpired: "the page's cursor has expired"
        }
    }
}
