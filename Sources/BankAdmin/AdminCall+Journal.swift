import BankCore
import BankEngine
import BankModel
import Contracts
import Dispatch
import NIOHTTP1

/// The calls that read a session's journal, verdict, ledger and balances.
extension AdminCall {
    static let getJournal = AdminCall(
        .GET, "/sessions/{session}/journal", "getJournal",
        "returns its journal: ?since=, before=, limit=, last=, operation=, status=, brief=true; revision= and wait=20s wait for a change",
        query: JournalQuery.parameters, .ok(JournalShapes.journal), rejects: [.tooManyRequests],
        answer: .ofSession { _, session, request in
            let query = try JournalQuery(request.query)
            let page = try await session.journal(query)
            return .fresh("application/json", .pieces { page.pieces(isBrief: query.isBrief) })
        })

    static let clearJournal = AdminCall(
        .DELETE, "/sessions/{session}/journal", "clearJournal", "clears the journal", .done,
        answer: .ofSession { _, session, _ in
            session.clearJournal()
            return .done
        })

    static let getArchive = AdminCall(
        .GET, "/sessions/{session}/journal/har", "getArchive", "returns the journal as an HTTP archive",
        query: JournalQuery.parameters.filter { $0.key != "brief" }, .ok(JournalShapes.archive), rejects: [.tooManyRequests],
        answer: .ofSession { api, session, request in
            let page = try await session.journal(try JournalQuery(request.query))
            let archive = HTTPArchive(page.records.withRequest, baseURL: session.baseURL, version: api.version)
            return .fresh("application/json", .pieces { archive.pieces })
        })

    static let listUnmatched = AdminCall(
        .GET, "/sessions/{session}/journal/unmatched", "listUnmatched",
        "lists requests that matched no operation, with the nearest operations", .ok(JournalShapes.unmatched), rejects: [.tooManyRequests],
        answer: .ofSession { _, session, _ in
            await session.waitForExchanges()
            let unmatched = session.unmatched
            return .fresh("application/json", .pieces { unmatched.pieces })
        })

    static let getExchange = AdminCall(
        .GET, "/sessions/{session}/journal/{seq}", "getExchange",
        "returns an exchange, a curl command that repeats the request, and its nearest operations", .ok(JournalShapes.exchange),
        answer: .ofSession { _, session, request in
            let text = request.segment("seq")
            guard let seq = Int(text) else { throw AdminProblem.badRequest("found the exchange \(text), expected a number") }
            await session.waitForExchanges()
            guard let (entry, nearest) = session.exchange(seq) else {
                throw AdminProblem.notFound("there is no exchange \(seq) in the journal; it was dropped, or does not exist yet")
            }
            var object = entry.json.object ?? JSONObject()
            object["curl"] = CurlLine(entry, baseURL: session.baseURL).json
            object["nearest"] = .array(nearest.map(\.json))
            return .json(.object(object))
        })

    static let getVerdict = AdminCall(
        .GET, "/sessions/{session}/verdict", "getVerdict", "checks the journal and returns the results: ?suites=auth,pay",
        query: [
            .sometimes("suites", .anyText, "only rules of these suites, separated by commas"),
            .sometimes(
                "sequential", .bool, "whether the app sends one request at a time, each after it has read the previous response"),
        ],
        .ok(JournalReport.schema),
        answer: .ofSession { _, session, request in
            let suites = try ClientRule.suites(named: request.query["suites"] ?? "")
            let isSequential = try request.query.truth("sequential") ?? false
            await session.waitForExchanges()
            return await withCheckedContinuation { continuation in
                AdminCall.verdicts.async {
                    continuation.resume(returning: .json(session.verdict(suites: suites, isSequential: isSequential).json))
                }
            }
        })

    static let getLedger = AdminCall(
        .GET, "/sessions/{session}/ledger", "getLedger", "returns accounts, postings, movements and keys: ?last=",
        query: [.sometimes("last", .count, "maximum number of movements and of keys; the newest are returned")], .ok(LedgerShapes.ledger),
        rejects: [.tooManyRequests],
        answer: .ofSession { _, session, request in
            let last = try request.query.wholeNumber("last") ?? .max
            return session.ledgerText(last: last).response
        })

