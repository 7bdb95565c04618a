import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer

extension StubBank {
    /// Starts an outage: rules on a timetable, by the bank's clock or real time as its file says.
    ///
    /// - Parameters:
    ///   - name: of a file in `Stubs/outages`, such as `maintenance`; or the path of a file that ends in `.yaml`.
    ///   - limit: how long it goes on at most.
    ///   - seed: in place of the plan's own.
    ///   - replacing: ends the one that runs; without, that is an error.
    /// - Returns: what was started, and what of it cannot strike at this bank.
    /// - Throws: ``StubBankError`` for an unknown name (with the nearest that is known), a faulty file, one that runs already,
    ///   one of which nothing can strike at this bank, or after the bank's end.
    @discardableResult
    public func outage(
        _ name: String, for limit: Duration? = nil, seed: UInt64? = nil, replacing: Bool = false
    ) async throws(StubBankError) -> Outage {
        let session = try live()
        let plan: Plan
        do throws(ComplaintsError) {
            plan = try banks.stubs.plans.load(name)
        } catch {
            let isKnown = name.hasSuffix(".yaml") || banks.stubs.plans.names.contains(name)
            throw StubBankError(isKnown ? .faultyFiles : .unknownOutage, error.description)
        }
        do throws(OutageError) {
            let outage = try session.start(plan, limit: limit, seed: seed, replaces: replacing)
            await session.portsSettled()
            return Outage(name: outage.name, skipped: outage.skipped)
        } catch {
            switch error {
            case .running(let running):
                throw StubBankError(
                    .outageRunning,
                    "found the outage \(running) running, expected none: endOutage() first, or start this one with replacing: true")
            case .nothingStrikes: throw StubBankError(.cannotStrike, error.description)
            }
        }
    }

    /// Ends the outage, and what it holds. Without one nothing happens.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func endOutage() async throws(StubBankError) {
        let session = try live()
        _ = session.endOutage()
        await session.portsSettled()
    }

    /// An outage that was started.
    public struct Outage: Sendable, Hashable {
        /// The plan's name.
        public let name: String
        /// Rules that cannot strike at this bank, each with the reason.
        public let skipped: [String]
    }
}
