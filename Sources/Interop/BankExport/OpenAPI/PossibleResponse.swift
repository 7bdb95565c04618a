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
