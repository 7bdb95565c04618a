import BankCore
import BankModel
import Synchronization

/// Replies to reads, rendered once per state: the hot path does no JSON work.
struct ReplyCache {
    /// The target as sent, and the caller.
    struct Key: Hashable {
        let target: String
        let customer: String
    }

    /// A reply, rendered for one state.
    final class Rendered: Sendable {
        let revision: Int
        let operation: OperationFacts
        /// Its place among the bank's operations.
        let operationIndex: Int
        let access: Operation.Access
        /// Nil if `If-None-Match` changes nothing.
        let tag: EntityTag?
        let whole: Form
        /// The reply for a client that already has the body with that tag.
        let unmodified: Form

        init(
            revision: Int, operation: OperationFacts, operationIndex: Int, access: Operation.Access, tag: EntityTag?, whole: Form,
            unmodified: Form
        ) {
            self.revision = revision
            self.operation = operation
            self.operationIndex = operationIndex
            self.access = access
            self.tag = tag
            self.whole = whole
            self.unmodified = unmodified
        }

        /// The reply for a request with that value of `If-None-Match`, or without it.
        func form(_ condition: String?) -> Form {
            guard let condition, let tag, tag.isKnown(by: condition) else { return whole }
            return unmodified
        }
    }

    /// A reply as bytes: everything but `Date` and the request's id.
    final class Form: Sendable {
        let status: Int
        let head: [UInt8]
        let body: [UInt8]
        /// Headers and the beginning of the body as the journal stores them: redacted.
        let headers: HeaderList
        let kept: [UInt8]
        /// Whether a journal record has counted headers and body, which the next ones share.
        private let isCounted = Atomic(false)

        init(_ reply: Reply, _ redaction: Redaction, _ renderer: any ReplyRenderer) {
            status = reply.status
            head = renderer.beginning(status: reply.status, headers: reply.headers, bodyBytes: reply.body.count)
            body = reply.body
            headers = HeaderList(reply.headers.map(redaction.header))
            kept = redaction.body(reply.body.kept, of: .reply)
        }

        /// The size of headers and body in the journal's budget for the first record, 0 for the others.
        var costOfNextRecord: Int {
            if isCounted.load(ordering: .relaxed) { return 0 }
            isCounted.store(true, ordering: .relaxed)
            return headers.cost + kept.count
        }
    }

    private var replies: [Key: Rendered] = [:]
    private var bytes = 0

    private static let largestCount = 2048
    private static let largestBytes = 8 << 20

    func reply(_ key: Key, revision: Int) -> Rendered? {
        guard let reply = replies[key], reply.revision == revision else { return nil }
        return reply
    }

    /// Stores a reply; empties a full cache first.
    mutating func keep(_ reply: Rendered, under key: Key) {
        let size = reply.whole.body.count + reply.whole.head.count + key.target.utf8.count + 256
        guard size < ReplyCache.largestBytes / 4 else { return }
        if replies.count >= ReplyCache.largestCount || bytes + size > ReplyCache.largestBytes { removeAll() }
        replies[key] = reply
        bytes += size
    }

    mutating func removeAll() {
        replies.removeAll()
        bytes = 0
    }
}
