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
        What could not be said, or not exactly, is listed on stderr, what has one reason together; --json lists every place. Exit codes: 0
        written; 1 written, with --strict, and something is listed; 2 usage, unreadable files, or a place for the result that is taken:
        nothing is written.
        """

    /// Runs an import; what is wrong is told on stderr, with exit code 2.
    ///
    /// - Parameter options: what the caller wants to be told, and how.
    static func told(_ options: ImportOptions, _ body: () throws(ComplaintsError) -> ImportReport) throws {
        let report: ImportReport
        do throws(ComplaintsError) { report = try body() } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
        for line in UnsaidList(report.unsaid).lines { Output.errors.line(line) }
        Output.results.line(report.text(asJSON: options.json))
        if options.strict, !report.unsaid.isEmpty { throw ExitCode(1) }
    }
}

/// How an import tells its result; the same for all imports.
struct ImportOptions: ParsableArguments {
    @Flag(help: "The result as one line of JSON on stdout, with every place of what could not be said.")
    var json = false

    @Flag(help: "End with 1 if something could not be said, or not exactly.")
    var strict = false
}

/// What an import tells when it has written.
struct ImportReport {
    var unsaid: [Unsaid]
    private let summary: String
    private let facts: JSONObject

    /// - Parameters:
    ///   - summary: what was written, for people.
    ///   - facts: the same, for programs.
    init(_ imported: Imported, summary: String, facts: JSONObject) {
        unsaid = imported.unsaid
        self.summary = summary
        self.facts = facts
    }

    /// One line for stdout.
    func text(asJSON json: Bool) -> String {
        guard json else {
            return summary + (unsaid.isEmpty ? "" : "; \(counted(unsaid.count, "thing")) could not be said, or not exactly: see above")
        }
        var object = facts
        object["unsaid"] = .array(unsaid.map(\.json))
        return JSON.object(object).text
    }
}

/// `1 rule`, `2 rules`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
