import BankModel
import Contracts
import DriverProtocol

/// The processes of the client: the app, and beside it, if the case asks for one, a second on the same folder.
extension CaseRun {
    /// How a client process is started now.
    var ownStart: DriverStart {
        let mayBlockWrites = instance.allSteps.contains {
            if case .disk(let failure) = $0.action { failure.what == .write } else { false }
        }
        return DriverStart(
            home: folder, stderr: stderr, locale: instance.given.locale, mayBlockWrites: mayBlockWrites, blocksWrites: blocksWrites)
    }

    /// The process that a step is for; nil if there is none.
    func process(of n: Int) -> (any Driver)? { processes[instance.step(n)?.process ?? 1]?.process }

    /// Starts the second process before the first step that is for it.
    func startProcesses(for step: NumberedStep) async {
        let wanted = Set(step.flattened.map(\.process))
        for process in wanted.sorted() where processes[process] == nil && isUsable { await start(process, "when it was started") }
    }

    /// Kills a client process and starts it again on the same folder.
    ///
    /// - Parameter meanwhile: what is done while that process is not there.
    func restart(_ process: Int = 1, meanwhile: () async -> Void = {}) async {
        guard isAlone, let old = processes[process] else {
            evidence.harnessTrouble = "a restart needs a separate process"
            return
        }
        _ = await drivers.end(old, isUsable: false)
        processes[process] = nil
        await meanwhile()
        await start(process, "after the restart")
    }

    /// Starts a process on the folder with the client's stored files.
    private func start(_ process: Int, _ when: String) async {
        hasSignedIn = true
        switch await drivers.startOwn(ownStart) {
        case .success(let driver):
            processes[process] = driver
            guard let fault = await start(process, resumed: true) else { return }
            notReady(fault, when)
        case .failure(let fault): notReady(fault, when)
        }
    }

    /// Notes why there is no driver. If it ended, the client is at fault; if it is slow, it may be the machine.
    private func notReady(_ fault: DriverFault, _ when: String) {
        guard case .hung = fault else { return trouble(fault, when) }
        isUsable = false
        evidence.harnessTrouble = "the driver was not ready \(when): \(fault)"
    }

    /// Ends the second process where it is, before the files that it works on are changed.
    func endSecondProcess() async {
        guard let second = processes.removeValue(forKey: 2) else { return }
        _ = await drivers.end(second, isUsable: false)
    }

    /// Ends the case in every process, and gives the processes back.
    func end() async {
        for (_, driver) in processes.sorted(by: { $0.key < $1.key }) where isUsable {
            driver.process.inbox.ask(.ended(id))
            driver.process.send(.end(case: id))
            do throws(DriverFault) {
                _ = try await driver.process.inbox.wait(for: .ended(id), within: limits.answer)
            } catch { trouble(error, "at the end of the case") }
        }
        await release()
    }

    func release() async {
        for (_, driver) in processes.sorted(by: { $0.key < $1.key }) {
            guard isAlone else { return await drivers.checkIn(driver, isUsable: isUsable) }
            if let fault = await drivers.end(driver, isUsable: isUsable) { trouble(fault, "after the end of the case") }
        }
    }
}

extension CaseRun {
    /// Asks the client for an operation, kills it once the bank holds its request, and starts it again.
    ///
    /// A client whose request the bank never holds is not killed: the step ends by itself, and the verdict reports it. The bank then holds no
    /// later request in its stead.
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
        guard !killed.contains(n), !session.journal().entries.hasApplied(rule) else { return }
        session.remove(rule: rule)
        unmetKillRules[n] = rule
    }
}

extension [JournalEntry] {
    /// Whether a rule was applied to any of them.
    func hasApplied(_ rule: String) -> Bool { contains { $0.faults.contains { $0.rule == rule && $0.applied } } }
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
