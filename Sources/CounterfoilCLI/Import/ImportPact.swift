import ArgumentParser
import BankImport
import BankModel

/// Makes a bank from pacts.
struct ImportPact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pact",
        abstract: "Convert the HTTP interactions of pacts to a bank.",
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
        let report = try imported.write(bank: into, to: stubs, replaces: replace, source: "interaction", countsRules: false)
        try ImportCommand.print(report, importOptions)
    }
}
