import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Foundation

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create a bank, or a driver for your client.",
        discussion: """
            A small bank to edit:           counterfoil new bank mybank
            Your bank's API, from OpenAPI:  counterfoil new bank mybank --openapi api.yaml
            A driver, to test your client:  counterfoil new driver --language python
            """,
        subcommands: [NewBank.self, NewDriver.self])
}

struct NewDriver: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Create the folder of a driver for your client: the kit, a driver to edit, and instructions.",
        discussion: """
            Example: counterfoil new driver --language python
                     counterfoil new driver --language swift --out ~/acme/driver
            The driver signs in, reads a balance and pays at the bank counterfoil; replace its calls with your client's. It \
            passes `counterfoil driver check` unchanged. An existing folder is not overwritten.
            Exit codes: 0 written; 2 usage, or a path that exists: nothing is written.
            """)

    @Option(help: "The language: swift, python, javascript (also for TypeScript) or java (also for Kotlin).")
    var language: KitLanguage

    @Option(help: "The folder to create.")
    var out = "driver"

    func run() throws {
        let folder = out.withoutSlash
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw wrong("found an existing file or folder, expected none: choose another --out, or remove it", folder)
        }
        try ImportWriter(folder: folder, replaces: false).write(try DriverSkeleton(language).files(), bank: "") { _ in }
        Output.results.line("\(folder): a driver in \(language.name); \(folder)/README.md has the commands")
    }
}
