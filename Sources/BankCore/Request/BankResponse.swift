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
        let type = headers.value(of: "content-type")?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.hasPrefix("text/") || ["json", "xml", "javascript"].contains { type.hasSuffix($0) }
    }

    /// The response for a client that has the body: 304 and the caching headers (RFC 9110 §15.4.5). Nil for a response without an
    /// entity tag, and for all but a 200.
    package var unmodified: BankResponse? {
        guard status == 200, tag != nil else { return nil }
        var response = self
        (response.status, response.body) = (304, [])
        response.headers.removeAll { $0.name.isHeaderName("content-type") }
        return response
    }

    /// The response to that request: the whole one, or 304.
    package func conditional(on request: BankRequest) -> BankResponse {
        guard let tag, let condition = request.headers.condition, tag.isKnown(by: condition) else { return self }
        return unmodified ?? self
    }
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
}

extension RequestRejection {
    init(_ name: DialectResponseName, _ detail: String? = nil) { self.init(name: name, detail: detail) }

    /// The dialect's `bad-request`, unless the operation has its own response for the situation.
    static func badRequest(_ detail: String, _ situation: Operation.RejectionReason? = nil) -> RequestRejection {
        RequestRejection(name: .badRequest, situation: situation, detail: detail)
    }
}

/// Identifies a body (RFC 9110 §8.8.3): equal bodies have equal tags.
package struct EntityTag: Sendable, Hashable {
    /// The value of the header `ETag`, in quotes.
    package let text: String

    /// The tag of a body; it is read to its end once.
    package init(of body: [UInt8]) { text = "\"\(String(FNV1a.hash(body), radix: 36))\"" }

    /// Whether `If-None-Match` means that the client has the body (RFC 9110 §13.1.2): `*`, or a list that contains the tag,
    /// weak or not.
    package func isKnown(by condition: String) -> Bool { isNamed(in: condition, evenIfWeak: true) }

    /// Whether `If-Match` means that the client knows the body (RFC 9110 §13.1.1): `*`, or a list that contains the tag. A weak
    /// tag does not count.
    package func isMatched(by condition: String) -> Bool { isNamed(in: condition, evenIfWeak: false) }

    private func isNamed(in condition: String, evenIfWeak: Bool) -> Bool {
        var rest = Substring(condition).drop { $0 == " " || $0 == "\t" }
        if rest.first == "*" { return rest.dropFirst().allSatisfy { $0 == " " || $0 == "\t" } }
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return false }
            if rest[...end] == text, evenIfWeak || !isWeak { return true }
            rest = rest[rest.index(after: end)...]
        }
    }
}

extension [JournalEntry.Header] {
    /// The value of `If-None-Match`, its lines combined (RFC 9110 §5.3); nil if there is none.
    package var condition: String? { combined("if-none-match") }

    /// The value of `If-Match`, its lines combined; nil if there is none.
    var precondition: String? { combined("if-match") }

    private func combined(_ name: String) -> String? {
        let lines = filter { $0.name.isHeaderName(name) }
        return lines.isEmpty ? nil : lines.map(\.value).joined(separator: ", ")
    }
}
