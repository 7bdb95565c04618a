import BankCore
import BankModel

/// One reply that an operation may get, from the bank or from the wire before it.
struct PossibleReply {
    var status: Int
    /// In one sentence, when that is.
    var about: String
    /// Nil: sent without a type.
    var contentType: String?
    /// Nil: no body, or one that is no JSON.
    var shape: Shape?
    var example: JSON?
    var headers: [Header] = []

    /// A header of the reply.
    struct Header: Hashable {
        var name: String
        var isRequired = true
        /// The only value it has; nil if that varies.
        var value: String?
    }
}

extension DialectReplyName {
    /// When a bank says that.
    var about: String {
        switch self {
        case .noCredentials: "The request has no access token."
        case .tokenRejected: "The access token is unknown or revoked."
        case .tokenExpired: "The access token expired."
        case .scopeRefused: "The access token lacks the scope."
        case .stepUp: "The customer must prove anew who they are; the token stays good."
        case .consentExpired: "The customer's consent expired."
        case .notFound: "There is nothing of that name, or it is not this customer's."
        case .badRequest: "The request is not what it must be."
        case .keyMissing: "The request has no idempotency key."
        case .keyMismatch: "The idempotency key came before with another request."
        case .keyInFlight: "The first request with this idempotency key is still under way."
        case .rateLimited: "Too many requests."
        case .maintenance: "The bank is down for maintenance."
        case .internalError: "The bank failed."
        case .insufficientFunds: "The account has too little money."
        case .cursorExpired: "The page's cursor is no longer good."
        }
    }
}

extension Operation.Refusal {
    /// When a bank says that.
    var about: String {
        switch self {
        case .wrongLogin: "User name or password is wrong."
        case .locked: "The customer is locked."
        case .malformed: "The body is not what it must be."
        case .invalidGrant: "The refresh token is unknown, used, expired or revoked."
        case .invalidScope: "There is no such scope, or it was not granted."
        }
    }
}

extension PossibleReply {
    /// What the wire refuses before any bank sees it: problem details (RFC 9457).
    static let ofTheWire: [PossibleReply] = [
        (400, "The bytes are no request of HTTP/1.1."),
        (408, "The rest of the request did not come in time."),
        (413, "The body is over a mebibyte."),
        (417, "`Expect` asks for something else than `100-continue`."),
        (431, "The head is over 32 KiB, or has over 200 headers."),
        (505, "The request is of another version than HTTP/1.1 or HTTP/2."),
    ].map { status, about in
        var members: [Shape.Member] = ["type", "title", "detail"].map { Shape.Member(name: $0, shape: .text, isRequired: true) }
        members.append(Shape.Member(name: "status", shape: Shape(kinds: [.integer], constant: .int(status)), isRequired: true))
        return PossibleReply(status: status, about: about, contentType: "application/problem+json", shape: .object(members))
    }
}
