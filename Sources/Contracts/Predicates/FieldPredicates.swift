package import BankModel

/// A field of an exchange that predicates compare.
enum ExchangeField: String, Sendable, CaseIterable {
    case key
    /// By value: the order of keys, white space, escapes and the zeros of a fraction mean nothing.
    case body
    /// To the byte.
    case bodySHA256 = "body_sha256"
    case path
    case token

    func value(of exchange: JournalEntry) -> String? {
        switch self {
        case .key: exchange.key
        case .body: exchange.bodyValue
        case .bodySHA256: exchange.bodySHA256
        case .path: exchange.path
        case .token: exchange.token
        }
    }

    /// Its different values, each with the first exchange that has it.
    func values(of exchanges: [JournalEntry]) -> [(value: String, exchange: JournalEntry)] {
        var values: [(value: String, exchange: JournalEntry)] = []
        for exchange in exchanges {
            let value = self.value(of: exchange) ?? "none"
            if !values.contains(where: { $0.value == value }) { values.append((value, exchange)) }
        }
        return values
    }
}

/// Which fields, of the exchanges of which role.
private struct FieldChoice {
    let fields: [ExchangeField]
    let filter: ExchangeFilter

    /// The key `same` or `distinct`.
    static func names(_ key: String) -> Field<Node> {
        Field(
            required: key, .node(.list(.words(ExchangeField.allCases.map(\.rawValue)), atLeast: 1)),
            "the fields; `body` is compared by value, `body_sha256` byte for byte")
    }

    /// The key that names what the exchanges are of.
    static func scope(_ key: String) -> Field<String> { Field(required: key, .choice(among: ["intent"]), "always `intent`") }

    init?(_ reader: Fields, _ names: Field<Node>, _ scope: Field<String>, _ outline: StepOutline, _ complaints: Complaints) {
        let fields = reader[names]?.elements(complaints)?.compactMap { $0.choice(of: ExchangeField.self, complaints) }
        _ = reader[scope]
        var filter = ExchangeFilter(reader, outline, complaints)
        if filter.role == nil, filter.operation == nil { filter.role = .pay }
        guard let fields, !fields.isEmpty else { return nil }
        if outline.intents.isEmpty { complaints.add("`\(names.key)` needs steps with an `intent`", at: reader.node.position) }
        self.fields = fields
        self.filter = filter
    }
}

/// Fields that all attempts of one intent share: `{same: [key, body_sha256], within: intent}`.
package struct SamePredicate: Predicate {
    package static let name = "same"

    package static let forms = [
        form(
            "Fields that must be the same in all attempts of one payment order.", [same, within] + ExchangeFilter.fields,
            example: "{same: [key, body], within: intent}")
    ]

    private static let same = FieldChoice.names(name)
    private static let within = FieldChoice.scope("within")

    private let choice: FieldChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let choice = FieldChoice(fields, Self.same, Self.within, outline, complaints) else { return nil }
        self.choice = choice
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let groups = Dictionary(grouping: choice.filter.exchanges(of: scene)) { scene.intent(of: $0) ?? "" }.filter { $0.key != "" }
        return groups.sorted { $0.key < $1.key }.flatMap { intent, attempts in
            choice.fields.compactMap { field -> UnmetExpectation? in
                var values = field.values(of: attempts)
                guard values.count > 1 else { return nil }
                let sure = attempts.filter { scene.candidates(of: $0).count < 2 }
                if sure.count < attempts.count {
                    values = field.values(of: sure)
                    if values.count < 2 { return UnmetExpectation(.undecided, .attemptsOfUnknownOrder(attempts, intent: intent)) }
                }
                guard let first = values.first?.exchange else { return nil }
                // Other bytes may have the same content.
                let isUnread = field == .body && values.allSatisfy { first.hasBody(of: $0.exchange) != false }
                return UnmetExpectation(isUnread ? .undecided : .breach, .fieldsDiffer(field, values, intent: intent))
            }
        }
    }
}

/// Fields that no two intents share: `{distinct: [key], across: intent}`. None sent is as bad as one shared.
package struct DistinctPredicate: Predicate {
    package static let name = "distinct"

    package static let forms = [
        form(
            "Fields that must differ between payment orders. A field that is not sent counts as the same.",
            [own, across] + ExchangeFilter.fields,
            example: "{distinct: [key], across: intent}")
    ]

    private static let own = FieldChoice.names(name)
    private static let across = FieldChoice.scope("across")

    private let choice: FieldChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let choice = FieldChoice(fields, Self.own, Self.across, outline, complaints) else { return nil }
        self.choice = choice
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let exchanges = choice.filter.exchanges(of: scene)
        return choice.fields.flatMap { field -> [UnmetExpectation] in
            if let bare = exchanges.first(where: { field.value(of: $0) == nil }) {
                return [UnmetExpectation(.breach, .fieldMissing(field, bare))]
            }
            // Not by the map of intents: that gives a key to its first user, and would hide its second use.
            let openings = scene.openings(of: exchanges).filter { !scene.isLateAttempt($0.exchange, during: $0.intent) }
            let shared = Dictionary(grouping: openings) { field.value(of: $0.exchange) }
                .filter { distinct($0.value.map(\.intent)).count > 1 }
            return shared.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { value, uses in
                let second = uses.first { $0.intent != uses.first?.intent }?.exchange
                return UnmetExpectation(.breach, .fieldShared(field, value ?? "none", by: distinct(uses.map(\.intent)), at: second))
            }
        }
    }
}

extension Scene {
    /// Each exchange with every intent whose step was open alone when it arrived.
    func openings(of exchanges: [JournalEntry]) -> [(exchange: JournalEntry, intent: String)] {
        exchanges.compactMap { exchange in
            let open = steps.filter { evidence.steps[$0.n]?.span.contains(exchange.monoNanoseconds) ?? false }
            let intents = distinct(open.compactMap(\.action.intent))
            return intents.count == 1 ? intents.first.map { (exchange, $0) } : nil
        }
    }
}
