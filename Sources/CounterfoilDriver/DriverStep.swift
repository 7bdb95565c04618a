import BankModel
public import Foundation

/// One step: the operation that the client must perform.
public struct DriverStep: Sendable {
    /// The operation.
    public let operation: ClientOperation
    /// The case that it is part of.
    public let start: DriverCase
    /// The current time from this step on, with the feature `clock`.
    public let now: Date?
    private let arguments: StepArguments

    init(operation: ClientOperation, arguments: StepArguments, start: DriverCase, now: Date?) {
        self.operation = operation
        self.arguments = arguments
        self.start = start
        self.now = now
    }

    /// The argument of that name, such as `account`; nil if there is none.
    public subscript(_ name: String) -> String? { arguments[name] }

    /// The argument of that name.
    ///
    /// - Throws: ``DriverFailure`` `rejected` if there is none: nothing is sent.
    public func required(_ name: String) throws -> String {
        guard let value = self[name] else {
            throw DriverFailure(.rejected, "found no argument \(name) of \(operation.rawValue), expected one", sent: false)
        }
        return value
    }

    /// The argument of that name, such as `from`, as an instant; nil if there is none.
    ///
    /// - Throws: ``DriverFailure`` `rejected` if it is not an instant: nothing is sent.
    public func instant(_ name: String) throws -> Date? {
        guard let text = self[name] else { return nil }
        guard let instant = Instant(rfc3339: text) else {
            throw DriverFailure(.rejected, "found \(text) as \(name), expected an instant such as 2026-01-12T09:00:00.000Z", sent: false)
        }
        return Date(instant)
    }

    /// The customer who signs in: the one that the step names, or that of the case.
    private var login: DriverCase.Login? {
        let named = arguments["user"]
        return ([start.login] + start.customers).first { named == nil || $0.user == named }
    }

    /// The name to sign in with; empty if there is none.
    public var user: String { arguments["user"] ?? login?.user ?? "" }
    /// The password to sign in with; empty if there is none.
    public var password: String { arguments["password"] ?? login?.password ?? "" }
    /// The token to store, on a bank without a login call.
    public var token: String? { arguments["token"] ?? login?.token }
}
