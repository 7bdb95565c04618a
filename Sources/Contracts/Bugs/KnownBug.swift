package import BankModel

/// A bug that a bank client has had in public: what went wrong, where it was reported, and why no case finds it if none does.
package struct KnownBug: Sendable {
    /// Words joined by `-`, such as `double-tap`.
    package var id: String
    /// The bug, in one sentence.
    package var bug: String
    /// The threads that report it; a case finds it by naming one of them.
    package var threads: [BugAddress]
    /// The reason for which no case finds it; nil if one does.
    package var reason: String?
    package var position: SourcePosition
}

extension KnownBug {
    /// Reads the file of bugs: `contract: 1`, and under `bugs` each with `id`, `bug`, `where` and, if no case finds it, `reason`.
    package static func list(_ node: Node, _ complaints: Complaints) -> [KnownBug] {
        let fields = Fields(node, of: fileSchema, complaints)
        _ = fields[Suite.contract]
        let bugs = fields[Key.list]?.elements(complaints)?.compactMap { KnownBug($0, complaints) } ?? []
        fields.finish()
        return bugs
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: Key.schema, complaints)
        let id = fields[Key.id]
        let bug = fields[Key.bug]
        let threads = fields[Key.threads]
        reason = fields[Key.reason]
        fields.finish()
        guard let id, let bug, let threads else { return nil }
        self.id = id
        self.bug = bug
        self.threads = threads
        position = node.position
    }

    package static let fileSchema = ObjectSchema(
        "a file of bugs", "Public bugs of bank clients, each with the threads that report it.", fields: [Suite.contract, Key.list])

    private enum Key {
        static let list = Field(required: "bugs", .node(.list(.object(schema), atLeast: 0)), "the bugs, each listed once")
        static let id = Field(required: "id", .text(), "words joined by `-`, such as `double-tap`")
        static let bug = Field(required: "bug", .text("the bug in a sentence"), "what the client did wrong")
        static let threads = Field(
            required: "where", .list(of: BugAddress.format, atLeast: 1),
            "the threads that report it; a case that names one of them under `bugs` finds the bug")
        static let reason = Field("reason", .text("the reason in a sentence"), "why no case finds it; absent if one does")
        static let schema = ObjectSchema(
            "a bug", "One bug. It is found by a case, or has a `reason`.", fields: [id, bug, threads, reason] as [any AnyField])
    }
}
