package import BankModel

/// The idempotency rules of a family of banks.
package struct IdempotencyPolicy: Sendable {
    /// The source of the key, for operations with `key: dialect`.
    package var key: ValueSource
    package var required = false
    /// The syntax of the key.
    package var quoted = Quoting.no
    /// The longest key in characters (Unicode scalars), quotes not counted.
    package var longest = 255
    /// The key must be a UUID.
    package var isUUID = false
    /// The scope within which a key is unique.
    package var scope = KeyScope.operation
    /// The parts of a request that a repeat must share with the first request.
    package var fingerprint = Fingerprint.whole
    /// The time for which a key is remembered after the execution of its first request, by the session's clock; nil if for
    /// ever.
    package var window: Duration?
    package var stored = Stored.executed
    package var replay = Replay.stored
    /// A header that marks a replay.
    package var marker: JournalEntry.Header?

    package init(key: ValueSource) { self.key = key }

    package enum Quoting: String, Sendable, CaseIterable {
        /// Without quotes, or a Structured Field string; compared without the quotes.
        case either
        /// Without quotes only.
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
        /// The response to the first request, byte for byte.
        case stored
        /// The response rendered again from the row that the first request added, in its present state; the status is the first
        /// response's.
        case current
    }

    /// The results of an execution that a key remembers; rejections before the execution are never remembered.
    package enum Stored: Sendable, Hashable {
        /// Every result of an execution, rejections too.
        case executed
        case success
        /// Results with one of these statuses.
        case only([StatusPattern])
        /// Results with none of these statuses.
        case not([StatusPattern])
    }

    /// Whether a key remembers the result of an execution.
    func remembers(_ response: BankResponse) -> Bool {
        if let name = response.name, name.precedesExecution { return false }
        return switch stored {
        case .executed: true
        case .success: response.committed
        case .only(let patterns): patterns.contains { $0.statuses.contains(response.status) }
        case .not(let patterns): !patterns.contains { $0.statuses.contains(response.status) }
        }
    }
}

/// Statuses of responses: `402`, `5xx`, `501-599`.
package struct StatusPattern: Sendable, Hashable {
    package let statuses: ClosedRange<Int>

    /// Parses a status, a class or a range; nil for any other text and for statuses outside 100 to 599.
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

extension DialectResponseName {
    /// Whether a bank decides this response before it checks the key (Stripe: 401 and 429 are never stored).
    var precedesExecution: Bool {
        switch self {
        case .noCredentials, .tokenRejected, .tokenExpired, .scopeRefused, .stepUp, .consentExpired, .rateLimited, .maintenance: true
        case .keyMissing, .keyMismatch, .keyInFlight: true
        case .notFound, .badRequest, .internalError, .insufficientFunds, .cursorExpired: false
        }
    }
}
