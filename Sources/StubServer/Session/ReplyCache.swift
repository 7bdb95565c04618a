import BankCore
import BankModel
import NIOCore

/// Replies to reads, rendered once per state: the hot path does no JSON work.
struct ReplyCache {
    /// The target as sent and who asks.
    struct Key: Hashable {
        let target: String
        let customer: String
    }

    /// A reply as bytes: everything but `Date` and the request's id.
    final class Rendered: Sendable {
        let revision: Int
        let operation: OperationFacts
        /// Its place among the bank's operations.
        let operationIndex: Int
        let access: Operation.Access
        /// `If-None-Match` may change the reply.
        let isConditional: Bool
        let status: Int
        let head: ByteBuffer
        let body: ByteBuffer
        /// Headers and the body's beginning as journals keep them: without secrets.
        let headers: HeaderList
        let kept: ByteBuffer

        init(
            revision: Int, operation: OperationFacts, operationIndex: Int, access: Operation.Access, isConditional: Bool, status: Int,
            head: ByteBuffer,
            body: ByteBuffer, headers: HeaderList, kept: ByteBuffer
        ) {
            (self.revision, self.operation, self.operationIndex) = (revision, operation, operationIndex)
            (self.access, self.isConditional) = (access, isConditional)
            (self.status, self.head, self.body, self.headers) = (status, head, body, headers)
            self.kept = kept
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

    /// Keeps a reply; a full cache is emptied first.
    mutating func keep(_ reply: Rendered, under key: Key) {
        let size = reply.body.readableBytes + reply.head.readableBytes + key.target.utf8.count + 256
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
