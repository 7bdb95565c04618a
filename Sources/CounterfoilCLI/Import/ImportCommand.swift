import ArgumentParser
import BankImport
import BankModel

/// Makes our files from other tools'.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make banks and outages from files of other tools.",
        discussion: """
            Canned replies from WireMock:    counterfoil import wiremock ./wiremock --out ./Stubs-imported
            Toxics from Toxiproxy:           counterfoil import toxiproxy toxiproxy.json --out ./Stubs/outages/toxics.yaml
            Interactions from Pact:          counterfoil import pact app-bank.json --into my-bank
            What cannot be said is listed on stderr with its place, never dropped in silence.
            """,
        subcommands: [ImportWireMock.self, ImportToxiproxy.self, ImportPact.self])

    /// Told by each import's help.
    static let exitCodes = """
        Exit codes: 0 everything is said; 1 written, and what could not be said, or not exactly, is listed on stderr; 2 usage, unreadable
        files, or a place for the result that is taken: nothing is written.
        """

    /// Runs an import; what is wrong is told on stderr, with exit code 2.
    static func told(_ body: () throws(ComplaintsError) -> ImportReport) throws {
        let report: ImportReport
        do throws(ComplaintsError) { report = try body() } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
        for unsaid in report.unsaid { Output.errors.line("\(unsaid)") }
        Output.results.line(report.text)
        if !report.unsaid.isEmpty { throw ExitCode(1) }
    }
}

/// What an import tells when it has written.
struct ImportReport {
    var unsaid: [Unsaid]
    /// One line for stdout.
    var text: String

    /// - Parameters:
    ///   - summary: what was written, for people.
    ///   - facts: the same, for programs.
    init(_ imported: Imported, summary: String, facts: JSONObject, json: Bool) {
        unsaid = imported.unsaid
        var object = facts
        object["unsaid"] = .array(imported.unsaid.map(\.json))
        let rest = unsaid.isEmpty ? "" : "; \(counted(unsaid.count, "thing")) could not be said, or not exactly: see above"
        text = json ? JSON.object(object).text : summary + rest
    }
}

/// `1 rule`, `2 rules`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
