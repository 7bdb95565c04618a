import BankModel
import Contracts
public import Foundation

extension StubBank {
    /// One request with its response, as the journal had it when it was read. It contains no secrets: a token's text is replaced by its id.
    public struct Exchange: Sendable, Hashable, CustomStringConvertible {
        private let entry: JournalEntry

        init(_ entry: JournalEntry) { self.entry = entry }

        /// The exchange's number at this bank, from 1.
        public var number: Int { entry.seq }
        /// The time at which the request's head was read, by the bank's clock.
        public var at: Date { entry.at.foundationDate }
        /// The real time from the request's head to the response's last byte; nil while the exchange is in progress.
        public var duration: Duration? { entry.durationMicroseconds.map { .microseconds($0) } }
        /// The connection's number at this bank, from 1.
        public var connection: Int { entry.connection }
        /// The request's number on its connection, from 1; 1 means that the connection was cold.
        public var requestOnConnection: Int { entry.requestOnConnection }
        /// The protocol of the connection.
        public var wireProtocol: Exchanges.WireProtocol { Exchanges.WireProtocol(entry.wireProtocol) }
        /// The request's method; nil if the connection ended before it sent a request.
        public var method: String? { entry.method }
        /// The path as sent, percent-encoded, without the query.
        public var path: String { entry.path }
        /// The text after the `?`; nil without a `?`.
        public var query: String? { entry.query }
        /// The operation's name in the bank's file; nil if the request matched none.
        public var operation: String? { entry.operation }
        /// The roles of the operation.
        public var roles: [Role] { entry.roles.map { Role(rawValue: $0) } }
        /// The customer whose token the request had; nil if there was none.
        public var customer: Customer? { entry.customer.map { Customer(rawValue: $0) } }
        /// The request's token; nil if there was none.
        public var token: PresentedToken? { entry.token.map(PresentedToken.init) }
        /// The idempotency key, unquoted; nil if there was none.
        public var key: String? { entry.key }
        /// The number of the attempt at its payment order, as far as the bank can recognize it, from 1.
        public var attempt: Int? { entry.attempt }
        /// The response's status; nil if none was sent.
        public var status: Int? { entry.status }
        /// The name of the dialect's rejection, such as `token-rejected`; nil for any other response.
        public var refusal: Fault.Refusal? { entry.response.flatMap { Fault.Refusal(rawValue: $0) } }
        /// True if the operation's effect is in the bank's state.
        public var isCommitted: Bool { entry.committed }
        /// True if the response was stored under the key before.
        public var isReplayed: Bool { entry.replayed }
        /// The fault that decided the exchange: the last that was applied, or else the first that could not be; nil without one.
        public var fault: FaultRecord? { entry.fault.flatMap(FaultRecord.init) }
        /// The bytes that were really sent, and the end of the connection.
        public var receipt: Receipt { Receipt(entry.receipt) }
        /// The request's headers in the order in which they were sent, without secrets.
        public var requestHeaders: [Exchanges.Header] { entry.requestHeaders.map { Exchanges.Header($0.name, $0.value) } }
        /// The first 8 KiB of the request's body.
        public var requestBody: Data { Data(entry.requestBody) }
        /// The response's headers in the order in which they were sent, without secrets.
        public var responseHeaders: [Exchanges.Header] { entry.responseHeaders.map { Exchanges.Header($0.name, $0.value) } }
        /// The first 8 KiB of the response's body.
        public var responseBody: Data { Data(entry.responseBody) }
        /// The exchange in one line: request, token, key, response, fault, receipt.
        public var description: String { Timeline.text(entry) }

        /// The token that a request presents.
        public enum PresentedToken: Sendable, Hashable {
            /// A token that the bank has issued, by its id: `token#1`.
            case issued(String)
            /// A text that the bank never issued.
            case unknown
            /// No text where the token should be: `Bearer` alone.
            case empty
        }

        /// A fault that acted on an exchange, or should have.
        public struct FaultRecord: Sendable, Hashable {
            /// The rule's id.
            public let rule: String
            /// The fault's kind.
            public let kind: Fault.Kind
            /// The point of the exchange at which it acts.
            public let point: Fault.Point
            /// False if the protocol does not have this fault, or the exchange never reached its point.
            public let isApplied: Bool
            /// The reason why it was not applied; nil if it was.
            public let reason: String?
        }

        /// The part of a response that was really sent.
        public struct Receipt: Sendable, Hashable {
            /// The number of bytes of the status line and the headers.
            public let headBytes: Int
            /// The number of bytes of the body, without framing.
            public let bodyBytes: Int
            /// The end of the exchange on its connection.
            public let end: End

            /// The end of an exchange on its connection.
            public enum End: String, Sendable, CaseIterable {
                /// The connection stayed open.
                case kept
                /// The bank closed the connection (FIN).
                case fin
                /// The bank reset the connection (RST).
                case rst
                /// The bank reset the HTTP/2 stream.
                case streamReset = "stream-reset"
                /// The bank announced the end of the HTTP/2 connection.
                case goAway = "goaway"
                /// The bank aborted the TLS handshake.
                case tlsAlert = "tls-alert"
                /// A fault still holds the response: nothing is sent and nothing is closed.
                case held
                /// The client closed the connection first.
                case clientGone = "client-gone"
                /// The request's body did not arrive completely: the bank executed nothing.
                case incomplete
            }
        }

        /// The value of the request's first header with that name, ignoring case; nil without one.
        public func requestHeader(_ name: String) -> String? { Exchange.value(name, in: requestHeaders) }

        /// The value of the response's first header with that name, ignoring case; nil without one.
        public func responseHeader(_ name: String) -> String? { Exchange.value(name, in: responseHeaders) }

        private static func value(_ name: String, in headers: [Exchanges.Header]) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }
}

extension StubBank.Exchanges.WireProtocol {
    fileprivate init(_ wireProtocol: WireProtocol) {
        self =
            switch wireProtocol {
            case .h1: .http1
            case .h1s: .http1TLS
            case .h2: .http2
            }
    }
}

extension StubBank.Exchange.PresentedToken {
    /// - Parameter text: as in the journal: an id, `unknown` or `empty`.
    fileprivate init(_ text: String) {
        self =
            switch text {
            case "unknown": .unknown
            case "empty": .empty
            default: .issued(text)
            }
    }
}

extension StubBank.Exchange.FaultRecord {
    /// Nil for a kind or a point that this library does not know; tests hold that there is none.
    fileprivate init?(_ record: BankModel.FaultRecord) {
        guard let kind = StubBank.Fault.Kind(rawValue: record.kind), let point = StubBank.Fault.Point(rawValue: record.point) else {
            return nil
        }
        self.init(rule: record.rule, kind: kind, point: point, isApplied: record.applied, reason: record.reason)
    }
}

extension StubBank.Exchange.Receipt {
    fileprivate init(_ receipt: BankModel.Receipt) {
        let end: End =
            switch receipt.end {
            case .kept: .kept
            case .fin: .fin
            case .rst: .rst
            case .streamReset: .streamReset
            case .goaway: .goAway
            case .tlsAlert: .tlsAlert
            case .held: .held
            case .clientGone: .clientGone
            case .incomplete: .incomplete
            }
        self.init(headBytes: receipt.headBytes, bodyBytes: receipt.bodyBytes, end: end)
    }
}
