import BankModel

extension StubBank {
    /// Which exchanges a rule is for: all that is given must hold.
    public struct Exchanges: Sendable, Hashable {
        /// What the operation is for.
        public var role: Role?
        /// The operation's name in the bank's file, such as `payments`.
        public var operation: String?
        /// Such as `POST`.
        public var method: String?
        /// The path as sent; `*` stands for any text.
        public var path: String?
        /// A header and its value, in which `*` stands for any text.
        public var header: Header?
        /// Whose token the request carries.
        public var customer: String?
        /// The token's id, such as `token#1`.
        public var token: String?
        /// Whether the connection has carried a request before.
        public var connection: Connection?
        /// How the connection speaks.
        public var wireProtocol: WireProtocol?
        /// Which request of one intent, as the bank can see it (the same key; without a key, the same operation and body),
        /// from 1.
        public var attempt: Int?

        /// All exchanges; set what they must have.
        public init() {}

        /// Those of operations for that purpose.
        public static func role(_ role: Role) -> Exchanges { Exchanges().with(\.role, role) }

        /// Those of one operation.
        public static func operation(_ name: String) -> Exchanges { Exchanges().with(\.operation, name) }

        /// Those to that path, in which `*` stands for any text.
        public static func path(_ path: String) -> Exchanges { Exchanges().with(\.path, path) }

        /// Those of one customer.
        public static func customer(_ login: String) -> Exchanges { Exchanges().with(\.customer, login) }

        /// Of these, only those that have this too: `.role(.pay).with(\.attempt, 1)`.
        public func with<Value>(_ member: WritableKeyPath<Exchanges, Value?>, _ value: Value) -> Exchanges {
            var copy = self
            copy[keyPath: member] = value
            return copy
        }

        /// What an operation is for, across banks.
        public enum Role: String, Sendable, CaseIterable {
            case login, refresh, logout, accounts, balance, transactions, atms, pay, goals, image
        }

        /// A header line.
        public struct Header: Sendable, Hashable {
            /// In any case of letters.
            public var name: String
            /// `*` stands for any text.
            public var value: String

            /// A header line.
            public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
        }

        /// Whether a connection has carried a request before.
        public enum Connection: String, Sendable, CaseIterable {
            case cold, warm
        }

        /// How a connection speaks.
        public enum WireProtocol: String, Sendable, CaseIterable {
            /// HTTP/1.1 in clear text.
            case http1 = "h1"
            /// HTTP/1.1 over TLS.
            case http1TLS = "h1s"
            /// HTTP/2.
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
