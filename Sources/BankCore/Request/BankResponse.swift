package import BankModel

/// The core's response. The wire adds `Date` and the request's id.
package struct BankResponse: Sendable, Hashable {
    package var status: Int
    package var headers: [JournalEntry.Header]
    package var body: [UInt8]
    /// The name of the dialect's response, if it is one.
    package var name: DialectResponseName?
    /// Whether the operation's effect is in the session's state.
    package var committed = false
    /// Whether the response was stored under the key before.
    package var replayed = false
    /// The body's tag, if a read may be answered with 304; the header `ETag` contains it too.
    package var tag: EntityTag?
    /// The events that follow; nil for a response that ends with its body.
    package var stream: RequestedStream?

    package init(status: Int, headers: [JournalEntry.Header] = [], body: [UInt8] = [], name: DialectResponseName? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.name = name
    }

    /// Sets a header, replacing one of the same name.
    package mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.isHeaderName(name) }
        headers.append(JournalEntry.Header(name, value))
    }

    /// Sets headers, replacing all of their names; of one name there may be several.
    package mutating func setHeaders(_ new: [JournalEntry.Header]) {
        headers.removeAll { old in new.contains { $0.name.isHeaderName(old.name) } }
        headers += new
    }

    /// True for 2xx.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// A rejection during the execution: the dialect's response for it, and the reason.
struct RequestRejection: Error {
    var name: DialectResponseName
    /// The situation, for which the operation may have its own response.
    var situation: Operation.RejectionReason?
    /// A sentence for the caller; no secrets.
    var detail: String?
    /// The scope that the token lacks.
    var scope: String?
    /// What is wrong with the proof of the token's sender, if that is the reason.
    var sender: Sender?
    /// The state of the token's consent, if that is the reason.
    var consent: ConsentState?
    /// The token family that this rejection revokes: a refresh token was used twice.
    var revokedFamily: Int?
    /// The seconds after which the caller may try again; nil for the dialect's own header, if it has one.
    var retryAfter: Int64?
    /// The challenge that the response is about; it is stored as it is here.
    var challenge: Challenge?

    init(
        _ name: DialectResponseName, _ detail: String? = nil, situation: Operation.RejectionReason? = nil, scope: String? = nil,
        sender: Sender? = nil, revokedFamily: Int? = nil, retryAfter: Int64? = nil, consent: ConsentState? = nil,
        challenge: Challenge? = nil
    ) {
        self.scope = scope
        self.sender = sender
        self.name = name
        self.detail = detail
        self.situation = situation
        self.revokedFamily = revokedFamily
        self.consent = consent
        self.retryAfter = retryAfter
        self.challenge = challenge
    }
}

extension BankResponse {
    /// Bodies below this size are sent as they are: coded they would be larger (nginx has the same limit, `gzip_min_length`).
    private static let leastCoded = 20

    /// The response of a bank with these codings: one whose body may be coded has `Vary: Accept-Encoding` (RFC 9110 §12.5.5), whatever
    /// the request accepts.
    package func varied(by codings: [ContentCoding]) -> BankResponse {
        guard !codings.isEmpty, isCodable, !headers.varyByCoding else { return self }
        var response = self
        response.headers.append(JournalEntry.Header("Vary", "Accept-Encoding"))
        return response
    }

    /// The coding in which a response that varies is sent; nil if it is sent as it is.
    package func coding(among codings: [ContentCoding], for accepted: AcceptedCodings) -> ContentCoding? {
        guard headers.varyByCoding, status == 304 || isCodable else { return nil }
        return accepted.choice(among: codings)
    }

    /// Whether the body is text that no coding has been applied to; images are compressed already.
    private var isCodable: Bool {
        guard body.count >= BankResponse.leastCoded, !headers.contains(where: { $0.name.isHeaderName("content-encoding") }) else {
            return false
        }
        let type = headers.first { $0.name.isHeaderName("content-type") }?.value.prefix { $0 != ";" }.lowercased() ?? ""
        return type.hasPrefix("text/") || ["json", "xml", "javascript"].contains { type.hasSuffix($0) }
    }
}
