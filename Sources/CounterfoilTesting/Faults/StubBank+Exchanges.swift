import BankModel

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
        /// The login of the customer whose token the request has.
        public var customer: String?
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
        public static func role(_ role: Role) -> Exchanges { Exchanges().with(\.role, role) }

        /// The exchanges of one operation.
        public static func operation(_ name: String) -> Exchanges { Exchanges().with(\.operation, name) }

        /// The exchanges with that path; `*` matches any text.
        public static func path(_ path: String) -> Exchanges { Exchanges().with(\.path, path) }

        /// The exchanges with a token of that customer.
        public static func customer(_ login: String) -> Exchanges { Exchanges().with(\.customer, login) }

        /// The same selection, restricted by one more member: `.role(.pay).with(\.attempt, 1)`.
        public func with<Value>(_ member: WritableKeyPath<Exchanges, Value?>, _ value: Value) -> Exchanges {
            var copy = self
            copy[keyPath: member] = value
            return copy
        }

        /// The role of an operation, the same at every bank.
        public enum Role: String, Sendable, CaseIterable {
            case login, refresh, logout, accounts, balance, transactions, atms, pay, goals, image
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

        var json: JSON {
            var object = JSONObject()
            object["role"] = role.map { .string($0.rawValue) }
            object["operation"] = operation.map(JSON.string)
            object["method"] = method.map(JSON.string)
            object["path"] = path.map(JSON.string)
            object["header"] = header.map { .object(JSONObject([($0.name, .string($0.value))])) }
            object["customer"] = customer.map(JSON.string)
            object["token"] = token.map(JSON.string)
            object["connection"] = connection.map { .string($0.rawValue) }
            object["protocol"] = wireProtocol.map { .string($0.rawValue) }
            object["attempt"] = attempt.map { .int($0) }
            return .object(object)
        }
    }
}
