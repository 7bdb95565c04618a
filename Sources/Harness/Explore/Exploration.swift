package import BankModel
package import Contracts
import DriverProtocol

/// Random scenarios of a client, one after the other on each bank, until the time is over. Each is a case and is tested like any other.
package struct Exploration: Sendable {
    let test: TestRun
    let banks: [BankFacts]
    let faults: [JSON]
    let runs: Int?
    let time: Duration?

    /// The progress of an exploration.
    package enum Event: Sendable {
        case explored(runs: Int, elapsed: Duration)
        case shrinking(String, tried: Int)
        /// A failure that repeats, as it was found, and again when it is shrunk.
        case found(ExploreReport.Found)
    }

    /// - Parameters:
    ///   - test: how cases are run; its repetitions do not count.
    ///   - banks: those that scenarios are for, in turn.
    ///   - faults: the settings of faults that rules choose from.
    ///   - runs: the number of scenarios; nil: as many as there is time for.
    ///   - time: how long it goes on, shrinking included; nil: as long as the scenarios take.
    package init(_ test: TestRun, banks: [BankFacts], faults: [JSON], runs: Int?, time: Duration?) {
        self.test = test.missingKills()
        self.banks = banks
        self.faults = faults
        self.runs = runs
        self.time = time
    }

    /// Explores. A cancelled exploration reports what it has found so far, and the interruption as its trouble.
    package func run(_ event: @escaping @Sendable (Event) -> Void) async -> ExploreReport {
        let began = monotonicNanoseconds()
        var report = ExploreReport(
            client: RunReport.unknownClient, command: test.command.text, options: test.optionsText, seed: test.options.seed)
        let trouble = await test.withDrivers { drivers in
            try await explore(&report, drivers, began, event)
            if Task.isCancelled { report.trouble = report.trouble ?? "the exploration was interrupted" }
        }
        report.trouble = report.trouble ?? trouble
        report.duration = .nanoseconds(monotonicNanoseconds() - began)
        return report
    }

    private func explore(
        _ report: inout ExploreReport, _ drivers: DriverPool, _ began: Int64, _ event: @escaping @Sendable (Event) -> Void
    ) async throws {
        let probes = banks.compactMap(\.probe)
        let hello = try await Greeting(run: test, drivers: drivers).hello(for: probes)
        report.client = hello.client
        var tryOut = TryOutReport(total: probes.count)
        tryOut.tries = await test.tries(probes, hello, drivers, reads: .one)
        if let obstacle = tryOut.obstacle {
            report.trouble = obstacle
            return
        }
        var generators: [ScenarioGenerator] = []
        for bank in banks where hello.banks?.contains(bank.name) ?? true {
            let generator = ScenarioGenerator(bank, hello, faults: faults, views: try await test.declaredViews(of: bank))
            if generator.hasAnything { generators.append(generator) }
        }
        report.banks = generators.map(\.bank.name)
        guard !generators.isEmpty else { return }
        let search = FailureSearch(exploration: self, generators: generators, hello: hello, drivers: drivers, began: began, event: event)
        await search.run(&report)
    }
}

extension BankFacts {
    /// A case that only signs in and reads: the client runs it before anything random.
    fileprivate var probe: Instance? {
        let reads: [DriverOperation] = [.accounts, .transactions, .balance, .atms, .goals]
        let read = reads.first(where: operations.contains).map { [JSON.string($0.rawValue)] } ?? []
        let steps: [JSON] = (hasTokens && operations.contains(.login) ? ["login"] : []) + read
        return Scenario(name: "try", bank: name, steps: steps).instance(on: self, views: [])
    }
}

extension TestRun {
    /// The same run, in which a kill may be missed: what a random scenario does before it may keep the client from sending a request.
    fileprivate func missingKills() -> TestRun {
        var run = self
        run.options.mayMissKills = true
        return run
    }

    /// The operations whose expected results the bank declares for every customer.
    fileprivate func declaredViews(of bank: BankFacts) async throws -> Set<DriverOperation> {
        let session = try await self.bank.openSession(SessionParameters(bank: bank.name, name: "\(label)views", seed: options.seed))
        let logins = bank.customers.isEmpty ? [""] : bank.customers.map(\.login)
        let declared = logins.map { Set(session.expectedViews(customer: $0, timeZone: "UTC").keys) }
        await session.close()
        return declared.dropFirst().reduce(declared.first ?? []) { $0.intersection($1) }
    }
}
