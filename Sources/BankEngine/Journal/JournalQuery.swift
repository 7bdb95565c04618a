import BankModel
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Which entries of a journal somebody wants, and whether to wait for them.
struct JournalQuery: Sendable {
    /// Those with a number above this.
    var since = 0
    /// Those with a number below this.
    var before = Int.max
    /// The first so many of them, oldest first.
    var limit = Int.max
    /// The last so many of them.
    var last = Int.max
    var status: Int?
    var operation: String?
    /// Without headers, bodies and digests.
    var isBrief = false
    /// The answer comes when the journal is at another revision than this.
    var revision: Int?
    /// How long that is waited for; nil: not at all.
    var wait: Duration?

    /// The longest wait: what stands between may cut a silent connection after half a minute.
    static let longestWait = Duration.seconds(25)
}

extension JournalQuery {
    /// What the query may hold.
    static let names = ["since", "before", "limit", "last", "operation", "status", "brief", "revision", "wait"]

    /// Reads the query of `GET …/journal`.
    ///
    /// - Throws: ``AdminProblem`` for a value that is not what it should be.
    init(_ parameters: Parameters) throws {
        self.init()
        since = try parameters.wholeNumber("since") ?? since
        before = try parameters.wholeNumber("before") ?? before
        limit = try parameters.wholeNumber("limit") ?? limit
        last = try parameters.wholeNumber("last") ?? last
        status = try parameters.wholeNumber("status")
        operation = parameters.get("operation")
        isBrief = try parameters.truth("brief") ?? isBrief
        revision = try parameters.wholeNumber("revision")
        if let text = parameters.get("wait") {
            guard let duration = Duration(text: text) else {
                throw AdminProblem.badRequest("found wait=\(text), expected \(Duration.expectedText)")
            }
            wait = min(duration, JournalQuery.longestWait)
        }
    }
}

extension Parameters {
    /// The parameter of that name, at least 0; nil without one.
    ///
    /// - Throws: ``AdminProblem`` if it is something else.
    func wholeNumber(_ name: String) throws -> Int? {
        guard let text = get(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw AdminProblem.badRequest("found \(name)=\(text), expected a whole number")
        }
        return number
    }

    /// The parameter of that name; nil without one.
    ///
    /// - Throws: ``AdminProblem`` if it is neither `true` nor `false`.
    func truth(_ name: String) throws -> Bool? {
        guard let text = get(name) else { return nil }
        guard let truth = Bool(text) else { throw AdminProblem.badRequest("found \(name)=\(text), expected true or false") }
        return truth
    }
}

/// What a query found.
struct JournalPage: Sendable {
    /// Oldest first.
    let entries: [JournalEntry]
    /// What ``JournalQuery/revision`` is to be next time.
    let revision: Int
    /// The number of the oldest entry that the journal still has; of the one to come, if it is empty.
    let oldest: Int
    let dropped: Int
    /// What ``JournalQuery/since`` is to be next time.
    let next: Int
}

extension BankSession {
    /// The entries that are wanted, once it is time.
    ///
    /// - Throws: ``SessionError`` if the session has ended meanwhile.
    func journal(_ query: JournalQuery) async throws(SessionError) -> JournalPage {
        if let wait = query.wait, let revision = query.revision { await journalChanged(from: revision, within: wait) }
        if isClosed { throw .unknown(id) }
        // Looked through when the session is free again.
        return inner.withLock { $0.journal }.page(query)
    }

    /// Returns once the journal is at another revision, the time is over, or the server ends.
    private func journalChanged(from revision: Int, within limit: Duration) async {
        await cancelWhenGracefulShutdown { await self.watchJournal(within: limit) { self.journalRevision != revision } }
    }
}

extension JournalRing {
    /// The records that a query finds, from the newest on if it wants the last; looks at no more than it must.
    func page(_ query: JournalQuery) -> JournalPage {
        let all = records(since: query.since, before: query.before)
        func fits(_ record: ExchangeRecord) -> Bool {
            (query.status.map { $0 == record.status } ?? true) && (query.operation.map { $0 == record.operation?.name } ?? true)
        }
        var wanted: [ExchangeRecord]
        var isCut = false
        if query.last < .max {
            wanted = all.lazy.reversed().filter(fits).prefix(query.last).reversed()
        } else {
            wanted = Array(all.lazy.filter(fits).prefix(query.limit == .max ? .max : query.limit + 1))
            isCut = wanted.count > query.limit
        }
        wanted = Array(wanted.prefix(query.limit))
        return JournalPage(
            entries: wanted.map(\.entry), revision: revision, oldest: oldest, dropped: dropped,
            next: (isCut ? wanted.last : all.last)?.seq ?? query.since)
    }
}

extension JournalEntry {
    /// The entry without what takes room: for a list.
    var brief: JSON {
        var object = json.object ?? JSONObject()
        for key in ["body_sha256", "request_headers", "request_body", "reply_headers", "reply_body"] { object[key] = nil }
        return .object(object)
    }
}
