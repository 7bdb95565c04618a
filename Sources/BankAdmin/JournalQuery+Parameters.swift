import BankEngine
import BankModel

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
