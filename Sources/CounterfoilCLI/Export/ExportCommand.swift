import ArgumentParser
import BankCore
import BankEngine
import BankExport
import BankFiles
import BankModel
import StubServer

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export banks to formats of other tools.",
        discussion: """
            As OpenAPI 3.1:  counterfoil export openapi roundup --output roundup.json
            As a pact:       counterfoil export pact roundup --output roundup-pact.json
            """,
        subcommands: [ExportOpenAPI.self, ExportPact.self])

    fileprivate static func write(_ text: String, to path: String, reading sources: [BankSource]) throws(ComplaintsError) {
        do throws(FileError) {
            try WholeFile(path).check(isNoneOf: sources.flatMap(\.files))
            try WholeFile(path).write(text)
        } catch { throw wrong("cannot be written: \(error.reason)", path) }
    }
}

struct ExportOpenAPI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Write a bank's API as OpenAPI 3.1.",
        discussion: """
            Example: counterfoil export openapi roundup --output roundup.json
            All banks, one file each: counterfoil export openapi --output ./descriptions
            The description has every status that the bank can return, in operation or during an outage; its schemas accept the fixtures \
            and the rows that operations add, its examples are the bank's responses. The same files give the same bytes.
            Exit codes: 0 written; 2 usage, unreadable files, or an output path that cannot be written.
            """)

    @Argument(help: "The banks to describe, by folder; by default all.")
    var banks: [String] = []

    @Option(help: "Output file, or a folder for several banks; by default one bank is written to stdout.")
    var output: String?

    @Option(help: "The bank's address; by default that of counterfoil serve.")
    var server: String?

    @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    func run() throws {
        let sources = try BankLibrary.find(stubs, readsExpected: false).sources(banks)
        if sources.count == 1, let bank = sources.first?.bank {
            guard let output else { return Output.results.write(text(of: bank)) }
            return try ExportCommand.write(text(of: bank), to: output, reading: sources)
        }
        guard let output, !output.isEmpty else {
            throw wrong("found \(counted(sources.count, "bank")), expected one, or a folder for their files", "--output")
        }
        try StagedFiles.makeFolder(of: "\(output)/")
        for bank in sources.map(\.bank) { try ExportCommand.write(text(of: bank), to: "\(output)/\(bank.name).json", reading: sources) }
    }

    private func text(of bank: Bank) -> String {
        OpenAPIDocument(bank, version: Counterfoil.versionText, servers: servers(of: bank.name)).json.pretty + "\n"
    }

    /// Of several banks each is below its name, one alone is at the top.
    private func servers(of bank: String) -> [String] {
        if let server { return [server.withoutSlash] }
        return ["http://127.0.0.1:8080/\(bank)", "http://127.0.0.1:8080"]
    }
}

struct ExportPact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pact", abstract: "Write a bank's API as a pact (version 4).",
        discussion: """
            Example: counterfoil export pact roundup --output pacts/app-roundup.json
            All banks, one file CONSUMER-BANK.json each: counterfoil export pact --output ./pacts
            For each operation the pact has a successful request and the relevant rejections: no token, a revoked one, no key, \
            a key used for another payment, not found, insufficient funds. Ids, dates and amounts have matching rules, so that the pact \
            also verifies a real bank. Preconditions are provider states; a session establishes them when a verifier sends \
            POST /__admin/sessions/BANK/provider-state, and returns the token and the ids that the generators put into the requests:
            Verifier("roundup", host="127.0.0.1").add_transport(url="http://127.0.0.1:8080/roundup").add_source("pacts/app-roundup.json")
            .state_handler("http://127.0.0.1:8081/__admin/sessions/roundup/provider-state", body=True).follow_redirects(False).verify()
            The same files give the same bytes.
            Exit codes: 0 written; 1 written, with the operations without a successful request on stderr; 2 usage, unreadable \
            files, or an output path that cannot be written.
            """)

    @Argument(help: "The banks, by folder; by default all.")
    var banks: [String] = []

    @Option(help: "A bank; the same as an argument.")
    var bank: [String] = []

    @Option(help: "Output file or folder; by default one bank is written to stdout.")
    var output: String?

    @Option(help: "The consumer's name in the pact.")
    var consumer = "app"

    @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    func validate() throws {
        guard !consumer.isEmpty, !consumer.contains("/") else {
            throw ValidationError("--consumer: found \"\(consumer)\", expected a name without a slash")
        }
    }

    func run() throws {
        let named = banks + bank
        // A pact has no state for a consent that a customer has authorised: of a bank whose sign-ins must name one hardly anything is left.
        let sources = try BankLibrary.find(stubs, readsExpected: false).sources(named)
        let found = sources.map(\.bank).filter { !named.isEmpty || $0.consents.values.allSatisfy { $0.row != nil } }
        guard found.count == 1 || output != nil else {
            throw wrong("found \(counted(found.count, "bank")), expected one, or a folder for their files", "--output")
        }
        let pacts = found.map { (bank: $0.name, pact: PactExport(consumer: consumer).convert($0)) }
        for (bank, pact) in pacts where pact.interactions == 0 {
            throw wrong("found no operation with a successful request, expected at least one: a pact needs an interaction", bank)
        }
        var omitted: [String] = []
        for (bank, pact) in pacts {
            omitted += pact.omitted.map { "\(bank): \($0): no request succeeds" }
            try write(pact.json.pretty + "\n", of: bank, isOnly: pacts.count == 1, reading: sources)
        }
        for line in omitted { Output.errors.line(line.inOneLine) }
        if !omitted.isEmpty { throw ExitCode(1) }
    }

    private func write(_ text: String, of bank: String, isOnly: Bool, reading sources: [BankSource]) throws(ComplaintsError) {
        guard let output else { return Output.results.write(text) }
        guard !output.isEmpty else { throw wrong("found an empty path, expected a file or a folder", "--output") }
        let isFile = isOnly && output.hasSuffix(".json")
        let path = isFile ? output : "\(output.withoutSlash)/\(consumer)-\(bank).json"
        try StagedFiles.makeFolder(of: path)
        try ExportCommand.write(text, to: path, reading: sources)
        Output.results.line(path)
    }
}
