extension ReportDocument {
    /// How much of a run reports store and show: a client that sends 10,000 requests must not fill a disk or a terminal.
    package enum Bounds {
        /// Lines of a timeline that files store from its beginning and from its end.
        package static let keptFirst = 200, keptLast = 50
        /// Lines of a timeline that are shown to people.
        package static let shownFirst = 20, shownLast = 5
        /// Reasons that files store, and those that are shown.
        static let reasons = 20, requests = 20, shownReasons = 5
        /// Characters of one line of a timeline, and of one half of a reason.
        static let text = 1000
        /// Notes of a run.
        static let notes = 100
        /// Lines of the end of the driver's stderr, and the characters of each.
        static let stderrLines = 20, stderrLine = 400
        /// Files of a client that were not searched for secrets.
        static let unsearched = 20
        /// Exchanges that files store of one result: the first and the last of them.
        static let firstExchanges = 10, lastExchanges = 5
        /// Instances of a case with one reason whose exchanges files store.
        static let shownInstances = 3
        /// Lines of a head, and the characters of each; characters of a body.
        static let headLines = 40, headLine = 300, body = 2000
        /// The largest count or number of milliseconds in a report that is read, so that millions of them can be added.
        static let numbers = 0...(1 << 40)
    }

    /// The same run with every list and text within ``Bounds``, and with the number of what is left out.
    package var bounded: ReportDocument {
        var document = self
        document.results = results.map(\.bounded)
        document.notes = notes.prefix(Bounds.notes).map { clipped($0, to: Bounds.text) }
        let examples = Set(document.failures.flatMap(\.cases).flatMap { $0.results.prefix(Bounds.shownInstances) })
        for index in results.indices where !examples.contains(index) { document.results[index].keepExchanges(first: 0, last: 0) }
        return document
    }

    /// A report of checks of `subject` without a driver, each once and at level `must`; `duration` is in milliseconds.
    package init(checksOf subject: String, command: String, duration: Int64, trouble: String?, results: [Result]) {
        self.init(client: subject, command: command, seed: 0, duration: duration, trouble: trouble, results: results)
    }
}

extension RequestRef {
    fileprivate var bounded: Self {
        var request = self
        request.path = clipped(path, to: ReportDocument.Bounds.text)
        return request
    }
}

extension ReportDocument.Result {
    fileprivate var bounded: Self {
        typealias Bounds = ReportDocument.Bounds
        var result = self
        let kept = Bounds.keptFirst + Bounds.keptLast
        if timeline.count > kept {
            result.timeline = timeline.prefix(Bounds.keptFirst) + timeline.suffix(Bounds.keptLast)
            result.timelineLeftOut += timeline.count - kept
        }
        result.timeline = result.timeline.map { clipped($0, to: Bounds.text) }
        result.reasons = reasons.prefix(Bounds.reasons).map {
            .init(
                requirement: clipped($0.requirement, to: Bounds.text), source: $0.source, seen: clipped($0.seen, to: Bounds.text),
                requests: $0.requests.suffix(Bounds.requests).map(\.bounded))
        }
        result.reasonsLeftOut += max(0, reasons.count - Bounds.reasons)
        result.unsearched = unsearched.prefix(Bounds.unsearched).map { clipped($0, to: Bounds.text) }
        result.unsearchedLeftOut += max(0, unsearched.count - Bounds.unsearched)
        result.stderr = stderr.suffix(Bounds.stderrLines).map { clipped($0, to: Bounds.stderrLine) }
        result.cause?.title = clipped(cause?.title ?? "", to: Bounds.text)
        result.keepExchanges(first: Bounds.firstExchanges, last: Bounds.lastExchanges)
        result.exchanges = result.exchanges.map(\.bounded)
        return result
    }

    /// Leaves out the exchanges between the first and the last ones, and counts them.
    fileprivate mutating func keepExchanges(first: Int, last: Int) {
        guard exchanges.count > first + last else { return }
        exchangesLeftOut += exchanges.count - first - last
        exchanges = exchanges.prefix(first) + exchanges.suffix(last)
    }

    /// The timeline as it is shown to people: whole if it is short, else the first lines, `… N more …` and the last ones.
    package var shownTimeline: [String] {
        typealias Bounds = ReportDocument.Bounds
        let hidden = timeline.count + timelineLeftOut - Bounds.shownFirst - Bounds.shownLast
        guard hidden > 0 else { return timeline }
        return timeline.prefix(Bounds.shownFirst) + ["             … \(hidden) more …"] + timeline.suffix(Bounds.shownLast)
    }

    /// The reasons after the decisive one as they are shown, each in one line.
    package var furtherReasons: [String] {
        let shown = reasons.prefix(ReportDocument.Bounds.shownReasons).dropFirst().map(\.text)
        let hidden = reasons.count + reasonsLeftOut - 1 - shown.count
        return hidden > 0 ? shown + ["\(hidden) more"] : shown
    }

    /// One check, such as `shapes.accounts`; `again` is the command that makes it again.
    package init(
        check id: String, suite: String, bank: String, why: String, verdict: Verdict, reasons: [ReportDocument.Reason], timeline: [String],
        again: String
    ) {
        self.init(
            name: "\(id)@\(bank)", caseID: id, suite: suite, bank: bank, parameters: [], level: .must, why: why, repetition: 1,
            verdict: verdict, reasons: reasons, duration: 0, timeline: timeline, stderr: [], outages: [], again: again, known: nil)
    }
}
