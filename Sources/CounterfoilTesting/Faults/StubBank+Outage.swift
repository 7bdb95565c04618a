import BankEngine
import BankFiles
import BankModel
import Faults
import StubServer

extension StubBank {
    /// Starts an outage: rules on a timetable, by the bank's clock or in real time, as its file defines.
    ///
    /// - Parameters:
    ///   - name: an outage that comes with the library, such as `maintenance`, or one in the folder `outages` of your banks; or the
    ///     path of a file that ends in `.yaml`.
    ///   - limit: the longest duration of the outage, by its clock; nil for that of its file.
    ///   - seed: the outage's seed; nil for that of its file.
    ///   - replacing: true to end a running outage first; false to throw an error if one is running.
    /// - Returns: the outage, with the rules that cannot act on this bank.
    /// - Throws: ``StubBankError`` for an unknown name (with the nearest known one), an invalid file, an outage that is running
    ///   already, an outage that can never act on this bank, or after the bank's end.
    @discardableResult
    public func startOutage(
        _ name: String, for limit: Duration? = nil, seed: UInt64? = nil, replacing: Bool = false
    ) async throws(StubBankError) -> Outage {
        let session = try live()
        let plan: Plan
        do throws(ComplaintsError) {
            plan = try banks.stubs.plans.load(name)
        } catch {
            let isKnown = name.hasSuffix(".yaml") || banks.stubs.plans.names.contains(name)
            throw StubBankError(isKnown ? .invalidFiles : .unknownOutage, error.description)
        }
        do throws(OutageError) {
            let outage = try session.start(plan, limit: limit, seed: seed, replaces: replacing)
            await session.waitForPorts()
            return Outage(name: outage.name, skipped: outage.skipped)
        } catch {
            switch error {
            case .running(let running):
                throw StubBankError(
                    .outageRunning,
                    "found the outage \(running) running, expected none: endOutage() first, or start this one with replacing: true")
            case .nothingApplies: throw StubBankError(.cannotAct, error.description)
            }
        }
    }

    /// Ends the outage and drops the exchanges that it holds. Does nothing if none is running.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func endOutage() async throws(StubBankError) {
        let session = try live()
        _ = session.endOutage()
        await session.waitForPorts()
    }

    /// A started outage.
    public struct Outage: Sendable, Hashable {
        /// The outage's name.
        public let name: String
        /// The rules that cannot act on this bank, each with the reason.
        public let skipped: [String]
    }
}
