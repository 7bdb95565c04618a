import ArgumentParser
import BankFiles
import BankImport
import BankModel

/// Makes a bank's folder.
struct NewBank: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bank",
        abstract: "Create the folder of a bank: a small template, or one from an API description.",
        discussion: """
            Example: counterfoil new bank mybank
                     counterfoil new bank mybank --openapi api.yaml
            Then:    counterfoil validate mybank && counterfoil serve mybank
            Writes DIR/NAME with bank.yaml and fixtures, and DIR/dialects/NAME.yaml, which defines the bank's error responses. With --openapi \
            (3.0 or 3.1, JSON or YAML) each operation returns the description's first example, or a value made from the schema; \
            lists whose rows have ids become tables; errors, bearer tokens, scopes, required fields and idempotency keys are converted.
            References to other files are followed inside the description's folder only.
            Parts that cannot be converted are listed on stderr: file, JSON pointer, value found, reason and effect.
            Existing files are never replaced. \(ImportCommand.exitCodes)
            """)

    @Argument(help: "The bank's name: small letters, digits and hyphens.")
    var name: String

    @Option(help: "The OpenAPI description; without it a small template is written.")
    var openapi: String?

    @Option(help: "Folder of the banks; created if missing.")
    var stubs = "Stubs"

    @OptionGroup
    var told: ImportOptions

    func validate() throws {
        guard slug(name) == name, !ImportWireMock.reserved.contains(name), name != "corpus" else {
            throw ValidationError("found the name \(name), expected small letters, digits and hyphens, such as my-bank")
        }
    }

    func run() throws {
        try ImportCommand.told(told) { () throws(ComplaintsError) in
            let folder = stubs.count > 1 && stubs.hasSuffix("/") ? String(stubs.dropLast()) : stubs
            let made: Imported
            if let openapi {
                let files = DescriptionFiles(openapi)
                made = try OpenAPIImport(name: name).convert(
                    try files.description(), file: openapi, name: files.name, neighbour: { files.neighbour($0) })
            } else {
                made = BankSkeleton(name: name).made
            }
            try ImportWriter(folder: folder, replaces: false).add(made.files, bank: name) { staged throws(ComplaintsError) in
                _ = try BankLibrary(folder: staged).load(name)
            }
            let serve = "counterfoil serve \(name)" + (folder == "Stubs" ? "" : " --stubs \(folder)")
            return ImportReport(
                made, summary: "\(folder)/\(name): \(counted(made.operations, "operation")); serve it with: \(serve)",
                facts: JSONObject([
                    ("bank", .string(name)), ("stubs", .string(folder)), ("operations", .int(made.operations)),
                    ("files", .array(made.files.map { .string($0.path) })),
                ]))
        }
    }
}
