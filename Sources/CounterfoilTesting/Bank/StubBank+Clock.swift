import BankCore
import BankEngine
import BankModel
public import Foundation
import StubServer

extension StubBank {
    /// The bank's clock. Tokens, idempotency keys, settlement of payments, rate limits and outages follow it. Delays and timeouts
    /// follow real time, because the client waits in real time.
    public var clock: Clock { Clock(bank: self) }

    /// A bank's clock. Only ``StubBank/reset()`` can set it back.
    public struct Clock: Sendable {
        let bank: StubBank

        /// The current time of the bank.
        public var now: Date { bank.session.now.foundationDate }

        /// Moves the clock forward: `try bank.clock.advance(by: .seconds(16 * 60))`.
        ///
        /// - Parameter duration: zero or more.
        /// - Throws: ``StubBankError`` for a negative duration, or after the bank's end.
        public func advance(by duration: Duration) throws(StubBankError) {
            try change { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
        }

        /// Stops the clock at its current time.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func freeze() throws(StubBankError) {
            try change { clock, machine throws(ClockError) in clock.setMode(.frozen, machine: machine) }
        }

        /// Starts the clock again from its current time.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func run() throws(StubBankError) {
            try change { clock, machine throws(ClockError) in clock.setMode(.running, machine: machine) }
        }

        /// Sets the clock. A frozen clock stays frozen.
        ///
        /// - Parameter date: not earlier than ``now``.
        /// - Throws: ``StubBankError`` for an earlier date, for one outside the years 1678 to 2261, or after the bank's end.
        public func set(to date: Date) throws(StubBankError) {
            let instant = try Instant(checking: date)
            try change { clock, machine throws(ClockError) in
                let now = clock.now(machine: machine)
                // A Date has steps of a quarter of a microsecond, so a date that was read from the clock may be slightly earlier.
                try clock.set(to: instant < now && now - instant < .microseconds(1) ? now : instant, machine: machine)
            }
        }

        private func change(
            _ body: @escaping @Sendable (inout VirtualClock, Instant) throws(ClockError) -> Void
        ) throws(StubBankError) {
            let session = try bank.live()
            try StubBankError.mapping(.clock) { () throws(ClockError) in try session.withClock(body) }
        }
    }
}

extension Instant {
    /// - Throws: ``StubBankError`` for a date that a bank's clock cannot show (outside the years 1678 to 2261).
    init(checking date: Date) throws(StubBankError) {
        let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded()
        guard nanoseconds.magnitude < 9.2e18 else {
            throw StubBankError(.clock, "found the date \(date), expected one between the years 1678 and 2261")
        }
        self.init(nanoseconds: Int64(nanoseconds))
    }

    /// The same instant as a `Date`, to a quarter of a microsecond.
    var foundationDate: Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}
