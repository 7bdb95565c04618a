import BankModel
import Contracts
import DriverProtocol

extension CaseRun {
    /// Asks the client for an operation, kills it once the bank holds its request, and starts it again.
    ///
    /// A client whose request the bank never holds is not killed: the step ends by itself, and the verdict reports it.
    func perform(_ kill: StepAction.Kill, _ n: Int) async {
        guard let wanted = kill.rule else { return }
        let rule: String
        do { rule = try session.set(wanted) } catch {
            evidence.harnessTrouble = "step \(n) (kill) was rejected by the bank: \(error)"
            return
        }
        let asking = Task { await self.ask(n, kill.operation, kill.arguments) }
        await waitUntil(within: limits.step) { [session] run in run.isDone(n) || session.isHolding(by: rule, at: kill.at) }
        if !isDone(n), session.isHolding(by: rule, at: kill.at) {
            killed.insert(n)
            // The bank must have seen the connection end, or the key of the request that it held would still be in flight.
            await restart(instance.step(n)?.process ?? 1) { [session] in
                // The bank would not see the end of a connection that it never reads.
                if kill.at == .connect { session.remove(rule: rule) }
                await waitUntil { _ in !session.isHolding(by: rule, at: kill.at) }
            }
        }
        await asking.value
    }
}

extension TestSession {
    /// Whether the bank now holds an exchange that the rule was applied to, executed or not, as the moment demands.
    fileprivate func isHolding(by rule: String, at moment: StepAction.Kill.Moment) -> Bool {
        journal().entries.contains { entry in
            entry.durationMicroseconds == nil && entry.faults.contains { $0.rule == rule && $0.applied }
                && (moment != .commit || entry.committed)
        }
    }
}
