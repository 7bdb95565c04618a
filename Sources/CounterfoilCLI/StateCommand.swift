import ArgumentParser
import BankCore
import BankFiles
import BankModel
import EventStore
import StubServer

/// What is in a state file.
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Look into a state file of serve --state.",
        discussion: "Example: counterfoil state check ./bank.state", subcommands: [Check.self])

    /// Proves that sums, keys and events of a state file agree.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prove that sums, keys and events of a state file agree.",
            discussion: """
                Example: counterfoil state check ./bank.state
                Every session's commands are done again from the file alone, with the bank's files as they are now. Then hold: numbers
                without gaps, balances that are the sums of the postings and add up to nothing, no account below its limit, one movement
                for each key that remembers one, a key for each movement that was made under one, and beside each command the reply that
                its key keeps. One line a session is on stdout, the faults are on stderr.
                The server must not run: a file that is in use is refused. A file of an older version is brought up to this one.
                Exit codes: 0 all agrees, 1 something does not, 2 wrong usage, or something cannot be read.
                """)

        @Argument(help: "The state file.")
        var file: String

        @Option(help: "Folder of the banks; by default ./Stubs, or the one installed with the program.")
        var stubs: String?

        @Flag(help: "One line of JSON instead, the faults in it too.")
        var json = false

        func run() throws {
            let check: StateCheck
            do {
                check = try StateCheck(file, BankLibrary.find(stubs, readsExpected: false))
            } catch let error as StoreError {
                throw refused("\(error)")
            } catch {
                throw refused("\(file) cannot be read: \(error)")
            }
            Output.results.line(json ? check.json.text : check.lines.joined(separator: "\n"))
            for complaint in check.complaints { Output.errors.line("\(file): \(complaint)") }
            if check.isFaulty { throw ExitCode(1) }
            if check.isUnread { throw ExitCode(2) }
        }

        private func refused(_ reason: String) -> ExitCode {
            Output.errors.line("counterfoil: \(reason)")
            return ExitCode(2)
        }
    }
}

/// What was found in a state file.
private struct StateCheck {
    /// Of the file itself.
    var damage: [String]
    var audits: [StateAudit] = []

    /// Reads all of it; nobody else may have it meanwhile.
    init(_ file: String, _ library: BankLibrary) throws {
        let store = try EventStore(file, options: .init(makesFile: false))
        defer { store.close() }
        damage = try store.damage
        var banks: [String: PreparedBank] = [:]
        var faulty: [String: String] = [:]
        try store.load { stored in
            let name = stored.bank
            if banks[name] == nil, faulty[name] == nil, library.has(name) {
                do throws(ComplaintsError) {
                    banks[name] = PreparedBank(try library.load(name).bank)
                } catch {
                    faulty[name] = "its bank's files are faulty: \(error.complaints.map(\.description).joined(separator: "; "))"
                }
            }
            var audit = StateAudit(stored, banks[name], machineNow: MachineClock.system.now())
            if let reason = faulty[name] { audit.unread = reason }
            audits.append(audit)
        }
    }

    var isFaulty: Bool { !damage.isEmpty || audits.contains { !$0.faults.isEmpty } }
    var isUnread: Bool { audits.contains { $0.unread != nil } }

    /// For people.
    var lines: [String] { audits.isEmpty ? ["no sessions"] : audits.map(\.line) }

    /// What is wrong, with its place.
    var complaints: [String] {
        damage + audits.flatMap { audit in ((audit.unread.map { [$0] } ?? []) + audit.faults).map { "session \(audit.session): \($0)" } }
    }

    var json: JSON { ["sessions": .array(audits.map(\.json)), "faults": .array(damage.map(JSON.string))] }
}

extension StateAudit {
    fileprivate var line: String {
        guard unread == nil else { return "\(session) (\(bank)): \(counted(Int(clamping: commands), "command")), not looked into" }
        let verdict = faults.isEmpty ? "balanced, and all agrees" : counted(faults.count, "fault")
        return "\(session) (\(bank)): \(counted(Int(clamping: commands), "command")), \(counted(movements, "movement")), "
            + "\(counted(keys, "key")), \(counted(tokens, "token")); \(verdict)"
    }

    fileprivate var json: JSON {
        var object = JSONObject([
            ("session", .string(session)), ("bank", .string(bank)), ("commands", .int(commands)), ("movements", .int(movements)),
            ("keys", .int(keys)), ("tokens", .int(tokens)), ("balanced", .bool(isBalanced)), ("faults", .array(faults.map(JSON.string))),
        ])
        object["unread"] = unread.map(JSON.string)
        return .object(object)
    }
}
