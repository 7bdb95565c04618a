import BankCore
import BankModel

/// Something that may be wrong with a request, and what the bank must then answer.
struct Situation {
    /// After the operation's name: `accounts without a token`; empty for the request that is carried out.
    let words: String
    let draft: RequestDraft
    let states: [ProviderState]
    /// Whether the response is the one for this situation; other responses are left out of the pact.
    let isMeant: (BankResponse) -> Bool

    init(_ words: String, _ draft: RequestDraft, _ states: [ProviderState], _ isMeant: @escaping (BankResponse) -> Bool) {
        self.words = words
        self.draft = draft
        self.states = states
        self.isMeant = isMeant
    }

    init(_ words: String, _ draft: RequestDraft, _ states: [ProviderState], _ name: DialectResponseName) {
        self.init(words, draft, states) { $0.name == name }
    }

    /// Every situation of an operation, that in which it is carried out first.
    static func all(_ example: Example, _ bank: Bank) -> [Situation] {
        let operation = bank.operations[example.operation]
        let maker = SituationMaker(example: example, operation: operation, bank: bank)
        let carriedOut = Situation("", example.draft, example.states) { $0.status == operation.status }
        return [carriedOut] + maker.tokens + maker.rows + maker.bodies + maker.keys + maker.grants
    }
}

/// Makes the situations of one operation out of its example.
struct SituationMaker {
    let example: Example
    let operation: Operation
    let bank: Bank

    private var draft: RequestDraft { example.draft }

    private func changed(_ location: RequestDraft.Location, _ value: RequestDraft.Value?) -> RequestDraft {
        var draft = draft
        draft[location] = value
        return draft
    }

    var tokens: [Situation] {
        guard case .token(let scope) = operation.access else { return [] }
        let header = RequestDraft.Location.header("Authorization")
        let unknown = RequestDraft.Value("never-given", name: nil)
        var bearer = unknown
        bearer.prefix = "Bearer "
        let after = Array(example.states.prefix(1))
        var all = [
            Situation("without a token", changed(header, nil), [], .noCredentials),
            Situation("with a token that was never issued", changed(header, bearer), [], .tokenRejected),
            Situation("with a revoked token", draft, after + [.tokenRevoked], .tokenRejected),
            Situation("with an expired token", draft, after + [.tokenExpired], .tokenExpired),
        ]
        if let scope {
            all.append(Situation("with a token that lacks the scope \(scope)", draft, after + [.tokenLacks(scope: scope)], .scopeRefused))
        }
        return all
    }

    /// Rows that are not there, or another's.
    var rows: [Situation] {
        var all: [Situation] = []
        for (location, value) in draft.values {
            guard case .path(let parameter) = location, value.name != ProviderState.keyName else { continue }
            all.append(
                Situation(
                    "whose \(parameter) does not exist", changed(location, RequestDraft.Value(.string(value.json.plainText.absentee))),
                    example.states,
                    .notFound))
        }
        let another = bank.customers.first { $0.login != example.customer && !$0.locked }?.login
        guard let another, example.states.contains(where: { if case .signedIn = $0 { true } else { false } }), !all.isEmpty else {
            return all
        }
        var foreign = draft
        for (location, value) in draft.values where bank.tables[value.name ?? ""] != nil { foreign[location]?.name = nil }
        guard example.states.allSatisfy({ if case .entry = $0 { false } else { true } }) else { return all }
        let states = example.states.map { state -> ProviderState in
            if case .signedIn = state { .signedIn(customer: another) } else { state }
        }
        return all + [Situation("of another customer", foreign, states, .notFound)]
    }

    /// A field that is missing, and more money than there is.
    var bodies: [Situation] {
        guard let rule = operation.body else { return [] }
        let conditioned = Set(operation.when.map(\.name))
        var all: [Situation] = []
        if let field = rule.required.first(where: { !conditioned.contains($0) }) {
            all.append(
                Situation("without \(field)", changed(rule.form == .form ? .form(field) : .body(field), nil), example.states) {
                    (400..<500).contains($0.status)
                })
        }
        if operation.move != nil, let location = amountLocation {
            let much: JSON = operation.move?.unit == .major ? "900000000.00" : 90_000_000_000
            all.append(
                Situation("of more money than available", changed(location, RequestDraft.Value(much)), example.states, .insufficientFunds))
        }
        return all
    }

    private var amountLocation: RequestDraft.Location? {
        switch operation.move?.amount {
        case .body(let field): .body(field)
        case .form(let field): .form(field)
        default: nil
        }
    }

    /// Keys that are missing, used, or used for something else.
    var keys: [Situation] {
        guard let location = draft.values.first(where: { $0.value.name == ProviderState.keyName })?.location else { return [] }
        let used = example.states.map { state -> ProviderState in
            if case .keyNew(let name) = state { .keyUsed(name: name, operation: operation.name) } else { state }
        }
        var all: [Situation] = []
        let isInPath = if case .path = location { true } else { false }
        if !isInPath { all.append(Situation("without a key", changed(location, nil), example.states, .keyMissing)) }
        all.append(Situation("with a key that was used for the same", draft, used) { $0.status == operation.status })
        if let amount = amountLocation {
            let other: JSON = operation.move?.unit == .major ? "2.00" : 200
            all.append(
                Situation("with a key that was used for another amount", changed(amount, RequestDraft.Value(other)), used, .keyMismatch))
        }
        return all
    }

    /// Sign-ins and refreshes that are rejected.
    var grants: [Situation] {
        func isRejected(_ response: BankResponse) -> Bool { (400..<500).contains(response.status) }
        switch operation.grant {
        case .password:
            guard let user = draft.values.first(where: { $0.value.name == "username" })?.location,
                let password = draft.values.first(where: { $0.value.name == "password" })?.location
            else { return [] }
            var all = [Situation("with a wrong password", changed(password, RequestDraft.Value("wrong")), example.states, isRejected)]
            if let locked = bank.customers.first(where: \.locked) {
                var draft = draft
                draft[user]?.json = .string(locked.login)
                draft[password]?.json = .string(locked.password ?? "")
                all.append(Situation("of a locked customer", draft, [.known(customer: locked.login)], isRejected))
            }
            return all
        case .refresh:
            guard let location = draft.values.first(where: { $0.value.name == "refresh_token" })?.location else { return [] }
            return [
                Situation(
                    "with a refresh token that was never issued", changed(location, RequestDraft.Value("never-given")), [], isRejected)
            ]
        case .revoke, .code, .client, nil: return []
        }
    }
}

extension String {
    /// A text of the same form, such as a UUID, that no row has for its key.
    fileprivate var absentee: String { isUUID(self) ? "ffffffff-ffff-4fff-bfff-ffffffffffff" : "not-there" }
}
