package import BankModel

/// How a family of banks speaks.
package struct Dialect: Sendable {
    package var name: String
    package var about: String
    /// On every reply, unless an operation or a reply of the list has its own.
    package var headers: [HeaderTemplate]
    /// A header with a fresh id on every reply; a request's own is echoed.
    package var requestID: String?
    /// Of replies with a JSON body.
    package var contentType: String
    /// One for each name of the closed list.
    package var replies: [DialectReplyName: ReplyTemplate]
    /// Nil where the family has no keyed writes.
    package var idempotency: IdempotencyPolicy?
    /// What a tester may type to get a refusal.
    package var magic: MagicValues

    package init(
        name: String, about: String, headers: [HeaderTemplate], requestID: String?, contentType: String,
        replies: [DialectReplyName: ReplyTemplate], idempotency: IdempotencyPolicy?,
        magic: MagicValues = MagicValues()
    ) {
        (self.name, self.about, self.headers, self.requestID) = (name, about, headers, requestID)
        (self.contentType, self.replies, self.idempotency, self.magic) = (contentType, replies, idempotency, magic)
    }
}
