import ArgumentParser
import BankModel
import Contracts
import Foundation

/// Makes one report of several runs.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make one report of several runs.",
        discussion: """
            Example: counterfoil report ios.json android.json --html matrix.html
            The files are what `counterfoil test --json FILE` writes. Without --html and --junit, one line for each run is printed.
            """)

    @Argument(help: "Reports as JSON.")
    var files: [String]

    @Option(help: "Write a report of all as one HTML page: clients beside each other.")
    var html: String?

    @Option(help: "Write a report of all as JUnit XML.")
    var junit: String?

    func run() throws {
        var runs: [ReportDocument] = []
        var faults: [String] = []
        for file in files {
            do { runs.append(try document(file)) } catch { faults.append("\(error)") }
        }
        guard faults.isEmpty else {
            Output.errors.line(faults.joined(separator: "\n") + "\ncounterfoil: no report is written")
            throw ExitCode(2)
        }
        try ReportFiles(junit: junit, json: nil, html: html).write(runs)
        for run in runs { Output.results.line(run.summary) }
    }

    private func document(_ file: String) throws(ComplaintsError) -> ReportDocument {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ComplaintsError([Complaint("found a file that cannot be read, expected a report as JSON", at: Place(file: file))])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: Array(data)) } catch {
            throw ComplaintsError([
                Complaint("found no JSON (\(error)), expected what `counterfoil test --json` writes", at: Place(file: file))
            ])
        }
        return try ReportDocument(json: json, file: file)
    }
}
