import BankModel
import Contracts
import DriverProtocol

extension Exploration {
    /// The search for failures: scenarios beside each other; a new failure alone, three times more, and then ever smaller.
    struct Search {
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
            var drawn = Drawn()
            var alone = 0
            while !isOver(drawn) {
                let suspects = await round(&drawn, known, &report)
                for suspect in suspects where !known.contains(suspect.failure.signature) {
                    let signature = suspect.failure.signature
                    attempts[signature, default: 0] += 1
                    if await resolve(suspect, &alone, &report) || attempts[signature] == Search.attempts { known.insert(signature) }
                }
            }
        }

        /// Whether no new scenario begins.
        private func isOver(_ drawn: Drawn) -> Bool {
            // If hardly any draft is a case, the rest will not be either.
            if let runs = exploration.budget.runs, drawn.begun >= runs || drawn.next >= 100 * runs + 1000 { return true }
            return isPast(.zero)
        }

        /// The scenarios drawn so far.
        private struct Drawn {
            /// The number of the next draft.
            var next = 0
            /// Those that were a case, and begun.
            var begun = 0
        }

        private var elapsed: Duration { .nanoseconds(monotonicNanoseconds() - began) }
        /// The time for shrinking a failure that was found at the end.
        private static let overtime = Duration.seconds(30)

        private func isPast(_ overtime: Duration) -> Bool {
            Task.isCancelled || (exploration.budget.time.map { elapsed >= $0 + overtime } ?? false)
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
        private struct Ran {
            let number: Int
            let scenario: Scenario
            let generator: ScenarioGenerator
            let results: [InstanceResult]
        }

        /// Runs scenarios beside each other until one fails in a way that is not known, or there is no time left.
        private func round(_ all: inout Drawn, _ known: Set<String>, _ report: inout ExploreReport) async -> [Suspect] {
            let width = test.options.width(for: hello)
            var suspects: [Suspect] = []
            var drawn = all
            var exercised = report.exercised
            await width.run(of: Ran.self) {
                while suspects.isEmpty, !isOver(drawn) {
                    let own = drawn.next
                    let generator = generators[own % generators.count]
                    drawn.next += 1
                    guard let scenario = generator.scenario(seed: test.options.seed, number: own) else { continue }
                    drawn.begun += 1
                    let run = drawn.begun
                    return {
                        Ran(
                            number: run, scenario: scenario, generator: generator,
                            results: await self.results(of: scenario, generator, number: own + 1, isBesideOthers: width.most > 1))
                    }
                }
                return nil
            } take: { ran in
                guard !Task.isCancelled, let first = ran.results.first else { return }
                exercised.add(first)
                event(.explored(runs: exercised.runs, elapsed: elapsed))
                suspects += ExploredFailure.all(in: ran.results).filter { !known.contains($0.signature) }.prefix(1).map {
                    Suspect(number: ran.number, scenario: ran.scenario, generator: ran.generator, failure: $0)
                }
            }
            all = drawn
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
            let runs = Counter(alone)
            let generator = suspect.generator
            // The last result of the scenario that was last found to fail.
            let last = Kept()
            /// How many runs in a row fail in the same way.
            func failures(of candidate: Scenario) async -> Int {
                for repetition in 0..<Search.repetitions {
                    if Task.isCancelled { return repetition }
                    let results = await self.results(of: candidate, generator, number: runs.next(), isBesideOthers: false)
                    let same = ExploredFailure.all(in: results).first { $0.signature == signature }
                    guard !Task.isCancelled, let same, same.result.evidence.missedKills.isEmpty else { return repetition }
                    if repetition == Search.repetitions - 1 { last.failure = same }
                }
                return Search.repetitions
            }
            let again = await failures(of: scenario)
            defer { alone = runs.value }
            guard let confirmed = last.failure else {
                let text = suspect.failure.finding?.text ?? ""
                if !Task.isCancelled {
                    report.unrepeated.append(
                        ExploreReport.Unrepeated(
                            signature: signature, oracle: suspect.failure.oracle, text: text, run: suspect.number, again: again))
                }
                return false
            }
            guard var found = reported(confirmed, suspect, scenario, tried: 0) else { return true }
            event(.found(found))
            var shrinking = Shrinking(scenario)
            await shrinking.run(isOver: { isPast(Search.overtime) }) { candidate in
                event(.shrinking(suspect.failure.oracle, tried: runs.value))
                return await failures(of: candidate) == Search.repetitions
            }
            if let failure = last.failure, let smaller = reported(failure, suspect, shrinking.smallest, tried: shrinking.tried) {
                found = smaller
                event(.found(found))
            }
            report.unrepeated.removeAll { $0.signature == signature }
            report.found.append(found)
            return true
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

/// The last failure of one scenario while it is shrunk, by one task after the other.
private final class Kept {
    var failure: ExploredFailure?
}

/// The number of a run that is made alone: it names the session.
private final class Counter {
    private(set) var value: Int

    init(_ value: Int) { self.value = value }

    func next() -> Int {
        value += 1
        return value
    }
}
