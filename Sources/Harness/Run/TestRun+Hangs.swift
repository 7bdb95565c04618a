import Contracts
import DriverProtocol

extension TestRun {
    /// Repeats cases in which the client hung beside others, one after the other at the end of the run: a machine with too much to do must
    /// not pass for a client that hangs.
    ///
    /// Each can take as long as a step may: after ``mostHangs`` that hang again the rest are believed.
    func repeatingHangs(
        _ results: [Came], _ runs: [Repetition], _ hello: DriverHello, _ drivers: DriverPool
    ) async -> [Came] {
        guard options.jobs(for: hello) > 1, !options.failFast, options.endsCaseAtFailureOf == nil else { return results }
        var results = results
        var hangs = 0
        for place in results.indices where results[place].hasHung {
            guard hangs < TestRun.mostHangs, !Task.isCancelled else { break }
            let index = results[place].index
            results[place].results = await self.results(
                of: runs[index].instance, repetition: runs[index].repetition, number: index + 1, hello, drivers)
            if results[place].hasHung { hangs += 1 }
        }
        return results
    }

    /// The cases that are repeated in vain.
    private static let mostHangs = 3

    /// One instance to run, and the number of the repetition.
    typealias Repetition = (instance: Instance, repetition: Int)

    /// The results of the run with that index.
    struct Came {
        let index: Int
        var results: [InstanceResult]

        /// Whether a step of it was not answered in time.
        fileprivate var hasHung: Bool { results.first?.evidence.steps.values.contains { $0.outcome == .hung } ?? false }
    }
}
