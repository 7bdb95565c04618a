import ArgumentParser
import BankModel
import Contracts
import Foundation

/// Makes one report of several runs.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Combine the reports of several runs.",
        discussion: """
            Example: counterfoil report ios.json android.json --html matrix.html
            Reads files written by `counterfoil test --json FILE`. Without --html and --junit, prints one line per run.
            """)

    @Argument(help: "Reports as JSON.")
    var files: [String]

    @Option(help: "Write the combined report as one HTML page, clients side by side.")
    var html: String?

    @Option(help: "Write the combined report as JUnit XML.")
    var junit: String?

    func run() throws {
        var runs: [ReportDocument] = []
        var errors: [String] = []
        for file in files {
            do { runs.append(try document(file)) } catch { errors.append("\(error)") }
        }
        guard errors.isEmpty else {
            Output.errors.line(errors.joined(separator: "\n"))
            Output.errors.error("no report was written")
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
