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
            All banks, a file CONSUMER-BANK.json each: counterfoil export pact --output ./pacts
            For each operation the pact has the request that is carried out and the refusals that matter: no token, a revoked one, no key,
            a key used for something else, nothing there, too little money. Ids, dates and amounts have rules, so that the pact can be held
            against a real bank too. What must be so before stands in provider states; a session makes them so when a verifier asks
            POST /__admin/sessions/BANK/provider-state, and tells the token and the ids that the generators put into the requests:
            Verifier("roundup", host="127.0.0.1").add_transport(url="http://127.0.0.1:8080/roundup").add_source("pacts/app-roundup.json")
            .state_handler("http://127.0.0.1:8081/__admin/sessions/roundup/provider-state", body=True).follow_redirects(False).verify()
            The same files give the same bytes.
            Exit codes: 0 written; 1 written, and operations for which no request could be made are listed on stderr; 2 usage, unreadable
            files, or a place for the result that cannot be written.
            """)

    @Argument(help: "The banks, by folder; all if none is named.")
    var banks: [String] = []

    @Option(help: "A bank, as if named without --bank.")
    var bank: [String] = []

    @Option(help: "File for the result, or a folder; one bank goes to stdout by default.")
    var output: String?

    @Option(help: "Who is said to have written the pact.")
    var consumer = "app"

    @Option(help: "Folder of the banks; by default ./Stubs, or the one installed with the program.")
    var stubs: String?

    func validate() throws {
        guard !consumer.isEmpty, !consumer.contains("/") else {
            throw ValidationError("--consumer: found \"\(consumer)\", expected a name without a slash")
        }
    }

    func run() throws {
        var untold: [String] = []
        do throws(ComplaintsError) {
            let found = try BankLibrary.find(stubs, readsExpected: false).sources(banks + bank).map(\.bank)
            guard found.count == 1 || output != nil else {
                throw wrong("found \(found.count) banks, expected one, or a folder for their files", "--output")
            }
            let pacts = found.map { (bank: $0.name, pact: PactExport(consumer: consumer).convert($0)) }
            for (bank, pact) in pacts where pact.interactions == 0 {
                throw wrong(
                    "found no operation for which a request could be made, expected one at least: a pact needs an interaction", bank)
            }
            for (bank, pact) in pacts {
                untold += pact.untold.map { "\(bank): \($0): no request could be made that is carried out" }
                try write(pact.json.pretty + "\n", of: bank, isOnly: pacts.count == 1)
            }
        } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
        for line in untold { Output.errors.line(line) }
        if !untold.isEmpty { throw ExitCode(1) }
    }

    private func write(_ text: String, of bank: String, isOnly: Bool) throws(ComplaintsError) {
        guard let output else { return Output.results.write(text) }
        let isFile = isOnly && output.hasSuffix(".json")
        let folder = isFile ? output.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") : output
        let path = isFile ? output : "\(output.hasSuffix("/") ? String(output.dropLast()) : output)/\(consumer)-\(bank).json"
        do {
            if !folder.isEmpty { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        } catch { throw wrong("the folder cannot be made: \(error.plainReason)", folder) }
        do throws(FileError) { try WholeFile(path).write(text) } catch { throw wrong("cannot be written: \(error.reason)", path) }
        Output.results.line(path)
    }

    private func wrong(_ message: String, _ file: String) -> ComplaintsError {
        ComplaintsError([Complaint(message, at: Place(file: file))])
    }
}
