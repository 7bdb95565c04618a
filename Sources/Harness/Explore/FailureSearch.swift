import BankModel
import Contracts
import DriverProtocol

extension Exploration {
    /// The search for failures: scenarios beside each other; a new failure alone, three times more, and then ever smaller.
    struct FailureSearch {
        let exploration: Exploration
        let generators: [ScenarioGenerator]
        let hello: DriverHello
        let drivers: DriverPool
        let began: Int64
        let event: @Sendable (Event) -> Void

        /// How often a failure must repeat.
        private static let repetitions = 3
        /// How many suspects with one failure are repeated: a failure may not repeat by the chance of its first scenario.
        private static let attempts = 3

        private var test: TestRun { exploration.test }

        func run(_ report: inout ExploreReport) async {
            var known: Set<String> = []
            var attempts: [String: Int] = [:]
            var generated = Generated()
            var alone = 0
            while !isOver(generated) {
                let suspects = await suspects(&generated, known, &report)
                for suspect in suspects where !known.contains(suspect.failure.signature) {
                    let signature = suspect.failure.signature
                    attempts[signature, default: 0] += 1
                    if await resolve(suspect, &alone, &report) || attempts[signature] == FailureSearch.attempts { known.insert(signature) }
                }
            }
        }

        /// Whether no new scenario begins.
        private func isOver(_ generated: Generated) -> Bool {
            // If hardly any draft is a case, the rest will not be either.
            if let runs = exploration.runs, generated.begun >= runs || generated.next >= 100 * runs + 1000 { return true }
            return isPast(.zero)
        }

        /// How many scenarios were generated.
        private struct Generated {
            /// The number of the next draft.
            var next = 0
            /// Those that were a case, and begun.
            var begun = 0
        }

        private var elapsed: Duration { .nanoseconds(monotonicNanoseconds() - began) }
        /// The time for shrinking a failure that was found at the end.
        private static let overtime = Duration.seconds(30)

        private func isPast(_ overtime: Duration) -> Bool {
            Task.isCancelled || (exploration.time.map { elapsed >= $0 + overtime } ?? false)
        }

        /// A failure as it first came.
        private struct Suspect {
            /// The run that had it, from 1.
            let number: Int
            let scenario: Scenario
            let generator: ScenarioGenerator
            let failure: ExploredFailure
        }

        /// One scenario that was run.
        private struct FinishedRun {
            let number: Int
            let scenario: Scenario
            let generator: ScenarioGenerator
            let results: [InstanceResult]
        }

        /// Runs scenarios beside each other until one fails in a way that is not known, or there is no time left.
        private func suspects(_ all: inout Generated, _ known: Set<String>, _ report: inout ExploreReport) async -> [Suspect] {
            let concurrency = test.options.concurrency(for: hello)
            var suspects: [Suspect] = []
            var generated = all
            var exercised = report.exercised
            await concurrency.run(of: FinishedRun.self) {
                while suspects.isEmpty, !isOver(generated) {
                    let own = generated.next
                    let generator = generators[own % generators.count]
                    generated.next += 1
                    guard let scenario = generator.scenario(seed: test.options.seed, number: own) else { continue }
                    generated.begun += 1
                    let run = generated.begun
                    return {
                        FinishedRun(
                            number: run, scenario: scenario, generator: generator,
                            results: await self.results(of: scenario, generator, number: own + 1, isBesideOthers: concurrency.most > 1))
                    }
                }
                return nil
            } take: { run in
                guard !Task.isCancelled, let first = run.results.first else { return }
                exercised.add(first)
                event(.explored(runs: exercised.runs, elapsed: elapsed))
                suspects += ExploredFailure.all(in: run.results).filter { !known.contains($0.signature) }.prefix(1).map {
                    Suspect(number: run.number, scenario: run.scenario, generator: run.generator, failure: $0)
                }
            }
            all = generated
            report.exercised = exercised
            return suspects
        }

        private func results(
            of scenario: Scenario, _ generator: ScenarioGenerator, number: Int, isBesideOthers: Bool
        ) async -> [InstanceResult] {
            guard let instance = scenario.instance(on: generator.bank, views: generator.views) else { return [] }
            return await test.results(
                of: instance, repetition: 1, number: number, isBesideOthers: isBesideOthers, hello, drivers)
        }

        /// Runs a suspect three times more, alone; a failure that stays is shrunk.
        ///
        /// - Returns: whether the failure repeated.
        private func resolve(_ suspect: Suspect, _ alone: inout Int, _ report: inout ExploreReport) async -> Bool {
            let signature = suspect.failure.signature
            // The contract is tested without forgiving a missed kill.
            let missed = suspect.failure.result.evidence.missedKills
            var scenario = suspect.scenario.without(kills: missed, on: suspect.generator.bank)
            scenario.name = suspect.failure.name
            scenario.why = suspect.failure.result.instance.why + " Found by `counterfoil explore --seed \(test.options.seed)`."
            var repetition = Repetition(search: self, generator: suspect.generator, signature: signature, runs: alone)
            let again = await repetition.failures(of: scenario)
            defer { alone = repetition.runs }
            guard let confirmed = repetition.lastFailure else {
                if !Task.isCancelled {
                    report.unrepeated.append(ExploreReport.Unrepeated(failure: suspect.failure, run: suspect.number, again: again))
                }
                return false
            }
            guard var found = reported(confirmed, suspect, scenario, tried: 0) else { return true }
            event(.found(found))
            var shrinking = Shrinking(scenario)
            await shrinking.run(isOver: { isPast(FailureSearch.overtime) }) { candidate in
                event(.shrinking(suspect.failure.oracle, tried: repetition.runs))
                return await repetition.failures(of: candidate) == FailureSearch.repetitions
            }
            if let failure = repetition.lastFailure, let smaller = reported(failure, suspect, shrinking.smallest, tried: shrinking.tried) {
                found = smaller
                event(.found(found))
            }
            report.unrepeated.removeAll { $0.failure.signature == signature }
            report.found.append(found)
            return true
        }

        /// Runs scenarios alone, each some times in a row, to see whether a failure repeats.
        private struct Repetition {
            let search: FailureSearch
            let generator: ScenarioGenerator
            /// The failure that must repeat.
            let signature: String
            /// How many runs were made alone: the number of each names its session.
            var runs: Int
            /// The last failure of the scenario that was last found to fail each time.
            var lastFailure: ExploredFailure?

            /// How many runs in a row fail in the same way.
            mutating func failures(of candidate: Scenario) async -> Int {
                for count in 0..<FailureSearch.repetitions {
                    if Task.isCancelled { return count }
                    runs += 1
                    let results = await search.results(of: candidate, generator, number: runs, isBesideOthers: false)
                    let same = ExploredFailure.all(in: results).first { $0.signature == signature }
                    guard !Task.isCancelled, let same, same.result.evidence.missedKills.isEmpty else { return count }
                    if count == FailureSearch.repetitions - 1 { lastFailure = same }
                }
                return FailureSearch.repetitions
            }
        }

        private func reported(
            _ failure: ExploredFailure, _ suspect: Suspect, _ scenario: Scenario, tried: Int
        ) -> ExploreReport.Found? {
            let generator = suspect.generator
            guard let file = scenario.file(on: generator.bank, views: generator.views) else { return nil }
            return ExploreReport.Found(
                failure: failure, original: suspect.scenario, scenario: scenario, run: suspect.number, tried: tried,
                words: scenario.words(on: generator.bank), file: file)
        }
    }
}
