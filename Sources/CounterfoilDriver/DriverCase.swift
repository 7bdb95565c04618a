import BankModel
import DriverProtocol
public import Foundation

/// A case that begins: the bank's address, the customer, the folder for everything that the client writes.
public struct DriverCase: Sendable {
    /// The name of the case in the harness's lines.
    public let id: String
    /// The bank's address, without a slash at its end.
    public let baseURL: URL
    /// The bank's name, such as `counterfoil`.
    public let bank: String
    /// The only folder that the client may write to.
    public let stateDirectory: URL
    /// The customer.
    public let login: Login
    /// Other customers whom steps of the case sign in; a `login` step names each again.
    public let customers: [Login]
    /// A PEM file of the authority to trust besides the system's; nil without TLS.
    public let caFile: URL?
    /// The keys that the bank's certificate may have, each the SHA-256 of a public key in base 64 (RFC 7469 §2.4).
    public let pins: [String]
    /// The time zone in which days are shown.
    public let timeZone: TimeZone
    /// The user's language and country; nil if the case does not depend on them.
    public let locale: Locale?
    /// Bounds the connection, its handshake included: seconds.
    public let connectTimeout: TimeInterval
    /// Bounds one attempt, from the first byte sent to the last byte read: seconds.
    public let totalTimeout: TimeInterval
    /// The longest first pause before a retry, for a client whose pauses can be configured: seconds. Nil where the client's own
    /// pauses are tested.
    public let backoff: TimeInterval?
    /// The current time, with the feature `clock`.
    public let now: Date?
    /// Whether the process was started again: the folder has what the client stored.
    public let isResumed: Bool
    /// The number of this process of the app: 2 for a second one on the same folder.
    public let process: Int

    /// The credentials of a customer.
    public struct Login: Sendable, Hashable {
        /// The name.
        public let user: String?
        /// The password.
        public let password: String?
        /// The token, on a bank without a login call.
        public let token: String?

        init(_ login: CaseStart.Login) {
            user = login.user
            password = login.password
            token = login.token
        }
    }

    init(_ start: CaseStart) {
        id = start.id
        baseURL = URL(string: start.baseURL) ?? URL(filePath: "/")
        bank = start.bank
        stateDirectory = URL(filePath: start.stateDirectory, directoryHint: .isDirectory)
        login = Login(start.login)
        customers = start.customers.map(Login.init)
        caFile = start.caFile.map { URL(filePath: $0) }
        pins = start.pins
        timeZone = TimeZone(identifier: start.timeZone) ?? .gmt
        locale = start.locale.map(Locale.init(identifier:))
        connectTimeout = TimeInterval(start.timeouts.connectMilliseconds) / 1000
        totalTimeout = TimeInterval(start.timeouts.totalMilliseconds) / 1000
        backoff = start.timeouts.backoffMilliseconds.map { TimeInterval($0) / 1000 }
        now = start.now.map(Date.init)
        isResumed = start.resumed
        process = start.process
    }
}

extension Date {
    /// The instant, exact to the microsecond or so that a `Date` has.
    init(_ instant: Instant) { self.init(timeIntervalSince1970: TimeInterval(instant.nanoseconds) / 1e9) }
}

extension DriverCase {
    /// Runs one attempt, and cancels it after ``totalTimeout``.
    ///
    /// URLSession's own limits do not do this on Linux: there it ignores that of a request, and takes that of a session in whole seconds, so
    /// that less than one is none.
    ///
    /// ```swift
    /// let (data, response) = try await start.withinTotalTimeout { try await session.data(for: request) }
    /// ```
    ///
    /// - Throws: ``DriverFailure`` with the kind `timeout`; otherwise the attempt's error. It returns once the attempt has ended, which a
    ///   cancelled task of URLSession does at once.
    public func withinTotalTimeout<Value: Sendable>(
        _ attempt: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await bounded(by: .seconds(totalTimeout), on: ContinuousClock(), attempt)
    }
}

/// Runs an attempt, and cancels it after the limit.
func bounded<Value: Sendable>(
    by limit: Duration, on clock: some Clock<Duration>, _ attempt: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await attempt() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw DriverFailure(.timeout, "no complete response within \(limit)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
