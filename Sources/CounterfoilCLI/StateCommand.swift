import ArgumentParser
import BankCore
import BankEngine
import BankFiles
import BankModel
import EventStore
import StubServer

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Check state files of serve --state.",
        discussion: "Example: counterfoil state check ./bank.state", subcommands: [Check.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check that the sums, keys and commands in a state file are consistent.",
            discussion: """
                Example: counterfoil state check ./bank.state
                Verifies the checksum of every record, and that no acknowledged record is missing. Then replays every session's \
                commands from the file, with the current files of the bank, and checks: sequence numbers without gaps, balances \
                that equal the sums of the postings and total zero, no account below its limit, one movement for each key that has \
                one, a key for each movement that was made with one, and for each command the response that its key stores. Prints \
                one line per session on stdout, and the errors on stderr.
                Changes nothing. The server must not be running: a file that is in use is rejected.
                Exit codes: 0 no error, 1 errors found, 2 wrong usage, or a file cannot be read.
                """)

        @Argument(help: "The state files.")
        var files: [String]

        @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
        var stubs: String?

        @Flag(help: "Print one line of JSON per file, with its errors.")
        var json = false

        func run() throws {
            var banks = CheckedBanks(BankLibrary.find(stubs, readsExpected: false))
            var codes: Set<Int32> = []
            for file in files {
                let name = files.count > 1 ? file : nil
                do {
                    let check = try StateCheck(file, &banks)
                    let lines = check.lines.map { line in name.map { "\($0): \(line)" } ?? line }
                    Output.results.line(json ? check.json(file: name).text : lines.joined(separator: "\n"))
                    for complaint in check.complaints { Output.errors.line("\(file): \(complaint)") }
                    codes.insert(check.isFaulty ? 1 : check.isUnread ? 2 : 0)
                } catch {
                    let reason = error is StoreError ? "\(error)" : "\(file) cannot be read: \(error)"
                    if json, let name { Output.results.line(JSON.object(["file": .string(name), "refused": .string(reason)]).text) }
                    Output.errors.error(reason)
                    if case .damaged = error as? StoreError { codes.insert(1) } else { codes.insert(2) }
                }
            }
            if let code = [1, 2].first(where: codes.contains) { throw ExitCode(code) }
        }
    }
}

/// The banks that sessions were of, each read once.
private struct CheckedBanks {
    private let library: BankLibrary
    private var banks: [String: Result<PreparedBank, ComplaintsError>] = [:]

    init(_ library: BankLibrary) { self.library = library }

    /// The bank of that name; nil if there is none.
    mutating func bank(_ name: String) -> Result<PreparedBank, ComplaintsError>? {
        if banks[name] == nil, library.has(name) {
            banks[name] = Result { () throws(ComplaintsError) in PreparedBank(try library.load(name).bank) }
        }
        return banks[name]
    }
}

private struct StateCheck {
    /// The faults of the file itself.
    var damage: [String]
    /// Further notes for its owner.
    var notes: [String]
    var audits: [StateAudit] = []

    /// Reads all of it; no server may have it meanwhile.
    init(_ file: String, _ banks: inout CheckedBanks) throws {
        let store = try EventStore(file, options: .init(onlyLooks: true))
        defer { store.close() }
        damage = store.damage
        notes = store.notes
        var audits: [StateAudit] = []
        do {
            try store.load { stored in
                let bank = banks.bank(stored.bank)
                var audit = StateAudit(stored, try? bank?.get(), machineNow: MachineClock.system.now())
                if case .failure(let error)? = bank {
                    audit.unread = "its bank's files have errors: \(error.complaints.map(\.description).joined(separator: "; "))"
                }
                audits.append(audit)
            }
        } catch let error as StoreError where !damage.isEmpty {
            // The file's damage explains why a row cannot be read.
            guard case .damaged(_, let faults) = error else { throw error }
            damage += faults
        }
        self.audits = audits
    }

    var isFaulty: Bool { !damage.isEmpty || audits.contains { !$0.faults.isEmpty } }
    var isUnread: Bool { audits.contains { $0.unread != nil } }

    /// For people.
    var lines: [String] { audits.isEmpty ? ["no sessions"] : audits.map(\.line) }

    /// Every fault with its location.
    var complaints: [String] {
        notes + damage
            + audits.flatMap { audit in ((audit.unread.map { [$0] } ?? []) + audit.faults).map { "session \(audit.session): \($0)" } }
    }

    /// - Parameter file: its name, where there are several.
    func json(file: String?) -> JSON {
        .object(known: [
            "file": file.map(JSON.string), "sessions": .array(audits.map(\.json)), "errors": .array(damage.map(JSON.string)),
        ])
    }
}

extension StateAudit {
    fileprivate var line: String {
        guard unread == nil else { return "\(session) (\(bank)): \(counted(Int(clamping: commands), "command")), not checked" }
        let verdict = faults.isEmpty ? "balanced, no errors" : counted(faults.count, "error")
        return "\(session) (\(bank)): \(counted(Int(clamping: commands), "command")), \(counted(movements, "movement")), "
            + "\(counted(keys, "key")), \(counted(tokens, "token")); \(verdict)"
    }

    fileprivate var json: JSON {
        .object(known: [
            "session": .string(session), "bank": .string(bank), "commands": .int(commands), "movements": .int(movements),
            "keys": .int(keys), "tokens": .int(tokens), "fingerprint": fingerprint.map(JSON.string) ?? .null,
            "balanced": .bool(isBalanced), "errors": .array(faults.map(JSON.string)), "unread": unread.map(JSON.string),
        ])
    }
}
