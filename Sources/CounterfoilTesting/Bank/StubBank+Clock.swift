import BankCore
import BankEngine
import BankModel
public import Foundation
import StubServer

extension StubBank {
    /// The bank's clock: tokens, idempotency keys, payments that settle and outages follow it. Sockets do not: delays,
    /// `Retry-After` and rate limits are real, because the client's waiting is.
    public var clock: Clock { Clock(bank: self) }

    /// A bank's clock. It never goes back, but by ``StubBank/reset()``.
    public struct Clock: Sendable {
        let bank: StubBank

        /// What it shows.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public var now: Date { get throws(StubBankError) { try bank.live().now.foundationDate } }

        /// Moves it on: `try bank.clock.advance(by: .seconds(16 * 60))`.
        ///
        /// - Parameter duration: not below zero.
        /// - Throws: ``StubBankError`` for a negative duration, or after the bank's end.
        public func advance(by duration: Duration) throws(StubBankError) {
            try change { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
        }

        /// Lets it stand where it is.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func freeze() throws(StubBankError) {
            try change { clock, machine throws(ClockError) in clock.setMode(.frozen, machine: machine) }
        }

        /// Lets it run on from where it is.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func run() throws(StubBankError) {
            try change { clock, machine throws(ClockError) in clock.setMode(.running, machine: machine) }
        }

        /// Sets it; a clock that stands stays so.
        ///
        /// - Parameter date: not before what it shows.
        /// - Throws: ``StubBankError`` for an earlier one, or after the bank's end.
        public func set(to date: Date) throws(StubBankError) {
            let instant = try Instant(checking: date)
            try change { clock, machine throws(ClockError) in
                let now = clock.now(machine: machine)
                // A Date has steps of a quarter of a microsecond: what was read from the clock may be a little before it.
                try clock.set(to: instant < now && now - instant < .microseconds(1) ? now : instant, machine: machine)
            }
        }

        private func change(
            _ body: @escaping @Sendable (inout VirtualClock, Instant) throws(ClockError) -> Void
        ) throws(StubBankError) {
            let session = try bank.live()
            do throws(ClockError) {
                try session.withClock(body)
            } catch {
                throw StubBankError(.clock, error.description)
            }
        }
    }
}

extension Instant {
    /// - Throws: ``StubBankError`` for a date that a bank's clock cannot show (before 1677 or after 2262).
    init(checking date: Date) throws(StubBankError) {
        let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded()
        guard nanoseconds.magnitude < 9.2e18 else {
            throw StubBankError(.clock, "found the date \(date), expected one between the years 1678 and 2261")
        }
        self.init(nanoseconds: Int64(nanoseconds))
    }

    /// As Foundation has it, to a quarter of a microsecond.
    var foundationDate: Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}
