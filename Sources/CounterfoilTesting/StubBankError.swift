public import Foundation

/// Why a stub bank cannot be had or cannot do what was asked.
public struct StubBankError: Error, Sendable, Hashable {
    /// What kind of trouble it is.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no folder of banks.
        case noStubs
        /// There is no bank of that name.
        case unknownBank
        /// A bank's or an outage's files cannot be read, or are wrong.
        case faultyFiles
        /// The server cannot be started, or a session not be opened.
        case cannotStart
        /// The bank was used after its end.
        case ended
        /// A fault's or a rule's text is wrong.
        case faultyRule
        /// A rule or an outage could never strike at this bank.
        case cannotStrike
        /// The rule is not set any more.
        case unknownRule
        /// There is no outage of that name.
        case unknownOutage
        /// Another outage is running.
        case outageRunning
        /// The clock cannot be moved so.
        case clock
        /// Tokens cannot be issued or changed so.
        case tokens
        /// There is no account of that name.
        case unknownAccount
        /// There is no suite or rule of that name.
        case unknownSuite
        /// No such exchange has come.
        case noExchange
        /// Something is still under way.
        case notSettled
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What was found, and what was expected.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

extension StubBankError: CustomStringConvertible, LocalizedError {
    /// What was found, and what was expected.
    public var description: String { message }

    /// The same: what XCTest and alerts show.
    public var errorDescription: String? { message }
}
