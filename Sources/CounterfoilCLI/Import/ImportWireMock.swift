import ArgumentParser
import BankImport
import BankModel
import Platform

/// Makes a bank from WireMock's mappings.
struct ImportWireMock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wiremock", abstract: "Convert a folder of WireMock mappings to a bank.",
        discussion: """
            Example: counterfoil import wiremock ./src/test/resources --out ./Stubs-imported --name ledger
            Then:    counterfoil serve ledger --stubs ./Stubs-imported --plan ledger
            Reads DIR/mappings/**/*.json and DIR/__files, or JSON files in DIR itself; a file holds one mapping or {"mappings": […]}. \
            DIR may be one such file.
            Writes FOLDER/NAME/bank.yaml with its bodies, FOLDER/dialects/canned.yaml, and, where mappings have faults or delays, \
            FOLDER/outages/NAME.yaml: serve it with --plan NAME; without it, those mappings respond without faults.
            If two mappings match one request, the one with the lower priority number is used, then the last in the order of files.
            A mapping without its body file is skipped and listed. \(ImportCommand.exitCodes)
            """)

    @Argument(help: "WireMock's root folder, or one file of mappings.")
    var dir: String

    @Option(help: "Folder of the body files; by default DIR/__files.")
    var files: String?

    @Option(help: "Output folder; by default NAME-stubs. It must not exist, or be empty, unless --replace is given.")
    var out: String?

    @Option(help: "The bank's name; by default derived from the name of DIR.")
    var name: String?

    @Flag(help: "Write into a folder that is not empty; only this bank, its plan and the dialect `canned` are replaced.")
    var replace = false

    @OptionGroup
    var importOptions: ImportOptions

    /// Folders of the library that no bank may be called.
    static let reserved: Set<String> = ["dialects", "outages", "schemas", "corpus"]

    func validate() throws {
        if let name { try ImportCommand.check(name, of: "--name") }
    }

    func run() throws {
        let last = dir.split(separator: "/").last { $0 != "." && $0 != ".." }.map(String.init) ?? "wiremock"
        let word = slug(last.hasSuffix(".json") ? String(last.dropLast(".json".count)) : last)
        let name = name ?? (ImportWireMock.reserved.contains(word) ? "wiremock" : word)
        let isOneFile = FileStatus(dir)?.kind == .plain
        let imported = try WireMockImport(name: name, isOneFile: isOneFile).convert(try sources(isOneFile))
        let inputs = [dir, files].compactMap(\.self)
        let report = try imported.write(
            bank: name, to: out, replaces: replace, inputs: inputs, source: "mapping", countsRules: true)
        try ImportCommand.print(report, importOptions)
    }

    /// The files of DIR; those of another folder in place of its own bodies.
    private func sources(_ isOneFile: Bool) throws(ComplaintsError) -> [ImportFile] {
        let sources = try isOneFile ? [ImportFile(named: dir, expected: "WireMock's mappings")] : SourceFolder(path: dir).files()
        guard let files else { return sources }
        let bodies = try SourceFolder(path: files, what: "the bodies' files").files()
        return sources.filter { !$0.path.hasPrefix(WireMockImport.bodies) }
            + bodies.map { ImportFile(WireMockImport.bodies + $0.path, $0.bytes) }
    }
}
