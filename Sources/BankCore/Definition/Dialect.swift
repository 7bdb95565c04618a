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

    package init(
        name: String, about: String, headers: [HeaderTemplate], requestID: String?, contentType: String,
        replies: [DialectReplyName: ReplyTemplate], idempotency: IdempotencyPolicy?
    ) {
        (self.name, self.about, self.headers, self.requestID) = (name, about, headers, requestID)
        (self.contentType, self.replies, self.idempotency) = (contentType, replies, idempotency)
    }
}

/// What a family of banks promises about keyed writes.
package struct IdempotencyPolicy: Sendable {
    /// Where the key is, for operations that say `key: dialect`.
    package var key: ValueSource
    package var required: Bool
    /// Whether the key may stand in double quotes (a Structured Field string).
    package var quoted: Quoting
    /// In characters, quotes not counted.
    package var longest: Int
    /// The key must be a UUID.
    package var isUUID: Bool
    /// How long a key is remembered, by the session's clock; nil: for ever.
    package var window: Duration?
    package var stored: Stored
    /// Sent with a replay.
    package var marker: JournalEntry.Header?

    package init(
        key: ValueSource, required: Bool, quoted: Quoting, longest: Int, isUUID: Bool, window: Duration?, stored: Stored,
        marker: JournalEntry.Header?
    ) {
        (self.key, self.required, self.quoted, self.longest) = (key, required, quoted, longest)
        (self.isUUID, self.window, self.stored, self.marker) = (isUUID, window, stored, marker)
    }

    package enum Quoting: String, Sendable, CaseIterable {
        case either, no
    }

    /// Which results a key remembers.
    package enum Stored: String, Sendable, CaseIterable {
        /// Every result of an execution, refusals too.
        case executed
        case success
    }
}
