import BankModel
import Contracts
import DriverProtocol
import Faults

extension CaseRun {
    /// Does one step, and the scan of the disk that an expectation wants after it.
    func perform(_ step: NumberedStep) async {
        if await drivers.readsAhead { await endReadingAhead() }
        if announcesEnds, instance.stepsThatAnnounceEnds.contains(step.n) { session.endConnectionsAfterResponses() }
        await startProcesses(for: step)
        if case .together(let members) = step.action {
            await performTogether(members)
        } else {
            await performAlone(step)
        }
        for member in step.flattened where instance.expectations.contains(where: { $0.scansAfter.contains(member.n) }) {
            await pause(limits.beforeScan)
            search(folder, for: scan(withData: instance.expectations.contains { $0.needs.contains(.data) }), after: member.n)
        }
    }

    private func performAlone(_ step: NumberedStep) async {
        switch step.action {
        case .operation(.login, _) where !instance.bank.hasTokens || lacksOptionalSignIn: note(step.n, .skipped)
        case .operation(let operation, let arguments): await ask(step.n, operation, arguments)
        case .kill(let kill): await perform(kill, step.n)
        case .cancel(let n):
            process(of: n)?.send(.cancel(case: id, n: n))
            note(step.n, .done)
        case .damageDisk:
            var damaged = 0
            await endSecondProcess()
            await restart { damaged = DiskDamage(below: folder).apply() }
            note(step.n, damaged == 0 ? .skipped : .done)
        case .disk(let failure): await perform(failure, step.n)
        case .browser(let browser): await perform(browser, step.n)
        case .redirect(let change):
            signIn.redirect = signIn.redirect.map(change.applied)
            note(step.n, .done)
        case .connections(.warm):
            guard let read = instance.bank.read else { return note(step.n, .skipped) }
            await ask(step.n, read, [])
        case .connections(.cold):
            await session.closeIdleConnections(within: limits.condition)
            note(step.n, .done)
        default: await performByBank(step)
        }
    }

    /// Whether the client has no sign-in and the case does not need one, as that of a receiver of webhooks.
    private var lacksOptionalSignIn: Bool {
        guard let client = processes[1], !instance.needs.contains(.login) else { return false }
        return !client.hello.operations.contains(DriverOperation.login.rawValue)
    }

    /// The steps in which the client takes no part.
    private func performByBank(_ step: NumberedStep) async {
        do {
            switch step.action {
            case .fault(let rule):
                let id = try session.set(rule)
                evidence.rules.append(Evidence.ArmedRule(step: step.n, id: id, rule: rule, applied: 0))
            case .tokens(let action): try session.tokens(action)
            case .happen(let event): return await happen(event, step.n)
            case .webhook(let action):
                // A receiver elsewhere than on this machine gets none.
                return attempt(step.n) {
                    if let secret = try session.webhook(action, url: receiver.url) { receiver.secret = secret }
                }
            case .challenge(let decision): return attempt(step.n) { try session.decideChallenge(approves: decision == .approve) }
            case .outage(let name?): try start(outage: name, step: step.n)
            case .outage(nil): endOutage()
            case .endFaults: endFaults()
            case .release: session.release()
            case .advance(let duration): try session.advance(by: duration)
            case .deviceClock(let ahead): deviceAhead = ahead
            case .wait(let duration): await pause(duration)
            case .restart: await restart(step.process)
            case .operation, .connections, .together, .kill, .cancel, .held, .damageDisk, .disk, .browser, .redirect: break
            }
            await session.waitForPorts()
            note(step.n, .done)
        } catch {
            evidence.harnessTrouble = "step \(step.n) (\(step.action)) was rejected by the bank: \(error)"
        }
    }

    private func happen(_ event: BankEvent, _ n: Int) async {
        var event = event
        if case .moves = event.kind.effect, event.account == nil {
            event.account = session.defaults(of: .transactions, customer: signIn.customer ?? instance.customer?.login)["account"]?.string
        }
        attempt(n) { try session.happen(event) }
        await delivered()
    }

