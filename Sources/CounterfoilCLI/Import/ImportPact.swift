import ArgumentParser
import BankImport
import BankModel

/// Makes a bank from pacts.
struct ImportPact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pact", abstract: "Convert the HTTP interactions of pacts to a bank.",
        discussion: """
            Example: counterfoil import pact pacts/app-bank.json --into my-bank --stubs ./Stubs-imported
            Then:    counterfoil serve my-bank --stubs ./Stubs-imported
            Reads pact files of the versions 2, 3 and 4 and writes FOLDER/BANK/bank.yaml with its bodies, and FOLDER/dialects/canned.yaml.
            Each interaction returns its example, whatever the provider's state; if two have the same request, the first is used. A \
            `regex` must match the whole text, as in Pact.
            Locations are JSON Pointers. \(ImportCommand.exitCodes)
            """)

    @Argument(help: "The pact files.")
    var files: [String]

    @Option(help: "Name of the bank.")
    var into: String

    @Option(help: "Output folder; by default BANK-stubs. It must not exist, or be empty, unless --replace is given.")
    var stubs: String?

    @Flag(help: "Write into a folder that is not empty; only this bank and the dialect `canned` are replaced.")
    var replace = false

    @OptionGroup
    var importOptions: ImportOptions

    func validate() throws { try ImportCommand.check(into, of: "--into") }

    func run() throws {
        let imported = try PactImport(name: into).convert(try ImportFile.all(named: files, expected: "a pact"))
        let report = try imported.write(
            bank: into, to: stubs, replaces: replace, inputs: files, source: "interaction", countsRules: false)
        try ImportCommand.print(report, importOptions)
    }
}

/// Makes an outage from Toxiproxy's toxics.
struct ImportToxiproxy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toxiproxy", abstract: "Convert the toxics of a Toxiproxy proxy to an outage.",
        discussion: """
            Example: counterfoil import toxiproxy toxiproxy.json --out ./Stubs/outages/toxics.yaml
            Reads Toxiproxy's configuration, or its response to GET /proxies (only that has toxics). Downstream timeout and reset_peer \
            become lose-reply, because the bank has executed the request; upstream they become hang, close or reset. Toxicity \
            becomes a rule's probability. \(ImportCommand.exitCodes)
            """)

    @Argument(help: "The JSON file.")
    var file: String

    @Option(help: "The plan file.")
    var out: String

    @Option(help: "The proxy, if the file has several.")
    var proxy: String?

    @Flag(help: "Replace an existing plan file.")
    var replace = false

    @OptionGroup
    var importOptions: ImportOptions

    func run() throws {
        let source = try ImportFile(named: file, expected: "Toxiproxy's JSON")
        try WholeFile(out).check(isNoneOf: [file])
        let imported = try ToxiproxyImport(proxy: proxy).convert(source, to: out)
        try ImportWriter(folder: "", replaces: replace).write(imported.files[0])
        let report = ImportReport(
            warnings: imported.warnings, summary: "\(out): \(counted(imported.rules, "rule"))",
            facts: JSONObject([("out", .string(out)), ("rules", .int(imported.rules))]))
        try ImportCommand.print(report, importOptions)
    }
}
