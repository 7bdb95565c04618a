import BankModel
import Contracts
import DriverProtocol

extension TestRun {
    /// Repeats cases that a machine with too much to do may have failed, one after the other at the end of the run: the client hung, the
    /// preconditions were not met, or the evidence is how long something took.
    ///
    /// If the run is interrupted meanwhile, the failures that were not repeated are inconclusive.
    ///
    /// A hang can take as long as a step may: once a rerun has confirmed one, the other hangs are accepted. So are the other inconclusive runs once
    /// one is confirmed, and of the failures by time of a case the rest.
    ///
    /// - Parameter again: runs the case with that index.
    static func rerunningUncertain(_ results: [IndexedResults], _ again: (Int) async -> [InstanceResult]) async -> [IndexedResults] {
        var results = results
        var confirmed: Set<IndexedResults.RerunReason> = []
        for position in results.indices {
            guard let rerunReason = results[position].rerunReason, !confirmed.contains(rerunReason) else { continue }
            if Task.isCancelled {
                results[position].withdraw()
                continue
            }
            results[position].results = await again(results[position].index)
            if results[position].rerunReason == rerunReason { confirmed.insert(rerunReason) }
        }
        return results
    }

    struct IndexedResults {
        let index: Int
        var results: [InstanceResult]

        /// Why a run is repeated alone.
        enum RerunReason: Hashable {
            /// A step was not answered in time.
            case hang
            /// The run, or an invariant in it, is inconclusive: that of another case confirms no hang.
            case undecided
            /// The case of that id, or an invariant in it, failed by how long something took, or after a step that took as long as the
            /// client's time limit; or its fault was applied to a request that came late.
            case time(String)
        }

        /// Withdraws the failures of a run that can no longer be repeated: the machine may have caused them.
        fileprivate mutating func withdraw() {
            for index in results.indices where results[index].judgement.verdict == .fail {
                results[index].judgement = results[index].judgement.unrepeated
            }
        }

        fileprivate var rerunReason: RerunReason? {
            guard let result = results.first else { return nil }
            let steps = result.evidence.steps.values
            let isInconclusive = results.contains { $0.judgement.verdict == .inconclusive }
            if steps.contains(where: { $0.outcome == .hung }) { return .hang }
            if isInconclusive { return .undecided }
            let isByTime = results.contains { $0.judgement.reasons.contains { $0.finding.isAboutTime } }
            guard results.contains(where: { $0.judgement.verdict == .fail }) else { return isByTime ? .time(result.instance.caseID) : nil }
            // A client that ran out of time reports that, or shows old data.
            let limit = Int64(result.instance.given.timeouts.totalMilliseconds) * 1_000_000
            let ranOut = steps.contains { step in
                if case .error(ClientError.timeout.rawValue, _) = step.outcome { return true }
                return step.ended - step.started >= limit
            }
            return isByTime || ranOut ? .time(result.instance.caseID) : nil
        }
    }
}
