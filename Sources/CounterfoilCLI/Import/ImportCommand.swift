import ArgumentParser
import BankClient
import BankFiles
import BankImport
import BankModel
import Contracts
import Platform

/// Makes our files from other tools'.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Convert files of other tools to banks and outages.",
        discussion: """
            WireMock's mappings:    counterfoil import wiremock ./wiremock --out ./own
            Toxiproxy's toxics:     counterfoil import toxiproxy toxi.json --out toxi.yaml
            Pact's interactions:    counterfoil import pact app-bank.json --into my-bank
            A browser's traffic:    counterfoil import har app.har --out ./own
            Postman's examples:     counterfoil import postman bank.json --out ./own
            Parts that cannot be converted are listed on stderr with their location.
            """,
        subcommands: [ImportWireMock.self, ImportToxiproxy.self, ImportPact.self, ImportHAR.self, ImportPostman.self])

    /// Part of the help of each import.
    static let exitCodes = """
        Parts that could not be converted exactly are listed on stderr, grouped by reason; --json lists every location.
        Exit codes: 0 written; 1 written, but with --strict and at least one part listed; 2 usage, unreadable files, or an output path \
        that exists: nothing is written.
        """

    /// Rejects a name that no bank may have.
    ///
    /// - Parameter option: the option that gives it, for the message.
    static func check(_ name: String, of option: String) throws {
        guard slug(name) == name else {
            throw ValidationError("\(option): found \(name), expected small letters, digits and hyphens, such as my-bank")
        }
        guard !ImportWireMock.reserved.contains(name) else {
            throw ValidationError("\(option): found \(name), the name of a folder beside the banks, expected another such as my-bank")
        }
    }

    /// What to know of a bank's name; nil if nothing.
    static func caution(_ name: String) -> String? {
        guard KnownBanks.names.contains(name) else { return nil }
        return
            "the model client takes a bank with the name \(name) for the included one, whose calls are others: to try it, use another name"
    }

    /// Prints the report of an import.
    ///
    /// - Parameter options: how it is printed.
    /// - Throws: exit code 1, if that is asked for and something could not be converted.
    static func print(_ report: ImportReport, _ options: ImportOptions) throws {
        for line in lines(report.warnings) { Output.errors.line(line.inOneLine) }
        Output.results.line(report.text(asJSON: options.json))
        if options.strict, !report.warnings.isEmpty { throw ExitCode(1) }
    }

    /// The number of reasons shown, and of locations for each; `--json` lists all.
    private static let mostReasons = 100, mostLocations = 5

    /// The notes of an import, for people: those of one reason together, in the order of the first; of many reasons and of many locations
    /// the first ones.
    static func lines(_ warnings: [ImportWarning]) -> [String] {
        func text(_ warning: ImportWarning) -> String { "\(warning.reason) (\(warning.effect.words))" }
        let locations = Dictionary(grouping: warnings, by: text)
        let reasons = distinct(warnings.map(text))
        let shown = reasons.prefix(mostReasons).flatMap { text -> [String] in
            let found = locations[text] ?? []
            if found.count == 1 { return found.map(\.description) }
            let rest = found.count - mostLocations
            return ["\(found.count) times: \(text):"] + found.prefix(mostLocations).map { "    \($0.whereAndWhat)" }
                + (rest > 0 ? ["    and \(counted(rest, "more location")); --json lists all"] : [])
        }
        let rest = reasons.count - mostReasons
        return shown + (rest > 0 ? ["and \(counted(rest, "more reason")); --json lists all"] : [])
    }
}

extension Imported {
    /// Writes a bank of canned responses, if it can be loaded.
    ///
    /// - Parameters:
    ///   - out: the output folder; nil for `BANK-stubs`.
    ///   - inputs: the files and folders that it was made of.
    ///   - source: what the bank is made of, such as `mapping`.
    ///   - countsRules: whether the report has the number of rules.
    func write(
        bank: String, to out: String?, replaces: Bool, inputs: [String], source: String, countsRules: Bool
    ) throws(ComplaintsError) -> ImportReport {
        let out = (out ?? "\(bank)-stubs").withoutSlash
        let writer = ImportWriter(folder: out, replaces: replaces, inputs: inputs)
        try writer.write(files, bank: bank) { staged throws(ComplaintsError) in
            _ = try BankLibrary(folder: staged).load(bank)
        }
        var facts = JSONObject([
            ("bank", .string(bank)), ("out", .string(out)), ("read", .int(sources.read)), ("imported", .int(sources.taken)),
            ("operations", .int(operations)),
        ])
        if countsRules { facts["rules"] = .int(rules) }
        facts["files"] = .array(files.map { .string($0.path) })
        let ruleCount = countsRules ? ", \(counted(rules, "rule"))" : ""
        let serve = "counterfoil serve \(bank) --stubs \(RunReport.quoted(out))" + (rules > 0 ? " --plan \(bank)" : "")
        let taken = "\(sources.taken) of \(counted(sources.read, source))"
        let summary = "\(out)/\(bank): \(taken), \(counted(operations, "operation"))\(ruleCount)"
        return ImportReport(warnings: warnings, summary: "\(summary); serve it with: \(serve)", facts: facts)
    }
}

extension ImportFile {
    /// Reads a file that the user names.
    ///
    /// - Parameter content: the expected content, for messages.
    /// - Throws: ``ComplaintsError`` if it is not read.
    init(named path: String, expected content: String, _ limit: InputLimit = .data) throws(ComplaintsError) {
        do throws(UnreadFile) { self.init(path, try Disk.bytes(named: path, limit)) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: content)])
        }
    }

    /// Reads files that the user names.
    ///
    /// - Throws: ``ComplaintsError`` with every file that is not read.
    static func all(named paths: [String], expected content: String, _ limit: InputLimit = .data) throws(ComplaintsError) -> [ImportFile] {
        try makeAll(paths) { path throws(ComplaintsError) in try ImportFile(named: path, expected: content, limit) }
    }
}

/// How an import prints its result; the same for all imports.
struct ImportOptions: ParsableArguments {
    @Flag(help: "Print the result as one line of JSON, with every part that could not be converted.")
    var json = false

    @Flag(help: "Exit with 1 if any part could not be converted exactly.")
    var strict = false
}

/// The report of an import after it has written its files.
struct ImportReport {
    let warnings: [ImportWarning]
    /// What was written, for people.
    let summary: String
    /// The same, for programs.
    let facts: JSONObject

    /// One line for stdout.
    func text(asJSON json: Bool) -> String {
        guard json else {
            return summary + (warnings.isEmpty ? "" : "; \(counted(warnings.count, "part")) could not be converted exactly: see above")
        }
        var object = facts
        object["unsaid"] = .array(warnings.map(\.json))
        return JSON.object(object).text
    }
}
