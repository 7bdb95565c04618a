package import BankModel

extension KnownFailing {
    /// For how many days a line holds that is written from a run.
    package static let days = 30
}

extension ReportDocument {
    /// The failures of the run as a file of known failures: a line for each case and bank of which no instance passed, else for each
    /// instance. A line of the run's own file keeps its reason and its date; the reason of a new one is the cause.
    ///
    /// - Parameter today: the day on which it is written; a new line holds for ``KnownFailing/days`` more.
    package func knownFailing(on today: CivilDate) -> String {
        let until = CivilDate(daysSinceEpoch: today.daysSinceEpoch + KnownFailing.days)
        let failed = results.filter { $0.verdict == .fail }
        let names = Set(failed.map(\.name))
        // A line for a case covers the invariants that were broken in it.
        let named = failed.filter { result in KnownFailing.instance(of: result.name).map { !names.contains($0) } ?? true }
        let lines = named.map { result in
            let reason = result.known?.reason ?? clipped(result.cause?.title ?? result.headline ?? "it fails", to: 200)
            return "\(pattern(for: result))  # \(reason.inOneLine), until \(result.known?.until ?? until)"
        }
        let title = "# Written by `counterfoil test --write-known-failing` on \(today). Give each line your own reason and date."
        return ([title] + distinct(lines)).joined(separator: "\n") + "\n"
    }

    /// `pay.a@toy[*]` if no instance of the case on the bank passed, else the result's name.
    private func pattern(for result: Result) -> String {
        guard !result.parameters.isEmpty, KnownFailing.instance(of: result.name) == nil else { return result.name }
        let same = results.filter { $0.caseID == result.caseID && $0.bank == result.bank }
        return same.count > 1 && same.allSatisfy { $0.verdict != .pass } ? "\(result.caseID)@\(result.bank)[*]" : result.name
    }
}
