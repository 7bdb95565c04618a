import ArgumentParser
import BankModel
import Contracts
import Foundation

/// Where reports are written to, each whole or not at all; nil: not written.
struct ReportFiles {
    var junit: String?
    var json: String?
    var html: String?

    /// Writes those that are wanted. JSON is of one run, JUnit and HTML are of all.
    ///
    /// - Throws: exit code 2, after saying which file cannot be written.
    func write(_ runs: [ReportDocument]) throws {
        if let json, let run = runs.first { try write(run.json.pretty + "\n", to: json) }
        if let junit { try write(ReportDocument.junit(of: runs), to: junit) }
        if let html { try write(HTMLReport(runs).text, to: html) }
    }

    /// Writes one file.
    ///
    /// - Throws: exit code 2, after saying that it cannot be written.
    func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            Output.errors.line("counterfoil: cannot write \(path): \(error.localizedDescription)")
            throw ExitCode(2)
        }
    }
}
