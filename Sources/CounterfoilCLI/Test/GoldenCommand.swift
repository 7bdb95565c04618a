import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Contracts
import Platform

struct GoldenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "golden", abstract: "Save the sequence of a client's requests, and compare another version's with it.",
        discussion: """
            Example: counterfoil golden save checkout.golden --session ci-1
            Then:    counterfoil golden check checkout.golden --session ci-2
            The file has the requests in order, with tokens, keys, customers, ids and times by name: `token#1`, `now-30d`.
            """,
        subcommands: [GoldenSave.self, GoldenCheck.self])
}

/// Where the exchanges come from: a session's journal, or HAR files.
struct SequenceOptions: ParsableArguments {
    @OptionGroup var session: SessionOptions

    @Option(name: .customLong("har"), parsing: .upToNextOption, help: "HAR files in place of a session; no server is needed.")
    var archives: [String] = []

    @Option(help: "With --har: a file that describes the API (`counterfoil schema api`).")
    var api: String?

    func validate() throws {
        if api != nil, archives.isEmpty { throw ValidationError("found --api without --har, expected both") }
        if session.session != nil, !archives.isEmpty { throw ValidationError("found --session with --har, expected one of them") }
    }

    /// The exchanges in one response of the server.
    private static let page = 200
    /// The exchanges of a sequence, at most.
    static let longest = 20_000

    func sequence() async throws -> ClientSequence {
        if !archives.isEmpty { return try ofArchives() }
        let served = try await session.served
        let journal = try await SequenceOptions.journal(of: served.name) { try await served.get("/journal?\($0)") }
        if journal.isEmpty {
            throw AdminFailure(description: "the session \(served.name) has received no request, expected those of a client")
        }
        return ClientSequence(journal)
    }

    /// Reads a journal page by page: with its bodies it can be far longer than a response that a command reads.
    ///
    /// - Parameter ask: returns the page for a query such as `since=0&limit=200`.
    /// - Throws: ``AdminFailure`` if the journal has dropped an exchange, or has more than a sequence may have.
    static func journal(
        of name: String, atMost longest: Int = SequenceOptions.longest, _ ask: (_ query: String) async throws -> JSON
    ) async throws -> [JournalEntry] {
        var journal: [JournalEntry] = []
        var (since, length, count) = (Int64(0), 0, 0)
        repeat {
            let page = try await ask("since=\(since)&limit=\(SequenceOptions.page)")
            if let dropped = page["dropped"]?.int, dropped > 0 {
                throw AdminFailure(
                    description: "the journal dropped \(counted(Int(clamping: dropped), "older exchange")): the sequence is incomplete",
                    hint: "reset the session before the client starts; `serve --journal-memory` sets the memory of all journals")
            }
            let entries = page["entries"]?.array ?? []
            journal += entries.compactMap(JournalEntry.init(json:))
            length = entries.count
            count += length
            if count > longest {
                throw AdminFailure(
                    description: "found more than \(longest) requests in the session \(name), expected fewer",
                    hint: "reset the session before the client starts")
            }
            guard let next = page["next_since"]?.int, next > since else { break }
            since = next
        } while length == SequenceOptions.page
        return journal
    }

    private func ofArchives() throws(ComplaintsError) -> ClientSequence {
        let description = try APIDescription(named: api)
        let files = try ImportFile.all(named: archives, expected: "a HAR file", .archive)
        return ClientSequence(try ArchiveVerdict.journal(files, description))
    }
}

struct GoldenSave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Write the sequence of a client's requests to a file.",
        discussion: """
            Example: counterfoil golden save checkout.golden --session roundup
            Exit codes: 0 written, 2 wrong usage, an unreadable HAR file, a server that cannot be reached, no request, or a file that \
            cannot be written.
            """)

    @Argument(help: "The golden file. An existing file is replaced.")
    var file: String

    @OptionGroup var options: SequenceOptions

    func run() async throws {
        try WholeFile(file).check(isNoneOf: options.archives + [options.api].compactMap(\.self))
        let sequence = try await options.sequence()
        if let there = FileStatus(file, followsLinks: false), there.kind != .plain {
            throw UsageError("\(file): found something other than a plain file, expected a new file or an earlier golden file")
        }
        try WholeFile(file).write(sequence.text)
        Output.results.line("\(file): \(counted(sequence.steps.count, "exchange"))")
    }
}

struct GoldenCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare a client's requests with a golden file.",
        discussion: """
            Example: counterfoil golden check checkout.golden --session roundup
            Requests are aligned by operation; each that differs is listed with the expected (-) and the found (+) lines.
            Exit codes: 0 the same, 1 different, 2 as with save, or the file is not a golden file.
            """)

    @Argument(help: "The golden file, which `golden save` wrote.")
    var file: String

    @OptionGroup var options: SequenceOptions

    func run() async throws {
        let golden = try read()
        let difference = SequenceDifference(golden: golden, found: try await options.sequence())
        guard difference.changes.isEmpty else {
            Output.results.line("\(file): " + difference.lines.map(\.inOneLine).joined(separator: "\n"))
            throw ExitCode(1)
        }
        Output.results.line("\(file): \(counted(golden.steps.count, "exchange")), all as expected")
    }

    private func read() throws(ComplaintsError) -> ClientSequence {
        let text: String
        do throws(UnreadFile) { text = try String(ofFile: Disk.bytes(named: file, .data)) } catch {
            throw ComplaintsError([Complaint(error, file: file, expected: "a golden file")])
        }
        return try ClientSequence(text: text, file: file)
    }
}
