package import BankModel

/// Rules on a timetable, with a seed; under its name it is an outage.
package struct Plan: Sendable {
    package var name: String
    /// One sentence for people.
    package var about: String
    /// In place of the session's, so that a plan can be replayed anywhere.
    package var seed: UInt64?
    package var clock: Clock
    /// In the order of their beginnings, none over another.
    package var entries: [Entry]

    /// By which clock the timetable goes.
    package enum Clock: String, Sendable, CaseIterable {
        case session, real
    }

    /// The rules and changes of one period.
    package struct Entry: Sendable {
        /// After the plan's start.
        package var at: Duration = .zero
        /// Nil: until the next entry, or the plan's end.
        package var length: Duration?
        package var rules: [Rule] = []
        /// All tokens expire when it begins.
        package var expiresTokens = false
    }

    /// From when until when after the plan's start; nil: forever.
    struct Span: Sendable, Hashable {
        var from: Duration
        var until: Duration?
    }

    package init(name: String, about: String = "", seed: UInt64? = nil, clock: Clock = .session, entries: [Entry]) {
        self.name = name
        self.about = about
        self.seed = seed
        self.clock = clock
        self.entries = entries
    }

    private static let about = Field(required: "about", .text(), "a description in one sentence")
    private static let seed = Field(
        "seed", .int(in: 0...Int.max), "a seed instead of the session's, so that the plan can be replayed anywhere")
    private static let clock = Field(
        "clock", .choice(of: Clock.self), default: .session, "the clock of the timetable: the session's, or real time")
    private static let entries = Field(
        required: "entries", Format<[Entry]>(.list(Entry.format.schema, atLeast: 1), read: { Format.list(of: Entry.format).read($0, $1) }),
        "the entries, in the order of their starts; they must not overlap")

    package static let schema = ObjectSchema(
        "a plan", "Rules on a timetable, with a seed. The name of its file is the name of the outage.",
        fields: [about, seed, clock, entries],
        example: "about: Every third payment is lost, for five minutes.\nentries:\n"
            + "- for: 5m\n  rules: [{fault: {lose-reply: {by: close}}, on: {role: pay}, every: 3}]")

    /// Reads `{about: …, seed: 7, clock: session, entries: […]}`; nil and complaints if something in it is wrong.
    package init?(_ node: Node, name: String, _ complaints: Complaints) {
        let fields = Fields(node, of: Plan.schema, complaints)
        let about = fields[Plan.about]
        let seed = fields[Plan.seed]
        let clock = fields[Plan.clock]
        let read = fields[Plan.entries]
        fields.finish()
        let node = fields.node(of: Plan.entries)
        if let node, let read, read.isEmpty { complaints.add("a plan needs at least one entry", at: node.position) }
        guard let about, let clock, let read, !read.isEmpty, let nodes = node?.elements(complaints) else { return nil }
        self.init(name: name, about: about, seed: seed.map(UInt64.init), clock: clock, entries: read)
        for (index, pair) in zip(read, read.dropFirst()).enumerated() {
            let end = pair.0.at + (pair.0.length ?? .zero)
            guard pair.1.at < end || pair.1.at == pair.0.at else { continue }
            complaints.add(
                "entry \(index + 2) (at \(pair.1.at.shortText)) overlaps entry \(index + 1) "
                    + "(at \(pair.0.at.shortText)\(pair.0.length.map { " for \($0.shortText)" } ?? "")); "
                    + "expected it to begin after that one, or its rules in one entry",
                at: nodes[index + 1].position)
        }
    }

    /// When each entry is open; nil for one that begins only after the limit.
    func spans(limit: Duration?) -> [Span?] {
        entries.indices.map { index in
            let entry = entries[index]
            if let limit, entry.at >= limit { return nil }
            let next = index + 1 < entries.count ? entries[index + 1].at : nil
            let until = [entry.length.map { entry.at + $0 } ?? next, limit].compactMap(\.self).min()
            return Span(from: entry.at, until: until)
        }
    }

    /// When the whole plan is open.
    func span(limit: Duration?) -> Span {
        let last = entries.last.flatMap { entry in entry.length.map { entry.at + $0 } }
        return Span(from: .zero, until: [last, limit].compactMap(\.self).min())
    }

    /// The plan as it would be written.
    package var json: JSON {
        var object = JSONObject([("name", .string(name)), ("about", .string(about)), ("clock", .string(clock.rawValue))])
        object["seed"] = seed.map { .int($0) }
        object["entries"] = .array(entries.map(\.json))
        return .object(object)
    }
}

extension Plan.Entry {
    private static let at = Field("at", .duration, default: .zero, "the start, as a time after the plan's start")
    private static let length = Field("for", .duration, "the duration; by default until the next entry, or the plan's end")
    private static let rules = Field("rules", .list(of: Rule.format), default: [], "the rules that apply meanwhile")
    private static let tokens = Field(
        "tokens", Format(.words(["expire"]), read: { $0.scalar == "expire" ? true : $0.wrong($1, "expire") }, write: { _ in "expire" }),
        "`expire`: all tokens expire when it begins")

    static let format: Format<Plan.Entry> = .object(
        ObjectSchema(
            "an entry of a plan", "The rules that apply during one period.", fields: [at, length, rules, tokens],
            rules: [.atLeastOne([rules.key, tokens.key])]),
        read: { Plan.Entry($0, $1) }, write: { $0.json })

    private init?(_ fields: Fields, _ complaints: Complaints) {
        let at = fields[Self.at]
        let length = fields[Self.length]
        let rules = fields[Self.rules]
        let expiresTokens = fields[Self.tokens] ?? false
        guard let at, let rules else { return nil }
        if rules.isEmpty, fields.node(of: Self.tokens) == nil {
            complaints.add("an entry needs `rules` or `tokens: expire`", at: fields.node.position)
            return nil
        }
        self.init(at: at, length: length, rules: rules, expiresTokens: expiresTokens)
    }

    fileprivate var json: JSON {
        var object = JSONObject([Self.at.member(at)])
        object.set(Self.length, length)
        if !rules.isEmpty { object.set(Self.rules, rules) }
        if expiresTokens { object.set(Self.tokens, true) }
        return .object(object)
    }
}
