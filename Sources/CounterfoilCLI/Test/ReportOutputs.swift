import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Foundation
import Platform

/// The files of the reports on a client, each written completely or not at all.
struct ReportOutputs: ParsableArguments {
    @Option(help: "Write the report as JUnit XML to this file.")
    var junit: String?

    @Option(help: "Write the report as JSON, which `counterfoil report` reads, to this file.")
    var json: String?

    @Option(help: "Write the report as one HTML page to this file.")
    var html: String?

    @Option(help: "Write the failures as SARIF 2.1.0, for GitHub code scanning, to this file.")
    var sarif: String?

    @Option(help: "Write the failures as a code quality report of GitLab to this file.")
    var gitlab: String?

    @Option(help: "Write a badge with the result, as SVG, to this file.")
    var badge: String?

    /// Looks whether all that are wanted could be written, before a run that may take minutes.
    ///
    /// - Parameters:
    ///   - inputs: the files that the command reads: no report replaces one of them.
    ///   - more: further files that the command writes.
    /// - Throws: ``FileError`` for one that cannot be written.
    func check(reading inputs: [String] = [], _ more: String?...) throws(FileError) {
        try ReportOutputs.check([json, junit, html, sarif, gitlab, badge], reading: inputs)
        try ReportOutputs.check(more)
    }

    /// A random word that makes GitHub Actions read workflow commands again; no driver can guess it.
    static func newWord() -> String {
        "counterfoil-" + hexadecimal(UInt64.random(in: .min ... .max)) + hexadecimal(UInt64.random(in: .min ... .max))
    }

    static func check(_ paths: [String?], reading inputs: [String] = []) throws(FileError) {
        for file in paths.compactMap(\.self).map({ WholeFile($0) }) {
            try file.check(isNoneOf: inputs)
            try file.check()
        }
    }

    /// Writes those that are wanted, within the bounds of every report. JSON is of one run, the others are of all.
    ///
    /// - Parameter code: the exit code of the command, which the badge shows.
    /// - Throws: ``FileError`` for one that cannot be written.
    func write(_ runs: [ReportDocument], _ code: Contracts.ExitCode) throws {
        let runs = runs.map(\.bounded)
        if let json, let run = runs.first { try ReportOutputs.write(run.json.pretty + "\n", to: json) }
        if let junit { try ReportOutputs.write(ReportDocument.junit(of: runs), to: junit) }
        if let html { try ReportOutputs.write(HTMLReport(runs).text, to: html) }
        if let sarif { try ReportOutputs.write(ReportDocument.sarif(of: runs).pretty + "\n", to: sarif) }
        if let gitlab { try ReportOutputs.write(ReportDocument.gitLab(of: runs).pretty + "\n", to: gitlab) }
        if let badge { try ReportOutputs.write(ReportDocument.badge(of: runs, code), to: badge) }
    }

    /// The run with the position of each case in the contracts, as far as one of the reports shows it.
    ///
    /// `judge` needs no contracts: without readable ones the reports leave it out.
    func located(_ document: ReportDocument) -> ReportDocument {
        guard [json, html, sarif, gitlab].contains(where: { $0 != nil }) else { return document }
        let files = ContractFiles.find(nil, stubs: BankLibrary.find(nil))
        let folder = FileManager.default.currentDirectoryPath
        return document.located(files.suites(Complaints()), files.bindingInvariants(Complaints()), from: folder)
    }

    /// Writes one file.
    static func write(_ text: String, to path: String) throws(FileError) { try WholeFile(path).write(text) }
}

extension ReportDocument.Origin {
    /// This moment, this machine and this program.
    static var here: Self {
        let host = ThisProcess.hostName
        return Self(
            started: Instant(seconds: Int64(Date.now.timeIntervalSince1970)), host: host.isEmpty ? nil : host,
            version: Counterfoil.versionText)
    }
}
