import BankEngine
import BankModel
import Hummingbird

extension JournalQuery {
    /// Its query parameters.
    static let parameters: [FieldSchema] = [
        .sometimes("since", .count, "only exchanges after this number"), .sometimes("before", .count, "only exchanges before this number"),
        .sometimes("limit", .count, "the greatest number of exchanges; the oldest win"),
        .sometimes("last", .count, "the greatest number of exchanges; the newest win"),
        .sometimes("operation", .anyText, "only those of this operation"), .sometimes("status", .count, "only those with this status"),
        .sometimes("brief", .bool, "without headers and bodies"),
        .sometimes("revision", .count, "the journal's, as the caller knows it: with `wait`, the reply waits for another one"),
        .sometimes("wait", Format<Duration>.duration.schema, "how long at most; never longer than 25 s"),
    ]

    /// Reads the query of `GET …/journal`.
    ///
    /// - Throws: ``AdminProblem`` for an invalid value.
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
    /// The whole number in that parameter, at least 0; nil without one.
    ///
    /// - Throws: ``AdminProblem`` for any other value.
    func wholeNumber(_ name: String) throws -> Int? {
        guard let text = get(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw AdminProblem.badRequest("found \(name)=\(text), expected a whole number")
        }
        return number
    }

    /// The truth value of that parameter; nil without one.
    ///
    /// - Throws: ``AdminProblem`` if it is neither `true` nor `false`.
    func truth(_ name: String) throws -> Bool? {
        guard let text = get(name) else { return nil }
        guard let truth = Bool(text) else { throw AdminProblem.badRequest("found \(name)=\(text), expected true or false") }
        return truth
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
