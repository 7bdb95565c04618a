import ArgumentParser
import BankImport
import BankModel

/// Makes an outage from Toxiproxy's toxics.
struct ImportToxiproxy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toxiproxy",
        abstract: "Convert the toxics of a Toxiproxy proxy to an outage.",
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
        let imported = try ToxiproxyImport(proxy: proxy).convert(source, to: out)
        try ImportWriter(folder: "", replaces: replace).write(imported.files[0])
        let report = ImportReport(
            imported, summary: "\(out): \(counted(imported.rules, "rule"))",
            facts: JSONObject([("out", .string(out)), ("rules", .int(imported.rules))]))
        try ImportCommand.print(report, importOptions)
    }
}
