import ArgumentParser
import BankModel

/// Sessions of a running server: isolated copies of its banks.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Create, reset and remove sessions of a running server.",
        discussion: """
            Example: counterfoil session new roundup --name mine --listen
            A session is a copy of a bank with separate money, tokens, clock, faults and journal.
            \(steeringExitCodes)
            """,
        subcommands: [List.self, New.self, Reset.self, Snapshot.self, Restore.self, Remove.self], defaultSubcommand: List.self)

    /// The sessions as a table for people; with their labels if one has any.
    static func table(_ sessions: [JSON]) -> TextTable {
        let labels = sessions.map { session in
            (session["labels"]?.object?.members ?? []).map { "\($0.key.inOneLine)=\($0.value.foreignText)" }.joined(separator: " ")
        }
        let hasLabels = labels.contains { !$0.isEmpty }
        var table =
            hasLabels
            ? TextTable("SESSION", "BANK", "ADDRESS", "NOW", "LABELS", shortening: [3, 4])
            : TextTable("SESSION", "BANK", "ADDRESS", "NOW", shortening: [3])
        for (session, labels) in zip(sessions, labels) {
            let cells = ["id", "bank", "base_url", "now"].map { session.text($0) }
            table.add(cells + (hasLabels ? [labels] : []))
        }
        return table
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the sessions, each with its bank, address, clock and labels.",
            discussion: """
                Example: counterfoil session list
                With several --admin, the sessions of all these servers are listed. A server that does not respond is named on stderr; the \
                others are still listed, and the exit code is 2.
                """)

        @OptionGroup var servers: AdminServers

        @Option(help: "Only sessions with this label, such as team=ios; repeatable.")
        var label: [String] = []

        @Flag(help: "As JSON.")
        var json = false

        func run() async throws {
            let lists = try await servers.all.sessions(labelled: label)
            if !lists.isEmpty { show(lists) }
            if lists.count < servers.all.count { throw ExitCode(2) }
        }

        private func show(_ lists: [(server: AdminOptions, sessions: [JSON])]) {
            let sessions = lists.flatMap { server, sessions in
                sessions.map { session in
                    // One server's answer stays as it is.
                    guard servers.admins.count > 1, var object = session.object else { return session }
                    object["admin"] = .string(server.base)
                    return .object(object)
                }
            }
            if json { return Output.results.line(JSON.object(JSONObject([("sessions", .array(sessions))])).pretty) }
            Output.results.write(SessionCommand.table(sessions).text(for: .results))
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Create a session of a bank.",
            discussion: """
                Example: counterfoil session new roundup --name mine --seed 7 --clock 2026-01-12T09:15:00Z
                Prints its address. Without --listen it is a path on the banks' port: …/s/mine.
                """)

        @Argument(help: "The bank.")
        var bank: String

        @Option(help: "The session's name: 1 to 63 of a-z, 0-9 and -; by default generated.")
        var name: String?

        @Option(help: "Seed for all random values; by default derived from the server's seed and the name.")
        var seed: UInt64?

        @Option(help: "Freeze its clock at this instant, such as 2026-01-12T09:15:00Z; by default it runs from now.")
        var clock: String?

        @Flag(help: "With --clock: let the clock run from that instant.")
        var running = false

        @Flag(help: "Give it a separate port, where requests need no prefix or header.")
        var listen = false

        @Flag(help: "Give it a separate TLS port; the server needs --tls.")
        var tls = false

        @Option(help: "The outage to start with, such as brownout.")
        var plan: String?

        @Option(help: "A label for selecting it, such as team=ios; repeatable.")
        var label: [String] = []

        @Option(help: "Time after which it is removed if unused, such as 10m; by default the server's setting.")
        var ttl: String?

        @Option(
            help: "Make customers confirm payments and reads of old rows: otp, decoupled, redirect, or off; by default the bank's setting.")
        var challenges: String?

        @OptionGroup var admin: AdminOptions

        @Flag(help: "Print the response as JSON; it contains the session's admin token if the server requires one.")
        var json = false

        mutating func validate() throws {
            if let wrong = label.first(where: { !$0.dropFirst().contains("=") }) {
                throw ValidationError("found --label \(wrong), expected a name and a value such as team=ios")
            }
            try clock.map(ClockCommand.check)
            guard clock != nil || !running else {
                throw ValidationError("found --running without --clock, expected both: without --clock the clock runs anyway")
            }
            guard !(listen && tls) else { throw ValidationError("found --listen and --tls, expected one of them") }
        }

        func run() async throws {
            let answer = try await admin.call("POST", "/sessions", body)
            if json { return Output.results.line(answer.pretty) }
            Output.results.line(answer.text("base_url"))
            Output.errors.line("counterfoil: created the session \(answer.text("id")) of \(bank), seed \(answer.text("seed"))")
        }

        private var body: JSON {
            let pairs = label.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
            let labels = JSONObject(pairs.map { ($0[0], .string($0[1])) })
            let setting = clock.map { JSON.object(["now": .string($0), "mode": .string(running ? "running" : "frozen")]) }
            return .object(known: [
                "bank": .string(bank), "name": name.map(JSON.string), "seed": seed.map { .int($0) }, "clock": setting,
                "plan": plan.map(JSON.string), "ttl": ttl.map(JSON.string), "challenges": challenges.map(JSON.string),
                "labels": label.isEmpty ? nil : .object(labels), "listen": tls ? .string("tls") : listen ? .bool(true) : nil,
            ])
        }
    }

    /// The session that a command such as `reset` is sent to.
    struct Chosen: ParsableArguments {
        @Argument(help: "The session; a bank's default session has the bank's name. Needed if several banks are served.")
        var session: String?

        @OptionGroup var admin: AdminOptions

        func post(_ command: String) async throws {
            try await ServedSession(session, admin, naming: "counterfoil session \(command)").call("POST", "/\(command)")
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Reset money, clock, rules and journal of a session; its tokens become invalid.",
            discussion: "Example: counterfoil session reset roundup")

        @OptionGroup var chosen: Chosen

        func run() async throws { try await chosen.post("reset") }
    }

    struct Snapshot: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "snapshot", abstract: "Save a session's state for `session restore`; a new snapshot replaces the old one.",
            discussion: "Example: counterfoil session snapshot roundup")

        @OptionGroup var chosen: Chosen

        func run() async throws { try await chosen.post("snapshot") }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Restore a session's state from its snapshot; the clock does not go back.",
            discussion: "Example: counterfoil session restore roundup")

        @OptionGroup var chosen: Chosen

        func run() async throws { try await chosen.post("restore") }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Remove a session; a bank's default session cannot be removed.",
            discussion: "Example: counterfoil session rm mine")

        @Argument(help: "The session, as `counterfoil session list` shows it.")
        var session: String

        @OptionGroup var admin: AdminOptions

        func run() async throws { try await admin.call("DELETE", "/sessions/\(session.pathSegment)") }
    }
}
