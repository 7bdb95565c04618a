import ArgumentParser
import BankCore
import BankModel
import Contracts
import Faults

struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show a session's request journal.",
        discussion: """
            Example: counterfoil journal roundup --unmatched
            One line per request and its response, oldest first, and one for each start and end of an outage or outage phase. --har writes \
            the journal as an HTTP archive, which browsers can open. With --keys, KEY is the idempotency key, cut off on a terminal, and EFFECT is \
            `committed` if the request changed the bank's state, or `replayed` if the response is the stored one of its key.
            """)

    @OptionGroup var chosen: ChosenSession

    @Flag(help: "Only requests that matched no operation, each with the nearest operations.")
    var unmatched = false

    @Option(help: "Write an HTTP archive (HAR 1.2) to this file; - for stdout.")
    var har: String?

    @Option(help: "Only requests after this number.")
    var since = 0

    @Flag(help: "Show each request's idempotency key and its effect instead of the response's end.")
    var keys = false

    @Flag(help: "The entries as JSON.")
    var json = false

    func validate() throws {
        let filters = [("--unmatched", unmatched), ("--since", since != 0)].filter(\.1).map(\.0)
        if filters.count > 1 {
            throw ValidationError("found --since with --unmatched, expected one of them: all requests that matched no operation are listed")
        }
        if har != nil, let name = filters.first {
            throw ValidationError("found \(name) with --har, expected one of them: an archive has the whole journal")
        }
    }

    func run() async throws {
        let served = try await chosen.served
        if let har { return try write(try await served.get("/journal/har", atMost: AdminOptions.downloadBytes).pretty + "\n", to: har) }
        let page = try await served.get("/journal\(unmatched ? "/unmatched" : "?since=\(since)")")
        if json { return Output.results.line(page.pretty) }
        // 404 if no outage was started: then there is nothing to mark.
        show(page, unmatched ? [] : (try? await served.get("/outage")).map(OutageMark.all) ?? [])
        // Without a name, the empty journal may be that of another session than the one in use.
        guard !unmatched, since == 0, chosen.session.session == nil, page["entries"]?.array?.isEmpty ?? true else { return }
        let others = (try await served.admin.get("/sessions")["sessions"]?.array ?? []).map { $0.text("id") }
            .filter { $0 != served.name }
        Output.errors.line("counterfoil: the session \(served.name) has received no request yet")
        if !others.isEmpty { Output.errors.line("hint: the other sessions are \(others.joined(separator: ", "))") }
    }

    private func show(_ page: JSON, _ marks: [OutageMark]) {
        let entries = page["entries"]?.array ?? []
        var table =
            keys
            ? TextTable("#", "AT", "TOKEN", "REQUEST", "STATUS", "FAULT", "EFFECT", "KEY", right: [0], shortening: [7], last: [3])
            : TextTable("#", "AT", "TOKEN", "REQUEST", "STATUS", "FAULT", "END", right: [0], shortening: [6], last: [3])
        var ahead = marks[...]
        for entry in entries {
            let at = entry["at"]?.string ?? ""
            while let mark = ahead.first, mark.at <= at {
                table.add(mark.row(columns: keys ? 8 : 7))
                ahead.removeFirst()
            }
            table.add(JournalCommand.row(entry, keys: keys))
        }
        Output.results.write(table.text(for: .results))
        for entry in entries where unmatched {
            for miss in entry["nearest"]?.array ?? [] {
                let reasons = (miss["reasons"]?.array ?? []).map(\.foreignText).joined(separator: "; ")
                Output.results.line("#\(entry.text("seq")) nearly \(miss.text("operation")) (\(miss.text("wants"))): \(reasons)")
            }
        }
        if unmatched, let blocked = entries.first(where: { Self.preflightOrigin($0) != nil }), let origin = Self.preflightOrigin(blocked) {
            let wayOut = "to allow the page, start the server with --cors \(RunReport.quoted(origin))"
            Output.errors.line("hint: #\(blocked.text("seq")) is a browser's preflight; \(wayOut)")
        }
        if let dropped = page["dropped"]?.int, dropped > 0 {
            Output.errors.line("\(counted(dropped, "older exchange")) \(dropped == 1 ? "was" : "were") dropped (journal limit reached)")
        }
    }

    /// The page's origin in a browser's preflight, which a server without --cors does not answer (Fetch, CORS-preflight request); nil for
    /// any other request.
    private static func preflightOrigin(_ entry: JSON) -> String? {
        guard entry.text("method") == "OPTIONS" else { return nil }
        let headers = (entry["request_headers"]?.array ?? []).compactMap(\.array)
        guard headers.contains(where: { $0.first?.string?.lowercased() == "access-control-request-method" }) else { return nil }
        return headers.first { $0.first?.string?.lowercased() == "origin" }?.last?.foreignText
    }

    /// The cells of an exchange.
    ///
    /// - Parameter keys: whether they end with its effect and key, else with the end of its response.
    static func row(_ entry: JSON, keys: Bool) -> [String] {
        let query = entry["query"]?.string.map { "?\($0.inOneLine)" } ?? ""
        let receipt = entry["receipt"].map { $0 == .null ? "in progress" : end($0) } ?? ""
        return [
            entry.text("seq"), String(entry.text("at").dropFirst(11).prefix(12)), entry.text("token"),
            "\(entry.text("method")) \(entry.text("path"))\(query)", entry.text("status"), faults(entry["fault"]),
        ] + (keys ? [effect(entry), entry["key"]?.string?.inOneLine ?? ""] : [receipt])
    }

    /// What a request did to the bank's state; empty for nothing, and for a read, which is always committed.
    private static func effect(_ entry: JSON) -> String {
        if ["GET", "HEAD"].contains(entry.text("method")) { return "" }
        // A replay has committed too: nothing, but durably.
        if entry["replayed"]?.bool == true { return "replayed" }
        return entry["committed"]?.bool == true ? "committed" : ""
    }

    /// The kinds of the faults that were applied, in the order of their points; without one, that of the fault that should have been.
    private static func faults(_ fault: JSON?) -> String {
        guard let fault else { return "" }
        let applied = (fault["all"]?.array ?? []).filter { $0["applied"]?.bool == true }
        return applied.count > 1 ? applied.map { $0.text("kind") }.joined(separator: " + ") : fault.text("kind")
    }

    private static func end(_ receipt: JSON) -> String {
        let end = Receipt.End(rawValue: receipt.text("end"))?.title ?? receipt.text("end")
        return "\(end), \(receipt.text("head_bytes")) B head + \(receipt.text("body_bytes")) B body"
    }

    /// Writes the whole file, readable by its owner alone: a journal contains account data.
    private func write(_ text: String, to path: String) throws(FileError) {
        guard path != "-" else { return Output.results.write(text) }
        try WholeFile(path, isPrivate: true).write(text)
        Output.errors.line("counterfoil: wrote \(path)")
    }
}

