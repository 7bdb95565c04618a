import ArgumentParser
import BankCore
import BankEngine
import BankExport
import BankFiles
import BankModel
import Foundation
import StubServer

/// Writes a bank's API as a pact.
struct ExportPact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pact",
        abstract: "Write a bank's API as a pact (version 4).",
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
        var omitted: [String] = []
        do throws(ComplaintsError) {
            let named = banks + bank
            // A pact has no state for a consent that a customer has authorised: of a bank whose sign-ins must name one hardly anything is
            // left.
            let found = try BankLibrary.find(stubs, readsExpected: false).sources(named).map(\.bank)
                .filter { !named.isEmpty || $0.consents.values.allSatisfy { $0.row != nil } }
            guard found.count == 1 || output != nil else {
                throw wrong("found \(counted(found.count, "bank")), expected one, or a folder for their files", "--output")
            }
            let pacts = found.map { (bank: $0.name, pact: PactExport(consumer: consumer).convert($0)) }
            for (bank, pact) in pacts where pact.interactions == 0 {
                throw wrong(
                    "found no operation with a successful request, expected at least one: a pact needs an interaction", bank)
            }
            for (bank, pact) in pacts {
                omitted += pact.omitted.map { "\(bank): \($0): no request succeeds" }
                try write(pact.json.pretty + "\n", of: bank, isOnly: pacts.count == 1)
            }
        } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
        for line in omitted { Output.errors.line(line.inOneLine) }
        if !omitted.isEmpty { throw ExitCode(1) }
    }

    private func write(_ text: String, of bank: String, isOnly: Bool) throws(ComplaintsError) {
        guard let output else { return Output.results.write(text) }
        let isFile = isOnly && output.hasSuffix(".json")
        let folder = isFile ? output.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") : output
        let path = isFile ? output : "\(output.hasSuffix("/") ? String(output.dropLast()) : output)/\(consumer)-\(bank).json"
        do {
            if !folder.isEmpty { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        } catch { throw wrong("the folder cannot be created: \(error.plainReason)", folder) }
        do throws(FileError) { try WholeFile(path).write(text) } catch { throw wrong("cannot be written: \(error.reason)", path) }
        Output.results.line(path)
    }
}
