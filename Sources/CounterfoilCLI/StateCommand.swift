import ArgumentParser
import BankCore
import BankFiles
import BankModel
import EventStore
import Foundation
import StubServer

/// What is in a state file.
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Look into a state file of serve --state.", subcommands: [Check.self])

    /// Proves that sums, keys and events of a state file agree.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prove that sums, keys and events of a state file agree.",
            discussion: """
                Example: counterfoil state check ./bank.state
                Every session's commands are done again from the file alone. Then hold: numbers without gaps, postings that add up to
                nothing in each currency, no account below its limit, one movement for each key that remembers one, and a key for
                each movement that was made under one. Ends with 0 if all agrees, 1 if something does not, 2 if it cannot be read.
                The server must not run: a file that is in use is refused.
                """)

        @Argument(help: "The state file.")
        var file: String

        @Option(help: "Folder of the banks; by default ./Stubs, or the one installed with the program.")
        var stubs: String?

        @Flag(help: "One line of JSON instead.")
        var json = false

        func run() async throws {
            let audits: [StateAudit]
            do {
                audits = try read()
            } catch {
                Output.errors.line("counterfoil: \(error)")
                throw ExitCode(2)
            }
            Output.results.line(json ? JSON.array(audits.map(\.json)).text : audits.map(\.line).joined(separator: "\n"))
            for audit in audits { for fault in audit.faults { Output.errors.line("\(file): session \(audit.session): \(fault)") } }
            if audits.contains(where: { !$0.faults.isEmpty }) { throw ExitCode(1) }
        }

        private func read() throws -> [StateAudit] {
            guard FileManager.default.fileExists(atPath: file) else {
                throw UsageError("found no file \(file), expected one that serve --state has made")
            }
            let library = BankLibrary.find(stubs, readsExpected: false)
            let store = try EventStore(file)
            defer { store.close() }
            var banks: [String: PreparedBank] = [:]
            var audits: [StateAudit] = []
            try store.load { stored in
                if banks[stored.bank] == nil, library.has(stored.bank) {
                    banks[stored.bank] = PreparedBank(try library.load(stored.bank).bank)
                }
                audits.append(StateAudit(stored, banks[stored.bank]))
            }
            return audits
        }
    }
}

extension StateAudit {
    /// For people.
    fileprivate var line: String {
        let verdict = faults.isEmpty ? "sums, keys and events agree" : "\(faults.count == 1 ? "1 fault" : "\(faults.count) faults")"
        return "\(session) (\(bank)): \(commands) commands, \(movements) movements, \(keys) keys, \(tokens) tokens: \(verdict)"
    }

    fileprivate var json: JSON {
        [
            "session": .string(session), "bank": .string(bank), "commands": .int(commands), "movements": .int(movements),
            "keys": .int(keys), "tokens": .int(tokens), "faults": .array(faults.map(JSON.string)),
        ]
    }
}
