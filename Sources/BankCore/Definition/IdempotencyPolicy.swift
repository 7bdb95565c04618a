package import BankModel

/// What a family of banks promises about keyed writes.
package struct IdempotencyPolicy: Sendable {
    /// Where the key is, for operations that say `key: dialect`.
    package var key: ValueSource
    package var required: Bool
    /// How the key is written.
    package var quoted: Quoting
    /// In characters (Unicode scalars), quotes not counted.
    package var longest: Int
    /// The key must be a UUID.
    package var isUUID: Bool
    /// Where a key is one key: used elsewhere it is another.
    package var scope: KeyScope
    /// What a repeat must have in common with the first request.
    package var fingerprint: Fingerprint
    /// How long a key is remembered from the execution of its first request, by the session's clock; nil: for ever.
    package var window: Duration?
    package var stored: Stored
    package var replay: Replay
    /// Sent with a replay.
    package var marker: JournalEntry.Header?

    package init(
        key: ValueSource, required: Bool, quoted: Quoting, longest: Int, isUUID: Bool, scope: KeyScope = .operation,
        fingerprint: Fingerprint = .whole, window: Duration?, stored: Stored, replay: Replay = .stored, marker: JournalEntry.Header?
    ) {
        (self.key, self.required, self.quoted, self.longest) = (key, required, quoted, longest)
        (self.isUUID, self.scope, self.fingerprint, self.window) = (isUUID, scope, fingerprint, window)
        (self.stored, self.replay, self.marker) = (stored, replay, marker)
    }

    package enum Quoting: String, Sendable, CaseIterable {
        /// Bare, or a Structured Field string; compared without the quotes.
        case either
        /// Bare only.
        case no
        /// A Structured Field string only (RFC 8941 §3.3.3).
        case required
    }

    package enum KeyScope: String, Sendable, CaseIterable {
        /// A customer may use one key once per operation.
        case operation
        /// A customer may use one key once: on another operation it is a mismatch.
        case customer
    }

    package enum Fingerprint: Sendable, Hashable {
        /// Method, path, query and the body: JSON by value, all else by its bytes.
        case whole
        /// Method, path, query and the body's bytes, JSON too.
        case bytes
        /// Method, path and the values at these dotted paths of the body.
        case fields([String])
    }

    package enum Replay: String, Sendable, CaseIterable {
        /// The reply to the first request, byte for byte.
        case stored
        /// The reply made anew of the row that the first request added, as it is now; the status is the first's.
        case current
    }

    /// Which results of an execution a key remembers; what is refused before it is never remembered.
    package enum Stored: Sendable, Hashable {
        /// Every result of an execution, refusals too.
        case executed
        case success
        /// Results with one of these statuses.
        case only([StatusPattern])
        /// Results with none of these statuses.
        case not([StatusPattern])
    }
}

/// Statuses of replies: `402`, `5xx`, `501-599`.
package struct StatusPattern: Sendable, Hashable {
    package let statuses: ClosedRange<Int>

    /// Reads a status, a class or a range; nil for any other text and for statuses outside 100 to 599.
    package init?(_ text: String) {
        if text.utf8.count == 3, text.hasSuffix("xx"), let hundreds = Int(text.prefix(1)) {
            statuses = hundreds * 100...hundreds * 100 + 99
        } else {
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { $0.utf8.count == 3 ? Int($0) : nil }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else { return nil }
            statuses = first...last
        }
        guard statuses.lowerBound >= 100, statuses.upperBound <= 599 else { return nil }
    }
}

extension IdempotencyPolicy {
    /// Whether a key remembers the result of an execution.
    func keeps(_ reply: Reply) -> Bool {
        if let name = reply.name, name.precedesExecution { return false }
        return switch stored {
        case .executed: true
        case .success: reply.committed
        case .only(let patterns): patterns.contains { $0.statuses.contains(reply.status) }
        case .not(let patterns): !patterns.contains { $0.statuses.contains(reply.status) }
        }
    }
}

extension DialectReplyName {
    /// Whether a bank says this before it looks at the key, wherever it was decided to say it (Stripe: 401 and 429 are not stored).
    var precedesExecution: Bool {
        switch self {
        case .noCredentials, .tokenRejected, .tokenExpired, .scopeRefused, .stepUp, .consentExpired, .rateLimited, .maintenance: true
        case .keyMissing, .keyMismatch, .keyInFlight: true
        case .notFound, .badRequest, .internalError, .insufficientFunds, .cursorExpired: false
        }
    }
}
