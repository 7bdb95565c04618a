import BankModel

/// The matching rules of a request or a response, however the pact's version writes them.
struct PactRules {
    /// The rule for one location: what must hold there, and below it where no other rule stands.
    struct MatchingRule {
        /// `body`, `header`, `query`, `path`, `status`.
        let category: String
        let steps: [PathElement]
        let matchers: [LocatedJSON]
        /// The rule, to report its location.
        let piece: LocatedJSON
        /// Whether one matcher of several is enough.
        let isEither: Bool
    }

    enum PathElement: Hashable {
        case name(String)
        case index(Int)
        case any
    }

    private(set) var rules: [MatchingRule] = []
    private var ofBodies = BodyRuleTree()
    /// Rules whose matcher has a name that no version of the specification knows.
    private(set) var unknown: [LocatedJSON] = []
    /// Rules at a location that cannot be read.
    private(set) var unreadable: [LocatedJSON] = []

    /// Every matcher of the specification's versions 2 to 4.
    static let known: Set<String> = [
        "equality", "type", "regex", "include", "integer", "decimal", "number", "boolean", "null", "date", "time", "timestamp",
        "datetime", "contentType", "content-type", "values", "eachKey", "eachValue", "each-key", "each-value", "notEmpty", "not-empty",
        "semver", "arrayContains", "array-contains", "statusCode", "status-code", "min-type", "max-type",
    ]

    /// The member that each of these matchers requires.
    private static let needed = ["regex": "regex", "include": "value"]

    init(_ message: LocatedJSON, _ version: PactVersion, _ notes: ImportNotes) {
        guard let piece = message["matchingRules"] else { return }
        guard piece.json.object != nil else {
            let _: Void? = notes.wrong(piece, expected: "an object of rules")
            return
        }
        for (key, value) in piece.members {
            // Some tools write the rules of version 2 into pacts of later versions.
            if version == .two || key.hasPrefix("$") {
                guard var steps = PactRules.steps(key), case .name(let first)? = steps.first else {
                    unreadable.append(value)
                    continue
                }
                steps.removeFirst()
                add(PactRules.category(first), steps, [value], value, notes)
            } else if PactRules.category(key) == "path" || key == "status" {
                add(PactRules.category(key), [], value["matchers"]?.elements ?? [], value, notes)
            } else {
                for (path, rule) in value.members {
                    // Those of the body are paths, the others are names.
                    guard let steps = key == "body" ? PactRules.steps(path) : [.name(path)] else {
                        unreadable.append(rule)
                        continue
                    }
                    add(PactRules.category(key), steps, rule["matchers"]?.elements ?? [], rule, notes)
                }
            }
        }
    }

    private mutating func add(
        _ category: String, _ steps: [PathElement], _ matchers: [LocatedJSON], _ piece: LocatedJSON, _ notes: ImportNotes
    ) {
        for matcher in matchers {
            let name = PactRules.name(matcher)
            if !PactRules.known.contains(name) { unknown.append(matcher) }
            guard let needed = PactRules.needed[name], matcher[needed] == nil else { continue }
            let _: Void? = notes.wrong(matcher, expected: "a matcher with `\(needed)`")
        }
        let isEither = piece["combine"]?.json.string?.uppercased() == "OR" && matchers.count > 1
        append(MatchingRule(category: category, steps: steps, matchers: matchers, piece: piece, isEither: isEither))
    }

    private mutating func append(_ rule: MatchingRule) {
        if rule.category == "body" { ofBodies.add(rules.count, at: rule.steps) }
        rules.append(rule)
    }

    /// Lets any value stand at a location in the body where one is made for each request, unless a rule there demands more.
    ///
    /// - Returns: false if the location cannot be read.
    mutating func open(_ path: String, _ generator: LocatedJSON) -> Bool {
        guard let steps = PactRules.steps(path) else { return false }
        guard !ofBodies.has(steps) else { return true }
        let any = generator.holding(["match": "type"])
        append(MatchingRule(category: "body", steps: steps, matchers: [any], piece: any, isEither: false))
        return true
    }

    /// The name of a matcher; version 2 omits `match` in some.
    static func name(_ matcher: LocatedJSON) -> String {
        if let name = matcher["match"]?.json.string { return name }
        if matcher["regex"] != nil { return "regex" }
        return matcher["min"] != nil || matcher["max"] != nil ? "type" : ""
    }

    private static func category(_ key: String) -> String { key == "headers" ? "header" : key }

    // MARK: asking

    /// The rule that holds at a location in the body: the longest above or at it, of these the one with the fewest `*`.
    func rule(_ location: [PathElement]) -> MatchingRule? { ofBodies.rule(at: location).map { rules[$0] } }

    /// Whether a rule stands at the location in the body or below it.
    func hasRule(below location: [PathElement]) -> Bool { ofBodies.hasRule(below: location) }

    /// The rule for a header or a field of the query.
    func rule(_ category: String, _ name: String) -> MatchingRule? {
        rules.first { rule in
            guard rule.category == category, case .name(let found)? = rule.steps.first else { return false }
            return category == "header" ? found.lowercased() == name.lowercased() : found == name
        }
    }

    /// The rule for the whole path.
    var path: MatchingRule? { rules.first { $0.category == "path" } }

    // MARK: locations

    /// The steps of a path such as `$.items[*].id` or `$['a b']`, or of a bare name; nil for what cannot be read.
    static func steps(_ path: String) -> [PathElement]? {
        var rest = Substring(path)
        guard rest.hasPrefix("$") else { return path.isEmpty ? [] : [.name(path.prefix { $0 != "[" }.description)] }
        rest = rest.dropFirst()
        var steps: [PathElement] = []
        while let first = rest.first {
            if first == "." {
                let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { return nil }
                steps.append(name == "*" ? .any : .name(String(name)))
                rest = rest[name.endIndex...]
            } else {
                guard first == "[", let end = end(of: rest) else { return nil }
                let inner = rest[rest.index(after: rest.startIndex)..<end]
                rest = rest[rest.index(after: end)...]
                if inner == "*" {
                    steps.append(.any)
                } else if let number = Int(inner) {
                    steps.append(.index(number))
                } else if inner.count >= 2, let quote = inner.first, "'\"".contains(quote), inner.last == quote {
                    steps.append(.name(String(inner.dropFirst().dropLast())))
                } else {
                    return nil
                }
            }
        }
        return steps
    }

    /// The index of the closing bracket outside quotes.
    private static func end(of text: Substring) -> Substring.Index? {
        let quote = text.dropFirst().first
        guard let quote, "'\"".contains(quote) else { return text.firstIndex(of: "]") }
        return text.firstRange(of: "\(quote)]").map { text.index(before: $0.upperBound) }
    }
}
