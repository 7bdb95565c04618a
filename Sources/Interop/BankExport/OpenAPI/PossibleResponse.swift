import BankCore
import BankModel

/// One response that an operation may get, from the bank or from the wire before it.
struct PossibleResponse {
    var status: Int
    /// In one sentence, when that is.
    var about: String
    /// Nil: sent without a type.
    var contentType: String?
    /// Nil: no body, or one that is not JSON.
    var shape: SchemaShape?
    var example: JSON?
    var headers: [Header] = []

    /// A header of the response.
    struct Header: Hashable {
        var name: String
        var isRequired = true
        /// The only value it has; nil if that varies.
        var value: String?
    }

    /// Rejections of the wire, before any bank receives the request: problem details (RFC 9457).
    static let ofTheWire: [PossibleResponse] = [
        (400, "The bytes are not an HTTP/1.1 request."),
        (408, "The rest of the request did not arrive in time."),
        (413, "The body is larger than 1 MiB."),
        (417, "`Expect` has a value other than `100-continue`."),
        (431, "The head is larger than 32 KiB, or has more than 200 headers."),
        (505, "The HTTP version is neither 1.1 nor 2."),
    ].map { status, about in
        var members: [SchemaShape.Member] = ["type", "title", "detail"].map { SchemaShape.Member(name: $0, shape: .text, isRequired: true) }
        members.append(SchemaShape.Member(name: "status", shape: SchemaShape(kinds: [.integer], constant: .int(status)), isRequired: true))
        return PossibleResponse(status: status, about: about, contentType: "application/problem+json", shape: .object(members))
    }
}

extension DialectResponseName {
    /// When a bank sends it.
    var about: String {
        switch self {
        case .noCredentials: "The request has no access token."
        case .tokenRejected: "The access token is unknown or revoked."
        case .tokenExpired: "The access token expired."
        case .scopeRefused: "The access token lacks the scope."
        case .stepUp: "Step-up authentication is required; the token remains valid."
        case .consentExpired: "The customer's consent expired."
        case .notFound: "The resource does not exist, or belongs to another customer."
        case .badRequest: "The request is malformed."
        case .keyMissing: "The request has no idempotency key."
        case .keyMismatch: "The idempotency key was used for another request."
        case .keyInFlight: "The first request with this idempotency key is still in progress."
        case .rateLimited: "Too many requests."
        case .maintenance: "The bank is down for maintenance."
        case .internalError: "The bank failed internally."
        case .insufficientFunds: "The account has insufficient funds."
        case .cursorExpired: "The page's cursor has expired."
        }
    }
}

extension Operation.RejectionReason {
    /// When a bank sends it.
    var about: String {
        switch self {
        case .wrongLogin: "User name or password is wrong."
        case .locked: "The customer is locked."
        case .preconditionFailed: "`If-Match` does not have the latest entity tag."
        case .preconditionRequired: "`If-Match` is missing."
        case .notPending: "The payment is no longer pending."
        case .quoteEnded: "The quote has expired, was used, or is for another payment."
        case .accountClosed: "The account is closed."
        case .wrongConsent: "The consent is not the one of the token, not authorised, or for another payment."
        case .challenged: "The customer must confirm the request."
        case .wrongCode: "The code is wrong, and the customer can try again."
        case .challengeEnded: "The challenge is denied, locked or expired."
        case .malformed: "The body is malformed."
        case .invalidGrant: "The refresh token or code is unknown, used, expired or revoked."
        case .invalidScope: "The scope does not exist, or was not granted."
        case .invalidClient: "The client is unknown, or has not authenticated."
        case .unauthorizedClient: "The client may not use the grant."
        }
    }
}