    /// Does what may be impossible at the bank, which is no fault of the client and no error of the harness.
    private func attempt(_ n: Int, _ change: () throws -> Void) {
        do {
            try change()
            note(n, .done)
        } catch {
            note(n, .error("impossible", detail: "\(error)"))
        }
    }

    /// Waits until each webhook that is due was sent, and answered or given up, which takes 5 s at most.
    private func delivered() async { await waitUntil(within: .seconds(6)) { [session] _ in !session.isDelivering } }

    /// Asks the client for an operation and waits for its result.
    func ask(_ n: Int, _ operation: DriverOperation, _ arguments: [StepAction.Argument]) async {
        guard let process = process(of: n) else { return }
        if operation == .events { await delivered() }
        let started = monotonicNanoseconds()
        do {
            let filled = try self.arguments(of: operation, arguments)
            evidence.arguments[n] = filled
            let watch = Task { [seen = session.journal().entries.last?.seq ?? 0] in await watchDisk(during: n, since: seen) }
            defer { watch.cancel() }
            process.inbox.ask(.result(id, n))
            process.send(.step(case: id, n: n, operation: operation.rawValue, arguments: filled, now: session.now + deviceAhead))
            let received = try await process.inbox.wait(for: .result(id, n), within: stepLimit)
            guard case .result(_, _, let result, let note) = received.message else { return }
            // A client that shows the content of a damaged response fails its case: the driver only passes it on.
            if case .ok(let view) = result, let mistake = ViewShape(of: operation).mistake(in: view), !hasChangedContent {
                throw DriverFault.mistake("\(mistake); the line was `\(received.line.prefix(300))`")
            }
            freeTexts[n] = received.freeText
            evidence.steps[n] = StepReport(StepOutcome(result), started: started, ended: received.at, note: note)
            if case .ok(let view) = result {
                signIn.note(n, operation, view, filled)
                if operation == .events { receiver.url = view["url"]?.string }
            } else if operation == .authorizeBegin {
                // The browser must not open the address of an earlier attempt.
                signIn.address = nil
            }
        } catch let fault as DriverFault {
            if killed.contains(n), fault == .ended { return note(n, .killed, started: started) }
            if case .hung = fault { note(n, .hung, started: started) }
            if case .gone = fault { note(n, .crashed, started: started) }
            trouble(fault, "in step \(n) (\(operation.rawValue))")
        } catch {
            evidence.harnessTrouble = "step \(n) (\(operation.rawValue)) could not be sent: \(error)"
        }
    }

    /// The time that a step may take, by the client's own pace in the steps before it.
    private var stepLimit: Duration {
        let succeeded = evidence.steps.values.filter { if case .ok = $0.outcome { true } else { false } }
        return limits.step(
            of: instance.mostRequests, requests: session.journal().entries.count { $0.method != nil },
            in: .nanoseconds(succeeded.reduce(0) { $0 + $1.ended - $1.started }))
    }

    func note(_ n: Int, _ outcome: StepOutcome, started: Int64? = nil) {
        let now = monotonicNanoseconds()
        evidence.steps[n] = StepReport(outcome, started: started ?? now, ended: now)
    }

