import BankModel
package import Contracts
import DriverProtocol

extension TestRun {
    /// Gets to know a driver and has its client sign in and read on each bank, without any fault. Runs no case.
    ///
    /// - Parameters:
    ///   - instances: what would be run: of these the banks are tried, and those counted that the client cannot run.
    ///   - reads: whether every read that bank and client have is asked for; else one.
    package func tryOutReport(_ instances: [Instance], reads: Reads) async -> TryOutReport {
        var report = TryOutReport(total: instances.count)
        let trouble = await withDrivers { drivers in
            let hello = try await Greeting(run: self, drivers: drivers).hello(for: instances)
            report.hello = hello
            for reason in instances.compactMap({ $0.fitting(hello).unsupported(by: hello) }) { report.unsupported[reason, default: 0] += 1 }
            report.tries = await tries(instances, hello, drivers, reads: reads)
            if Task.isCancelled { report.trouble = "the run was interrupted" }
        }
        report.trouble = report.trouble ?? trouble
        return report
    }

    /// The reads on each bank after the sign-in.
    package enum Reads: Sendable {
        case one, all
    }

    /// Tries each bank of the instances that the client can run, one after the other, until a client does not answer.
    func tries(_ instances: [Instance], _ hello: DriverHello, _ drivers: DriverPool, reads: Reads) async -> [TryOut] {
        var tries: [TryOut] = []
        let candidates = instances.map { $0.fitting(hello) }.filter { $0.unsupported(by: hello) == nil }
        for bank in distinct(candidates.map(\.bank.name)) {
            // Any of them will do; one in clear text, if there is one that is not about certificates.
            let own = candidates.filter { $0.bank.name == bank }
            guard !Task.isCancelled, let model = own.first(where: { !$0.speaksTLS }) ?? own.first else { continue }
            var tried = await tryOut(model, hello, drivers, reads: reads)
            // An overloaded machine is no mistake of the client.
            if tried.steps.contains(where: { $0.outcome == .hung }), !Task.isCancelled {
                let second = await tryOut(model, hello, drivers, reads: reads, again: "-again")
                if second.trouble == nil { tried = second }
            }
            tries.append(tried)
            if tried.hasLostClient { break }
        }
        return tries
    }

    /// - Parameter again: the end of the sessions' names at a second attempt.
    private func tryOut(
        _ model: Instance, _ hello: DriverHello, _ drivers: DriverPool, reads: Reads, again: String = ""
    ) async -> TryOut {
        func both(_ operation: DriverOperation) -> Bool {
            hello.operations.contains(operation.rawValue) && model.bank.operations.contains(operation)
        }
        var tried = TryOut(bank: model.bank.name)
        let signsIn = model.bank.hasTokens
        guard !signsIn || both(.login) else { return tried }
        let wanted = [DriverOperation.accounts, .transactions, .balance, .atms, .goals, .image].filter(both)
        let rounds: [DriverOperation?] = wanted.isEmpty ? [nil] : Array(wanted.prefix(reads == .one ? 1 : wanted.count))
        for (number, read) in rounds.enumerated() {
            let operations = (signsIn ? [.login] : []) + (read.map { [$0] } ?? [])
            guard !operations.isEmpty else { continue }
            let id = "\(label)0-\(model.bank.name)" + (number == 0 ? "" : "-\(number)") + again
            await tried.add(trial(model.asking(operations), id: id, hello, drivers), operations, isFirst: number == 0)
            guard tried.trouble == nil, tried.steps.first.map({ $0.operation != .login || $0.isAnswered }) ?? true else { break }
        }
        return tried
    }

    private func trial(_ instance: Instance, id: String, _ hello: DriverHello, _ drivers: DriverPool) async -> Evidence {
        var limits = options.limits
        limits.step = limits.tryOut
        let evidence = await runOnce(instance, id: id, drivers, isAlone: isAlone(instance, hello), limits: limits).evidence
        if evidence.showsReadingAhead { await drivers.noteReadingAhead() }
        return evidence
    }
}

extension Evidence {
    /// Whether a read came after a step had ended, and while none was under way: the client made it by itself.
    ///
    /// Some clients read ahead only after a sign-in, and give that up at the next step.
    package var showsReadingAhead: Bool {
        guard let ended = steps.values.map(\.ended).min() else { return false }
        return journal.contains { entry in
            let at = entry.monoNanoseconds
            return entry.method == "GET" && at > ended && !steps.values.contains { $0.started <= at && at <= $0.ended }
        }
    }
}

extension Instance {
    private static let tryOut = "try-out"

    /// Whether it is the try-out of a driver, and no case.
    var isTryOut: Bool { caseID == Instance.tryOut }

    /// The same bank, and nothing but these operations: no fault, no given, no expectation.
    fileprivate func asking(_ operations: [DriverOperation]) -> Instance {
        var instance = self
        var plain = Given()
        plain.wireProtocol = given.wireProtocol
        instance.caseID = Instance.tryOut
        instance.why = ""
        instance.parameters = []
        instance.given = plain
        instance.needs = operations
        instance.features = []
        instance.expectations = []
        instance.steps = operations.enumerated().map { NumberedStep(n: $0.offset + 1, .operation($0.element, [])) }
        return instance
    }
}

extension TryOut {
    /// Whether the client hung or ended: it would not respond to a further operation either.
    var hasLostClient: Bool { steps.contains { [.hung, .crashed].contains($0.outcome) } }

    fileprivate mutating func add(_ evidence: Evidence, _ operations: [DriverOperation], isFirst: Bool) {
        for (index, operation) in operations.enumerated() where isFirst || operation != .login {
            guard let outcome = evidence.steps[index + 1]?.outcome else { continue }
            let hasCurrency = ViewDifference.isCurrencyStated(in: evidence.expected)
            steps.append(Step(operation: operation, outcome: outcome, expected: evidence.expected[operation], hasCurrency: hasCurrency))
        }
        trouble = evidence.harnessTrouble ?? evidence.clientTrouble
        if trouble != nil { stderr = evidence.stderr }
    }
}
