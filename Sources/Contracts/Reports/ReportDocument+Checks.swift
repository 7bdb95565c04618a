extension ReportDocument {
    /// A report of checks that were made without a driver, each once and at level `must`.
    ///
    /// - Parameters:
    ///   - subject: what was checked, as reports name a client.
    ///   - command: the command line that checks again.
    ///   - duration: in milliseconds.
    ///   - trouble: why there is no verdict on the whole; nil if there is one.
    package init(checksOf subject: String, command: String, duration: Int64, trouble: String?, results: [Result]) {
        self.init(client: subject, command: command, seed: 0, duration: duration, trouble: trouble, results: results)
    }
}

extension ReportDocument.Result {
    /// One check.
    ///
    /// - Parameters:
    ///   - id: such as `shapes.accounts`.
    ///   - again: the command that makes it again.
    package init(
        check id: String, suite: String, bank: String, why: String, verdict: Verdict, reasons: [ReportDocument.Reason], timeline: [String],
        again: String
    ) {
        self.init(
            name: "\(id)@\(bank)", caseID: id, suite: suite, bank: bank, parameters: [], level: .must, why: why, repetition: 1,
            verdict: verdict, reasons: reasons, duration: 0, timeline: timeline, stderr: [], outages: [], again: again, known: nil)
    }
}
