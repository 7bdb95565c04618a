import ArgumentParser
import BankCore
import BankEngine
import BankExport
import BankFiles
import BankModel
import Foundation
import StubServer

/// Writes a bank's API as OpenAPI.
struct ExportOpenAPI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi",
        abstract: "Write a bank's API as OpenAPI 3.1.",
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
        do throws(ComplaintsError) {
            let sources = try BankLibrary.find(stubs, readsExpected: false).sources(banks)
            if sources.count == 1, let bank = sources.first?.bank {
                guard let output else { return Output.results.write(text(of: bank)) }
                return try write(text(of: bank), to: output)
            }
            guard let output else {
                throw ComplaintsError([
                    Complaint(
                        "found \(counted(sources.count, "bank")), expected one, or a folder for their files",
                        at: SourcePosition(file: "--output"))
                ])
            }
            do { try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true) } catch {
                throw ComplaintsError([Complaint("the folder cannot be created: \(error.plainReason)", at: SourcePosition(file: output))])
            }
            for bank in sources.map(\.bank) {
                try write(text(of: bank), to: "\(output)/\(bank.name).json")
            }
        } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
    }

    private func text(of bank: Bank) -> String {
        OpenAPIDocument(bank, version: Counterfoil.versionText, servers: servers(of: bank.name)).json.pretty + "\n"
    }

    /// Of several banks each is below its name, one alone is at the top.
    private func servers(of bank: String) -> [String] {
        if let server { return [server.hasSuffix("/") ? String(server.dropLast()) : server] }
        return ["http://127.0.0.1:8080/\(bank)", "http://127.0.0.1:8080"]
    }

    private func write(_ text: String, to path: String) throws(ComplaintsError) {
        do throws(FileError) { try WholeFile(path).write(text) } catch {
            throw ComplaintsError([Complaint("cannot be written: \(error.reason)", at: SourcePosition(file: path))])
        }
    }
}
