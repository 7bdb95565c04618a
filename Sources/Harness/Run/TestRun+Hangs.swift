import Contracts

extension TestRun {
    /// Repeats cases in which the client hung beside others, one after the other at the end of the run: a machine with too much to do must
    /// not pass for a client that hangs.
    ///
    /// Each can take as long as a step may: after ``mostHangs`` that hang again the rest are believed.
    ///
    /// - Parameter again: runs the case with that index.
    static func repeatingHangs(_ results: [Came], _ again: (Int) async -> [InstanceResult]) async -> [Came] {
        var results = results
        var hangs = 0
        for place in results.indices where results[place].hasHung {
            guard hangs < mostHangs, !Task.isCancelled else { break }
            results[place].results = await again(results[place].index)
            if results[place].hasHung { hangs += 1 }
        }
        return results
    }

    /// The cases that are repeated in vain.
    private static let mostHangs = 3

    /// The results of the run with that index.
    struct Came {
        let index: Int
        var results: [InstanceResult]

        /// Whether a step of it was not answered in time.
        fileprivate var hasHung: Bool { results.first?.evidence.steps.values.contains { $0.outcome == .hung } ?? false }
    }
}
