import BankModel
public import Foundation

/// An error of a stub bank: it cannot be served, or it rejects a call.
public struct StubBankError: Error, Sendable, Hashable {
    /// The kind of an error.
    public enum Code: String, Sendable, CaseIterable {
        /// The folder of the banks does not exist or cannot be read.
        case noStubs
        /// The bank is unknown.
        case unknownBank
        /// A file of a bank or an outage cannot be read, or is invalid.
        case invalidFiles
        /// The server cannot start, or cannot open a session.
        case cannotStart
        /// The bank was used after its end.
        case ended
        /// The test has no bank: ``StubBank/current`` or `.judged` without the trait `.stubBank`.
        case noCurrentBank
        /// The call needs a test of Swift Testing.
        case noTest
        /// Another test uses the bank.
        case sharedByTests
        /// Data that ``StubBank/arrange(_:)`` cannot set: an unknown account, table or field, or an invalid amount.
        case invalidData
        /// A setting of a fault or the text of a rule is invalid.
        case invalidRule
        /// The rule or the outage can never act on this bank.
        case cannotAct
        /// The rule was removed or has expired, or no suite or rule of `counterfoil judge` has that name.
        case unknownRule
        /// The outage is unknown.
        case unknownOutage
        /// An outage is running already.
        case outageRunning
        /// The clock cannot be moved back, nor set to or started at a date outside the years 1678 to 2261.
        case clock
        /// The token cannot be issued or changed, for example because its customer, scope or id is unknown.
        case tokens
        /// The address is not that of the bank's sign-in page, or the page shows an error.
        case signIn
        /// No challenge is pending.
        case challenge
        /// The event cannot happen: its payment is unknown or in another state, its amount is invalid, or the bank does not show it.
        case event
        /// The account is unknown, or its id is in several tables.
        case unknownAccount
        /// No exchange matched within the time limit.
        case noExchange
        /// An exchange was still in progress after the time limit.
        case stillInProgress
    }

    /// The kind of the error.
    public let code: Code
    /// The error in a sentence: found and expected, for people.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Runs the body, and throws its error as one with this code.
    static func mapping<Value, Failure: Error & CustomStringConvertible>(
        _ code: Code, _ body: () throws(Failure) -> Value
    ) throws(StubBankError) -> Value {
        do throws(Failure) { return try body() } catch { throw StubBankError(code, error.description) }
    }

    /// The error for an unknown bank, with the nearest known one.
    ///
    /// - Parameters:
    ///   - known: the names of the banks that there are.
    ///   - suffix: follows their list, such as `, which are served`.
    static func unknownBank(_ name: String, known: [String], _ suffix: String) -> StubBankError {
        let hint = didYouMean(name, among: known)
        return StubBankError(.unknownBank, "found the bank \"\(name)\", expected \(oneOf(known))\(suffix)\(hint)")
    }
}

extension StubBankError: CustomStringConvertible, LocalizedError {
    /// The same text as ``message``.
    public var description: String { message }

    /// The same text as ``message``; XCTest and alerts show it.
    public var errorDescription: String? { message }
}
