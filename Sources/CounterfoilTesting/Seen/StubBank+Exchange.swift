import BankModel
import Contracts
public import Foundation

extension StubBank {
    /// One request and what became of it, as the journal keeps it. Secrets are not in it: a token stands as its id wherever
    /// its text was.
    public struct Exchange: Sendable, Hashable, CustomStringConvertible {
        /// Counts the bank's exchanges from 1.
        public let number: Int
        /// When the request's head was read, by the bank's clock.
        public let at: Date
        /// From the head being read to the reply's last byte, in real time; nil while under way.
        public let duration: Duration?
        /// Numbered from 1.
        public let connection: Int
        /// From 1; 1 means the connection was cold.
        public let requestOnConnection: Int
        /// How the connection speaks.
        public let wireProtocol: Exchanges.WireProtocol
        /// Nil for a connection that ended before it had sent a request.
        public let method: String?
        /// As sent, percent-encoded.
        public let path: String
        /// What stands behind the `?`.
        public let query: String?
        /// The operation's name in the bank's file; nil if the request met none.
        public let operation: String?
        /// What the operation is for.
        public let roles: [Exchanges.Role]
        /// Whose token it carried.
        public let customer: String?
        /// What it had for a token: an id such as `token#1`, `unknown`, `empty`; nil for none.
        public let token: String?
        /// The idempotency key, unquoted.
        public let key: String?
        /// Which attempt of its intent it is, as the bank can see it, from 1.
        public let attempt: Int?
        /// Nil if no status was sent.
        public let status: Int?
        /// The name of the dialect's refusal, such as `token-rejected`; nil for any other reply.
        public let refusal: Fault.Refusal?
        /// The operation's effect is in the bank's books.
        public let isCommitted: Bool
        /// The reply is one that was stored under the key before.
        public let isReplayed: Bool
        /// The fault that met it.
        public let fault: Struck?
        /// What the wire really did.
        public let receipt: Receipt
        /// In the order in which they were sent, secrets taken out.
        public let requestHeaders: [Exchanges.Header]
        /// The first 8 KiB.
        public let requestBody: Data
        /// In the order in which they were sent.
        public let replyHeaders: [Exchanges.Header]
        /// The first 8 KiB.
        public let replyBody: Data
        /// Where the request breaks the bank's definition.
        public let violations: [String]
        /// In one line: request, token, key, reply, fault, receipt.
        public let description: String

        /// A fault that met an exchange.
        public struct Struck: Sendable, Hashable {
            /// The rule's id.
            public let rule: String
            /// Such as `lose-reply`.
            public let kind: String
            /// Such as `commit`.
            public let point: String
            /// False where the connection cannot carry it, or the exchange never came to its point.
            public let isApplied: Bool
            /// Why it was not applied.
            public let reason: String?
        }

        /// What the wire really did with a reply.
        public struct Receipt: Sendable, Hashable {
            /// Bytes of the status line and headers that were sent.
            public let headBytes: Int
            /// Bytes of the body that were sent, without framing.
            public let bodyBytes: Int
            /// How it ended: `kept`, `fin`, `rst`, `stream-reset`, `goaway`, `tls-alert`, `held` or `client-gone`.
            public let end: String
        }

        /// The value of the request's first header of that name, in any case of letters.
        public func requestHeader(_ name: String) -> String? { Exchange.value(name, in: requestHeaders) }

        /// The value of the reply's first header of that name, in any case of letters.
        public func replyHeader(_ name: String) -> String? { Exchange.value(name, in: replyHeaders) }

        private static func value(_ name: String, in headers: [Exchanges.Header]) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }
}

extension StubBank.Exchange {
    init(_ entry: JournalEntry) {
        number = entry.seq
        at = entry.at.foundationDate
        duration = entry.durationMicroseconds.map { .microseconds($0) }
        (connection, requestOnConnection) = (entry.connection, entry.requestOnConnection)
        wireProtocol =
            switch entry.wireProtocol {
            case .h1: .http1
            case .h1s: .http1TLS
            case .h2: .http2
            }
        (method, path, query) = (entry.method, entry.path, entry.query)
        (operation, roles) = (entry.operation, entry.roles.compactMap { StubBank.Exchanges.Role(rawValue: $0) })
        (customer, token, key, attempt) = (entry.customer, entry.token, entry.key, entry.attempt)
        (status, refusal) = (entry.status, entry.reply.flatMap { StubBank.Fault.Refusal(rawValue: $0) })
        (isCommitted, isReplayed) = (entry.committed, entry.replayed)
        fault = entry.fault.map { Struck(rule: $0.rule, kind: $0.kind, point: $0.point, isApplied: $0.applied, reason: $0.reason) }
        receipt = Receipt(headBytes: entry.receipt.headBytes, bodyBytes: entry.receipt.bodyBytes, end: entry.receipt.end.rawValue)
        (requestHeaders, requestBody) = (entry.requestHeaders.map { StubBank.Exchanges.Header($0.name, $0.value) }, Data(entry.requestBody))
        (replyHeaders, replyBody) = (entry.replyHeaders.map { StubBank.Exchanges.Header($0.name, $0.value) }, Data(entry.replyBody))
        violations = entry.violations
        description = Timeline.text(entry)
    }
}
