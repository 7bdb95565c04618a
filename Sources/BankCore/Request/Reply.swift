package import BankModel

/// What the core answers. `Date` and the request's id are the wire's to add.
package struct Reply: Sendable, Hashable {
    package var status: Int
    package var headers: [JournalEntry.Header]
    package var body: [UInt8]
    /// The name of the dialect's reply, if it is one.
    package var name: DialectReplyName?
    /// The operation's effect is in the session's state.
    package var committed = false
    /// The reply was stored under the key before.
    package var replayed = false
    /// Of the body, where a read may be answered with 304 instead; the header `ETag` says it too.
    package var tag: EntityTag?

    package init(status: Int, headers: [JournalEntry.Header] = [], body: [UInt8] = [], name: DialectReplyName? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.name = name
    }

    /// Sets a header, in place of one of the same name.
    package mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.isHeaderName(name) }
        headers.append(JournalEntry.Header(name, value))
    }

    /// True for 2xx.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// A refusal on the way to a reply: which of the dialect's replies it becomes, and why.
struct Refused: Error {
    var name: DialectReplyName
    /// A reply of the operation's own, if it has one for the situation.
    var situation: Operation.Refusal?
    /// A sentence for the caller; no secrets.
    var detail: String?
    /// The scope that the token lacks.
    var scope: String?
    /// The token family that ends with this refusal: a refresh token was used twice.
    var revokedFamily: Int?

    init(
        _ name: DialectReplyName, _ detail: String? = nil, situation: Operation.Refusal? = nil, scope: String? = nil,
        revokedFamily: Int? = nil
    ) {
        self.scope = scope
        self.name = name
        self.detail = detail
        self.situation = situation
        self.revokedFamily = revokedFamily
    }
}
