import ArgumentParser
import BankModel
import Contracts

/// The files of the reports, each written completely or not at all; nil if not requested.
struct ReportOutputs {
    var junit: String?
    var json: String?
    var html: String?
    /// The failures of the run, as `--known-failing` reads them.
    var knownFailing: String?

    /// Looks whether all that are wanted could be written, before a run that may take minutes.
    ///
    /// - Throws: exit code 2, after saying which file cannot be written.
    func check() throws {
        for path in [json, junit, html, knownFailing] {
            guard let path else { continue }
            try telling { () throws(FileError) in try WholeFile(path).check() }
        }
    }

    /// Writes those that are wanted, within the bounds of every report. JSON is of one run, JUnit and HTML are of all.
    ///
    /// - Throws: exit code 2, after saying which file cannot be written.
    func write(_ runs: [ReportDocument]) throws {
        let runs = runs.map(\.bounded)
        if let json, let run = runs.first { try write(run.json.pretty + "\n", to: json) }
        if let junit { try write(ReportDocument.junit(of: runs), to: junit) }
        if let knownFailing, let run = runs.first { try write(run.knownFailing(on: .today), to: knownFailing) }
        if let html { try write(HTMLReport(runs).text, to: html) }
    }

    /// Writes one file.
    ///
    /// - Throws: exit code 2, after saying that it cannot be written.
    func write(_ text: String, to path: String) throws {
        try telling { () throws(FileError) in try WholeFile(path).write(text) }
    }

    private func telling(_ work: () throws(FileError) -> Void) throws {
        do throws(FileError) {
            try work()
        } catch {
            Output.errors.error("\(error)")
            throw ExitCode(2)
        }
    }
}
