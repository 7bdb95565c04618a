import BankModel
import Faults

extension StubBank {
    /// A selection of exchanges. An exchange must match every member that is not nil.
    public struct Exchanges: Sendable, Hashable {
        /// The role of the operation.
        public var role: Role?
        /// The operation's name in the bank's file, such as `payments`.
        public var operation: String?
        /// The request's method, such as `POST`.
        public var method: String?
        /// The path as sent; `*` matches any text.
        public var path: String?
        /// A request header; `*` in its value matches any text.
        public var header: Header?
        /// The customer whose token the request has.
        public var customer: Customer?
        /// The id of the request's token, such as `token#1`.
        public var token: String?
        /// The state of the connection: cold or warm.
        public var connection: Connection?
        /// The protocol of the connection.
        public var wireProtocol: WireProtocol?
        /// The number of the request among those of one intent, from 1. Requests have one intent if they have the same key or,
        /// without a key, the same operation and body.
        public var attempt: Int?

        /// All exchanges; set members to restrict them.
        public init() {}

        /// The exchanges of operations with that role.
        public static func role(_ role: Role) -> Exchanges { Exchanges().role(role) }

        /// The exchanges of one operation.
        public static func operation(_ name: String) -> Exchanges { Exchanges().operation(name) }

        /// The exchanges with that path; `*` matches any text.
        public static func path(_ path: String) -> Exchanges { Exchanges().path(path) }

        /// The exchanges with a token of that customer.
        public static func customer(_ customer: Customer) -> Exchanges { Exchanges().customer(customer) }

        /// The exchanges with that method and path; `*` matches any text.
        public static func request(_ method: String, _ path: String) -> Exchanges { Exchanges().method(method).path(path) }

        /// The exchanges that read that path; `*` matches any text.
        public static func get(_ path: String) -> Exchanges { request("GET", path) }

        /// The exchanges that post to that path; `*` matches any text.
        public static func post(_ path: String) -> Exchanges { request("POST", path) }

        /// The same selection, restricted to operations with that role: `.customer(.ava).role(.pay)`.
        public func role(_ role: Role) -> Exchanges { with(\.role, role) }

        /// The same selection, restricted to one operation.
        public func operation(_ name: String) -> Exchanges { with(\.operation, name) }

        /// The same selection, restricted to that method.
        public func method(_ method: String) -> Exchanges { with(\.method, method) }

        /// The same selection, restricted to that path; `*` matches any text.
        public func path(_ path: String) -> Exchanges { with(\.path, path) }

        /// The same selection, restricted to requests with that header; `*` in its value matches any text.
        public func header(_ name: String, _ value: String) -> Exchanges { with(\.header, Header(name, value)) }

        /// The same selection, restricted to tokens of that customer.
        public func customer(_ customer: Customer) -> Exchanges { with(\.customer, customer) }

        /// The same selection, restricted to one token by its id, such as `token#1`.
        public func token(_ id: String) -> Exchanges { with(\.token, id) }

        /// The same selection, restricted to cold or warm connections.
        public func connection(_ connection: Connection) -> Exchanges { with(\.connection, connection) }

        /// The same selection, restricted to one protocol.
        public func wireProtocol(_ wireProtocol: WireProtocol) -> Exchanges { with(\.wireProtocol, wireProtocol) }

        /// The same selection, restricted to one attempt of each intent: `.role(.pay).attempt(1)`.
        public func attempt(_ number: Int) -> Exchanges { with(\.attempt, number) }

        private func with<Value>(_ member: WritableKeyPath<Exchanges, Value?>, _ value: Value) -> Exchanges {
            var copy = self
            copy[keyPath: member] = value
            return copy
        }

        /// A header line.
        public struct Header: Sendable, Hashable {
            /// The header's name. A selection ignores its case.
            public var name: String
            /// The header's value. In a selection, `*` matches any text.
            public var value: String

            /// Creates a header line.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The state of a connection: cold for its first request, warm for a later one.
        public enum Connection: String, Sendable, CaseIterable {
            case cold, warm
        }

        /// The protocol of a connection.
        public enum WireProtocol: String, Sendable, CaseIterable {
            /// HTTP/1.1 in clear text.
            case http1 = "h1"
            /// HTTP/1.1 over TLS.
            case http1TLS = "h1s"
            /// HTTP/2 over TLS.
            case http2 = "h2"
        }

        /// The selection as the reader of rules reads it from a rule; the rule's fault does not matter.
        ///
        /// - Throws: ``StubBankError`` for a role or an attempt that no exchange has.
        var selector: RuleSelector {
            get throws(StubBankError) { try StubBank.rule { _ in StubBank.node(.hang, on: self) }.on }
        }

        var json: JSON {
            .object(known: [
                "role": role.map { .string($0.rawValue) }, "operation": operation.map(JSON.string), "method": method.map(JSON.string),
                "path": path.map(JSON.string), "header": header.map { .object(JSONObject([($0.name, .string($0.value))])) },
                "customer": customer.map { .string($0.rawValue) }, "token": token.map(JSON.string),
                "connection": connection.map { .string($0.rawValue) }, "protocol": wireProtocol.map { .string($0.rawValue) },
                "attempt": attempt.map { .int($0) },
            ])
        }
    }
}
