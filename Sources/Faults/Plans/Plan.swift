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
        package var at: Duration
        /// Nil: until the next entry, or the plan's end.
        package var length: Duration?
        package var rules: [Rule]
        /// All tokens expire when it begins.
        package var expiresTokens: Bool

        package init(at: Duration = .zero, length: Duration? = nil, rules: [Rule] = [], expiresTokens: Bool = false) {
            self.at = at
            self.length = length
            self.rules = rules
            self.expiresTokens = expiresTokens
        }
    }

    /// From when until when after the plan's start; nil: for ever.
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

    /// Reads `{about: …, seed: 7, clock: session, entries: […]}`; nil and complaints if something in it is wrong.
    package init?(_ node: Node, name: String, _ complaints: Complaints) {
        let fields = Fields(node, of: "a plan", complaints)
        let about = fields.required("about").flatMap { $0.text(complaints) }
        let seed = fields["seed"].flatMap { $0.int(in: 0...Int.max, complaints) }
        let clock = fields["clock"].flatMap { $0.choice(of: Clock.self, complaints) } ?? .session
        let nodes = fields.required("entries")?.elements(complaints) ?? []
        fields.finish()
        let entries = nodes.compactMap { Entry($0, complaints) }
        guard let about, !nodes.isEmpty, entries.count == nodes.count else {
            if nodes.isEmpty, let entries = fields["entries"] { complaints.add("a plan needs at least one entry", at: entries.place) }
            return nil
        }
        self.init(name: name, about: about, seed: seed.map(UInt64.init), clock: clock, entries: entries)
        for (index, pair) in zip(entries, entries.dropFirst()).enumerated() {
            let end = pair.0.at + (pair.0.length ?? .zero)
            guard pair.1.at < end || pair.1.at == pair.0.at else { continue }
            complaints.add(
                "entry \(index + 2) (at \(pair.1.at.shortText)) overlaps entry \(index + 1) "
                    + "(at \(pair.0.at.shortText)\(pair.0.length.map { " for \($0.shortText)" } ?? "")); "
                    + "expected it to begin after that one, or its rules in one entry",
                at: nodes[index + 1].place)
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
    init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "an entry of a plan", complaints)
        let at = fields["at"].map { $0.duration(complaints) } ?? .zero
        let length = fields["for"].map { $0.duration(complaints) }
        let nodes = fields["rules"].map { $0.elements(complaints) } ?? []
        let tokens = fields["tokens"]
        fields.finish()
        if let tokens, tokens.scalar != "expire" {
            complaints.add(found: tokens.kindName, expected: "expire", at: tokens.place)
            return nil
        }
        guard let at, let nodes, length != .some(nil) else { return nil }
        let rules = nodes.compactMap { Rule($0, complaints) }
        guard rules.count == nodes.count else { return nil }
        if rules.isEmpty, tokens == nil {
            complaints.add("an entry needs `rules` or `tokens: expire`", at: node.place)
            return nil
        }
        self.init(at: at, length: length ?? nil, rules: rules, expiresTokens: tokens != nil)
    }

    fileprivate var json: JSON {
        var object = JSONObject([("at", .string(at.shortText))])
        object["for"] = length.map { .string($0.shortText) }
        if !rules.isEmpty { object["rules"] = .array(rules.map(\.json)) }
        if expiresTokens { object["tokens"] = "expire" }
        return .object(object)
    }
}
