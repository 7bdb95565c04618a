import BankCore
import BankModel
import Synchronization

/// Replies to reads, rendered once per state: the hot path does no JSON work.
struct ReplyCache {
    /// The target as sent, the caller, and the coding that the request accepts.
    struct Key: Hashable {
        let target: String
        let customer: String
        var coding: ContentCoding?
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
        /// Its size.
        let bytes: Int

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
            bytes = whole.bytes + (unmodified === whole ? 0 : unmodified.bytes)
        }

        /// The reply for a request with that value of `If-None-Match`, or without it.
        func form(_ condition: String?) -> Form {
            guard let condition, let tag, tag.isKnown(by: condition) else { return whole }
            return unmodified
        }
    }

    /// A reply as bytes, coded or not: everything but `Date` and the request's id.
    final class Form: Sendable {
        let status: Int
        let head: [UInt8]
        let body: [UInt8]
        /// Headers and the beginning of the body as the journal stores them: redacted.
        let headers: HeaderList
        let kept: [UInt8]
        /// Its size.
        let bytes: Int
        /// Whether a journal record has counted headers and body, which the next ones share.
        private let isCounted = Atomic(false)

        init(_ reply: Reply, _ coding: ContentCoding?, _ redaction: Redaction, _ renderer: any ReplyRenderer) {
            status = reply.status
            let hasBody = reply.status != 304
            let sent = coding.map { reply.headers.announcing($0, hasBody: hasBody) } ?? reply.headers
            body = hasBody ? coding?.coded(reply.body) ?? reply.body : reply.body
            head = renderer.beginning(status: reply.status, headers: sent, bodyBytes: body.count)
            headers = HeaderList(sent.map(redaction.header))
            kept = redaction.body(reply.body.kept, of: .reply)
            // An unchanged body shares its bytes.
            bytes = head.count + body.count + headers.cost + (kept == body ? 0 : kept.count)
        }

        /// The size of headers and body in the journal's budget for the first record, 0 for the others.
        var costOfNextRecord: Int {
            if isCounted.load(ordering: .relaxed) { return 0 }
            isCounted.store(true, ordering: .relaxed)
            return headers.cost + kept.count
        }
    }

    private var replies: [Key: Rendered] = [:]
    private(set) var bytes = 0

    private static let largestCount = 2048
    private static let largestBytes = 8 << 20

    func reply(_ key: Key, revision: Int) -> Rendered? {
        guard let reply = replies[key], reply.revision == revision else { return nil }
        return reply
    }

    /// Stores a reply in place of an earlier one; empties a full cache first.
    mutating func keep(_ reply: Rendered, under key: Key) {
        if let old = replies.removeValue(forKey: key) { bytes -= ReplyCache.size(old, key) }
        let size = ReplyCache.size(reply, key)
        guard size < ReplyCache.largestBytes / 4 else { return }
        if replies.count >= ReplyCache.largestCount || bytes + size > ReplyCache.largestBytes { removeAll() }
        replies[key] = reply
        bytes += size
    }

    private static func size(_ reply: Rendered, _ key: Key) -> Int { reply.bytes + key.target.utf8.count + key.customer.utf8.count + 256 }

    mutating func removeAll() {
        replies.removeAll()
        bytes = 0
    }
}
