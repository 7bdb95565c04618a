import Contracts

extension TestRun {
    /// Repeats cases in which the client hung or the world was not as the case needs it, one after the other at the end of the run: a machine
    /// with too much to do must not pass for a wrong client.
    ///
    /// Each can take as long as a step may: after one that ends alike again the rest are believed.
    ///
    /// - Parameter again: runs the case with that index.
    static func repeatingDoubtful(_ results: [Came], _ again: (Int) async -> [InstanceResult]) async -> [Came] {
        var results = results
        for place in results.indices where results[place].isDoubtful {
            if Task.isCancelled { break }
            results[place].results = await again(results[place].index)
            if results[place].isDoubtful { break }
        }
        return results
    }

    /// The results of the run with that index.
    struct Came {
        let index: Int
        var results: [InstanceResult]

        /// Whether a step of it was not answered in time, or it is inconclusive.
        fileprivate var isDoubtful: Bool {
            guard let result = results.first else { return false }
            return result.judgement.verdict == .inconclusive || result.evidence.steps.values.contains { $0.outcome == .hung }
        }
    }
}