    static let getBalances = AdminCall(
        .GET, "/sessions/{session}/balances", "getBalances", "returns the available balances of its first 200 accounts",
        .ok(LedgerShapes.balances),
        answer: .ofSession { _, session, _ in .json(session.balancesJSON) })

    /// Makes verdicts, one at a time: of a long journal one takes seconds, in which a thread of Swift's pool would answer nothing else.
    private static let verdicts = DispatchQueue(label: "counterfoil.verdicts")
}

extension JournalPage {
    /// The page's text, in pieces.
    fileprivate func pieces(isBrief: Bool) -> AnySequence<[UInt8]> {
        let rest =
            ",\"revision\":\(revision),\"oldest\":\(oldest),\"dropped\":\(dropped),\"next_since\":\(next)}"
        return AnySequence(
            [
                AnySequence([Array("{\"entries\":".utf8)]), entryPieces(records) { [isBrief ? $0.brief : $0.json] },
                AnySequence([Array(rest.utf8)]),
            ].joined())
    }
}

extension UnmatchedExchanges {
    /// Their text, in pieces.
    fileprivate var pieces: AnySequence<[UInt8]> {
        let list = entryPieces(records) { entry in
            var object = entry.json.object ?? JSONObject()
            object["nearest"] = .array(nearest(to: entry).map(\.json))
            return [.object(object)]
        }
        return AnySequence([AnySequence([Array("{\"entries\":".utf8)]), list, AnySequence([[UInt8(ascii: "}")]])].joined())
    }
}

/// The text of a JSON array of exchanges, in pieces.
func entryPieces<Entries: RandomAccessCollection<JournalEntry>>(
    _ entries: Entries, _ json: @escaping (JournalEntry) -> [JSON]
) -> AnySequence<[UInt8]> where Entries.Index == Int {
    // An entry has up to two bodies of 8 KiB, whose control characters take six bytes each.
    arrayPieces(entries, by: 4, json)
}

extension JournalQuery {
    static let parameters: [FieldSchema] = [
        .sometimes("since", .count, "only exchanges after this number"), .sometimes("before", .count, "only exchanges before this number"),
        .sometimes("limit", .count, "maximum number of exchanges; the oldest are returned"),
        .sometimes("last", .count, "maximum number of exchanges; the newest are returned"),
        .sometimes("operation", .anyText, "only exchanges of this operation"),
        .sometimes("status", .count, "only exchanges with this status"),
        .sometimes("brief", .bool, "without headers and bodies"),
        .sometimes("revision", .count, "the last known revision of the journal; with `wait`, the response waits for a newer one"),
        .sometimes("wait", Format<Duration>.duration.schema, "the maximum time to wait, up to 25 s"),
    ]

    /// Reads the query of `GET …/journal`.
    ///
    /// - Throws: ``AdminProblem`` for an invalid value.
    init(_ query: AdminQuery) throws {
        self.init()
        since = try query.wholeNumber("since") ?? since
        before = try query.wholeNumber("before") ?? before
        limit = try query.wholeNumber("limit") ?? limit
        last = try query.wholeNumber("last") ?? last
        status = try query.wholeNumber("status")
        operation = query["operation"]
        isBrief = try query.truth("brief") ?? isBrief
        revision = try query.wholeNumber("revision")
        if let text = query["wait"] {
            guard let duration = Duration(text: text) else {
                throw AdminProblem.badRequest("found wait=\(text), expected \(Duration.expectedText)")
            }
            wait = min(duration, JournalQuery.longestWait)
        }
    }
}

extension JournalEntry {
    /// The entry for a list: without digest, headers and bodies.
    var brief: JSON {
        var object = json.object ?? JSONObject()
        for key in ["body_sha256", "request_headers", "request_body", "reply_headers", "reply_body"] { object[key] = nil }
        return .object(object)
    }
}
