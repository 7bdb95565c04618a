import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Foundation
import Harness

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema for a kind of file, for editors and validators.",
        discussion: """
            Example: counterfoil schema plan > plan.schema.json
            The admin API in OpenAPI: counterfoil schema admin --openapi
            Without a name, lists the kinds. In an editor with yaml-language-server, the first line of a file names its schema:
            # yaml-language-server: $schema=plan.schema.json
            """)

    @Argument(help: "The kind; without it, all kinds are listed.")
    var kind: String?

    @Flag(help: "Print the reference page in Markdown instead of the schema.")
    var markdown = false

    @Flag(name: .customLong("openapi"), help: "Print the calls and responses in OpenAPI 3.1; only for `admin`.")
    var openAPI = false

    @Option(help: "Write every schema and reference page below this folder, and the page of public bugs.")
    var into: String?

    func run() async throws {
        if let into { return try await write(below: URL(filePath: into)) }
        guard let kind else {
            var table = TextTable("KIND", "DESCRIPTION")
            for kind in SchemaKind.all { table.add(kind.name, kind.title) }
            return Output.results.write(table.text(for: .results))
        }
        guard let found = SchemaKind.all.first(where: { $0.name == kind }) else {
            let names = SchemaKind.all.map(\.name)
            let hint = didYouMean(kind, among: names)
            throw ValidationError("found the kind `\(kind)`, expected \(oneOf(names))\(hint)")
        }
        guard openAPI else { return Output.results.write(markdown ? found.page : found.document) }
        guard let description = found.openAPI else {
            let described = SchemaKind.all.filter { $0.openAPI != nil }.map(\.name)
            throw ValidationError("found --openapi with the kind `\(kind)`, expected it with \(oneOf(described))")
        }
        Output.results.write(description().pretty + "\n")
    }

    private func write(below folder: URL) async throws {
        for (path, text) in SchemaKind.files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            Output.errors.line(path)
        }
        try await writeBugs(below: folder)
    }

    /// Writes the page of public bugs, if the folder's contracts have a file of them; the mutants are asked of their program.
    private func writeBugs(below folder: URL) async throws {
        let complaints = Complaints()
        let program = MutantProgram(path: MutantsCommand.beside)
        guard let page = await BugPage.text(of: folder, { await program.mutants($0) }, complaints) else { return }
        guard complaints.errors.isEmpty else {
            throw UsageError(
                "\(BugPage.path) was not written", hint: "fix the files, build everything (make test) and try again",
                because: complaints.errors)
        }
        try Data(page.utf8).write(to: folder.appending(path: BugPage.path))
        Output.errors.line(BugPage.path)
    }
}

/// The page of public bugs in the repository: bug, cases, mutants.
enum BugPage {
    /// The path of the page in the repository.
    static let path = "docs/bug-corpus.md"

    /// The bugs, cases and mutants of a repository; nil if its contracts have no file of bugs.
    ///
    /// - Parameter mutants: asks for them, and complains if there is no answer.
    static func corpus(of root: URL, _ mutants: (Complaints) async -> [MutantRecord], _ complaints: Complaints) async -> BugCorpus? {
        let files = ContractFiles(folder: root.appending(path: "Contracts"), stubs: root.appending(path: "Stubs"))
        guard files.hasBugs else { return nil }
        return BugCorpus(files.bugs(complaints), files.suites(complaints), await mutants(complaints))
    }

    /// The page's text; nil if the repository's contracts have no file of bugs.
    static func text(of root: URL, _ mutants: (Complaints) async -> [MutantRecord], _ complaints: Complaints) async -> String? {
        let corpus = await corpus(of: root, mutants, complaints)
        corpus?.checkNames(complaints)
        return corpus?.page(source: "counterfoil schema --into .", contracts: "../Contracts")
    }
}