    /// Starts the members in order, each once the bank has read or held the one before, and waits for all.
    ///
    /// A `release` waits until no member is open but those that the bank holds. A client that does one thing after the
    /// other cannot get there; for it the wait ends at its bound. A `cancel` or a `disk` in a case with faults waits until the bank
    /// holds a request, and a `held` in any case: a step may take several, and the first of them need not be the one that the fault
    /// is for.
    private func performTogether(_ members: [NumberedStep]) async {
        var running: [(n: Int, task: Task<Void, Never>)] = []
        for member in members {
            if case .operation = member.action {
                let seen = session.journal().entries.last?.seq ?? 0
                running.append((member.n, Task { await self.performAlone(member) }))
                await waitUntil { [session] run in
                    run.isDone(member.n) || session.journal().entries.last.map { $0.seq > seen } ?? false
                }
            } else {
                let open = running.map(\.n)
                switch member.action {
                case .release: await waitUntil { [session] run in run.stillOpen(open) <= session.heldCount }
                case .held: await waitUntil { [session] run in run.stillOpen(open) == 0 || session.heldCount > 0 }
                case .cancel(let n) where !evidence.rules.isEmpty:
                    await waitUntil { [session] run in run.isDone(n) || session.heldCount > 0 }
                case .disk where !evidence.rules.isEmpty:
                    await waitUntil { [session] run in run.stillOpen(open) < open.count || session.heldCount > 0 }
                default: break
                }
                await performAlone(member)
            }
        }
        for (_, task) in running { await task.value }
    }

    func isDone(_ n: Int) -> Bool { evidence.steps[n] != nil || !isUsable }

    private func stillOpen(_ steps: [Int]) -> Int { steps.count { !isDone($0) } }

    /// Waits until a condition holds, checking again whenever the journal changes, at most for the limit, by default ``Limits/condition``.
    func waitUntil(within limit: Duration? = nil, until condition: @Sendable (isolated CaseRun) -> Bool) async {
        let end = monotonicNanoseconds() + (limit ?? limits.condition).nanoseconds
        while monotonicNanoseconds() < end, isUsable, !Task.isCancelled {
            if condition(self) { return }
            let last = session.journal().entries.last?.seq ?? 0
            await session.journalChanged(since: last, within: .milliseconds(10))
        }
    }

    /// Waits until what the client reads ahead has reached the bank and was answered: it belongs to the time before the next step.
    private func endReadingAhead() async {
        let end = monotonicNanoseconds() + limits.condition.nanoseconds
        var last: Int
        repeat {
            last = session.journal().entries.last?.seq ?? 0
            await session.waitForExchanges(within: limits.quiet)
            await session.journalChanged(since: last, within: limits.quiet)
        } while session.journal().entries.last?.seq ?? 0 != last && isUsable && !Task.isCancelled && monotonicNanoseconds() < end
    }

    private func pause(_ duration: Duration) async {
        do { try await clock.sleep(for: duration) } catch { return }
    }
}

extension TestSession {
    /// The number of exchanges, of any step, that the bank now holds by any rule.
    fileprivate var heldCount: Int { journal().entries.count { $0.durationMicroseconds == nil && $0.fault != nil } }
}

extension Instance {
    /// The steps from which on the responses announce the end of their connection, up to a step `connections: cold`.
    ///
    /// A client that has just been sent a FIN on an idle connection may use that connection once more, and cannot know then what happened to
    /// its request. So no connection is left idle: all responses before the step announce the end, unless a request in between needs a
    /// connection that is kept, or HTTP/2 has only one.
    fileprivate var stepsThatAnnounceEnds: Set<Int> {
        var found: Set<Int> = []
        var asked: [Int] = []
        var needsKept = given.wireProtocol == .h2
        for step in steps {
            switch step.action {
            case .connections(.cold):
                if let first = needsKept ? asked.last : asked.first { found.insert(first) }
                asked = []
                needsKept = given.wireProtocol == .h2
            case .connections(.warm):
                asked.append(step.n)
                needsKept = true
            case .fault(let rule) where rule.on.connection == .warm: needsKept = true
            case _ where step.flattened.contains { $0.action.asked != nil }: asked.append(step.n)
            default: break
            }
        }
        return found
    }
}

extension StepOutcome {
    init(_ result: StepResult) {
        switch result {
        case .ok(let view): self = .ok(view: view)
        case .error(let name, let detail): self = .error(name, detail: detail)
        case .silent(let error): self = .silent(error: error)
        case .unsupported: self = .unsupported
        }
    }
}
