import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Contracts
import Platform

/// `judge --har`: files in place of a running server.
extension JudgeCommand {
    /// - Throws: `ValidationError` for options that do not go together.
    func validateArchives() throws {
        guard !archives.isEmpty else {
            guard api == nil || through != nil else { throw ValidationError("found --api without --har or --through, expected both") }
            return
        }
        let others = optionsOfSessions + [("--until-quiet", untilQuiet), ("--for", limit != nil)]
        guard let (option, _) = others.first(where: \.1) else { return }
        throw ValidationError("found \(option) with --har, expected one of them: \(option) is for sessions of a running server")
    }

    /// The options for sessions of a running server, and whether each is given.
    var optionsOfSessions: [(String, Bool)] {
        [
            ("--session", !sessions.isEmpty), ("--label", !label.isEmpty), ("--admin", !servers.admins.isEmpty),
            ("--admin-token", servers.adminToken != nil),
        ]
    }

    /// Checks the files, prints what was assumed and the verdicts, and writes the reports.
    ///
    /// - Throws: ``ComplaintsError`` if a file cannot be used; an `ExitCode` that is not 0.
    func judgeArchives(_ required: [String], _ origin: ReportDocument.Origin, since began: ContinuousClock.Instant) throws {
        let verdict = try ArchiveVerdict(
            try ImportFile.all(named: archives, expected: "a HAR file", .archive), try APIDescription(named: api),
            suites: (try? ClientRule.suites(named: suites)) ?? [], isSequential: sequential)
        try conclude(verdict, required, origin, since: began, arguments: ["--har"] + archives.map(RunReport.quoted))
    }

    /// Prints what was assumed and the verdicts, and writes the reports.
    ///
    /// - Parameter arguments: those of the command that checks again.
    /// - Throws: an `ExitCode` that is not 0.
    func conclude(
        _ verdict: ArchiveVerdict, _ required: [String], _ origin: ReportDocument.Origin,
        since began: ContinuousClock.Instant, arguments: [String]
    ) throws {
        let text = verdict.reports.text(require: required, columns: Output.report.columns)
        Output.report.write(verdict.notes.map { $0.inOneLine + "\n" }.joined() + "\n" + text)
        let words = arguments + (api.map { ["--api", RunReport.quoted($0)] } ?? [])
        try conclude(
            verdict.reports, verdict.reports.exitCode(require: required), required, origin, since: began,
            notes: verdict.notes.map(\.inOneLine)
        ) { _ in "counterfoil judge \(words.joined(separator: " "))" }
    }
}

extension APIDescription {
    /// Reads a description.
    ///
    /// - Parameter path: the file that the user names; nil for none, which is a description without any statement.
    init(named path: String?) throws(ComplaintsError) {
        guard let path else {
            self.init()
            return
        }
        self = try Complaints.collecting { complaints in
            FileReader.disk.yaml(path, below: nil, what: "a description of an API", complaints).map { APIDescription($0, complaints) }
        }
    }
}