/// The beginning or end of an outage or of a phase of it, between exchanges of a journal.
private struct OutageMark {
    /// By the session's clock, in the format of the journal.
    let at: String
    let text: String

    /// Its cells, most of them empty.
    func row(columns: Int) -> [String] {
        ["", String(at.dropFirst(11).prefix(12)), "", text] + Array(repeating: "", count: columns - 4)
    }

    /// The marks of an outage, in order. Its phases have none if they go by the real clock, which the journal does not show.
    static func all(of outage: JSON) -> [OutageMark] {
        guard let began = outage["began_at"]?.string.flatMap({ Instant(rfc3339: $0) }) else { return [] }
        let name = outage.text("name")
        var marks = [(began, "outage \(name) begins")]
        if outage["clock"]?.string == Plan.Clock.session.rawValue {
            for (index, phase) in (outage["phases"]?.array ?? []).enumerated() {
                func mark(_ key: String, _ word: String) {
                    // The first phase usually begins with the outage.
                    guard let offset = phase[key]?.int, offset > 0 else { return }
                    marks.append((began + .milliseconds(offset), "outage \(name), phase \(index + 1) \(word)"))
                }
                mark("from_ms", "begins")
                mark("until_ms", "ends")
            }
        }
        return marks.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
            .map { OutageMark(at: $0.element.0.rfc3339(.milliseconds), text: $0.element.1) }
    }
}

extension JSON {
    /// A text of a server's, as part of a line of ours: in one line, without controls.
    var foreignText: String { plainText.inOneLine }

    /// The member as part of a line of ours; empty where there is none.
    func text(_ key: String) -> String { self[key]?.foreignText ?? "" }
}
