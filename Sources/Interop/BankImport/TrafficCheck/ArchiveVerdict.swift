package import BankModel
package import Contracts

/// The check of HTTP archives with the rules for recorded traffic.
package struct ArchiveVerdict: Sendable {
    /// A report for each client: a tab, or a program.
    package let reports: JournalReports
    /// What was checked, assumed and left out, a line for each.
    package let notes: [String]

    /// Reads and checks HAR files.
    ///
    /// - Parameters:
    ///   - suites: the suites whose rules are wanted; empty: all.
    ///   - isSequential: whether the client sends one request at a time, each after it has read the response to the one before.
    /// - Throws: ``ComplaintsError`` if a file is not a HAR.
    package init(
        _ files: [ImportFile], _ description: APIDescription = APIDescription(), suites: [String] = [], isSequential: Bool = false
    ) throws(ComplaintsError) {
        let archive = try ArchiveReader.read(files)
        self.init(
            ArchiveJournal(archive, description), archive, of: files.first?.path ?? "no file", suites: suites, isSequential: isSequential)
    }

    /// - Parameter source: names the report if there is no request.
    init(_ journal: ArchiveJournal, _ archive: Archive, of source: String, dropped: Int = 0, suites: [String], isSequential: Bool) {
        let bank = journal.facts.hosts.map { $0.sorted().joined(separator: ",") } ?? "no host"
        let clients = journal.clients.isEmpty ? [ArchiveJournal.Client(file: source)] : journal.clients
        reports = JournalReports(
            clients.map { client in
                JournalReport(
                    session: [client.file, client.name].compactMap(\.self).joined(separator: ", "), bank: bank, journal: client.journal,
                    dropped: dropped, suites: suites, isSequential: isSequential, isOfOneClient: client.isOne
                ).doubting(journal.doubt)
            })
        notes = ArchiveVerdict.notes(archive, journal)
    }

    /// The requests of HAR files as a journal, those of one client after those of another.
    ///
    /// - Throws: ``ComplaintsError`` if a file is not a HAR, or none has a request to the API.
    package static func journal(_ files: [ImportFile], _ description: APIDescription) throws(ComplaintsError) -> [JournalEntry] {
        let entries = ArchiveJournal(try ArchiveReader.read(files), description).clients.flatMap(\.journal)
        guard !entries.isEmpty else {
            throw ComplaintsError([
                Complaint(
                    "found no request to an API, expected those of a client; name the API's hosts with --api",
                    at: SourcePosition(file: files.first?.path ?? "no file"))
            ])
        }
        return entries
    }

    private static func notes(_ archive: Archive, _ journal: ArchiveJournal) -> [String] {
        let total = archive.entries.count + archive.leftOut.values.reduce(0, +)
        let checked = journal.entries.values.sorted { $0.number < $1.number }
        let recorders = archive.recorders.isEmpty ? "" : " (recorded by \(archive.recorders.joined(separator: ", ")))"
        var notes = ["\(checked.count) of \(counted(total, "request")) checked\(recorders)"]
        if archive.spans.count > 1 {
            notes += archive.spans.map { "exchanges \($0.numbers.lowerBound) to \($0.numbers.upperBound) are the entries of \($0.file)" }
        }
        notes += journal.facts.lines(checked, call: journal.labels.call).map { "assumed  \($0)" }
        notes += LeftOut.allCases.compactMap { reason in journal.leftOut[reason].map { "left out \($0) that \(reason.rawValue)" } }
        notes += archive.notes
        return notes + hints(checked, journal)
    }

    /// What the archive cannot show although rules ask for it, and what a user can do about it.
    private static func hints(_ checked: [RecordedExchange], _ journal: ArchiveJournal) -> [String] {
        let facts = journal.facts
        var hints: [String] = []
        if facts.hosts == nil {
            hints.append("note: no request has a token, an idempotency key or a payment by its name; name the API's hosts in api.yaml")
        } else if !checked.contains(where: { facts.token(of: $0) != nil }) {
            let cause = journal.recorder == .file ? "; Chromium leaves it out unless you export the HAR with sensitive data" : ""
            hints.append("note: no request has a token" + cause)
        }
        if checked.contains(where: { $0.header("cookie") != nil }) {
            hints.append("note: cookies are not checked: a browser sends them by itself")
        }
        let missing = checked.count { $0.requestBody.isMissing || $0.responseBody.isMissing }
        if missing > 0 {
            hints.append("note: \(counted(missing, "exchange")) without a body that was sent; \(journal.recorder.bodyAdvice)")
        }
        let unended = checked.count { $0.duration == nil }
        if unended > 0, journal.recorder == .file {
            hints.append("note: \(counted(unended, "exchange")) without a duration, so no request is known to follow them")
        }
        let keyed = checked.filter { !["GET", "HEAD"].contains($0.method) && facts.key(of: $0) != nil && facts.role(of: $0) != .pay }
        let calls = distinct(keyed.map(journal.labels.call)).prefix(3)
        if !calls.isEmpty {
            hints.append("note: \(calls.joined(separator: ", ")) with an idempotency key; if that pays, name it in api.yaml")
        }
        if journal.clients.count > 1 {
            hints.append("note: \(journal.clients.count) tabs or programs, each checked separately: one may not know what another knows")
        }
        return hints
    }
}
