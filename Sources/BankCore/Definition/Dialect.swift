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
    /// The treatment of an amount with more digits than its currency has.
    package var moreDigits: MoreDigits

    package init(
        name: String, about: String, headers: [HeaderTemplate], requestID: String?, contentType: String,
        replies: [DialectReplyName: ReplyTemplate], idempotency: IdempotencyPolicy?,
        magic: MagicValues = MagicValues(), moreDigits: MoreDigits = .refused
    ) {
        self.name = name
        self.about = about
        self.headers = headers
        self.requestID = requestID
        self.contentType = contentType
        self.replies = replies
        self.idempotency = idempotency
        self.magic = magic
        self.moreDigits = moreDigits
    }

    /// The treatment of a request's amount that has more digits after the point than its currency (ISO 4217), such as
    /// `1.000` GBP or `1.00` JPY.
    package enum MoreDigits: String, Sendable, CaseIterable {
        /// It is no amount, even if the digits that are too many are noughts.
        case refused
        /// Noughts more change nothing; any other digit is refused.
        case zeros
    }
}
