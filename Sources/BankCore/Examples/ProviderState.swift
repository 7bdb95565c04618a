package import BankModel

/// A precondition of a request, stated as a sentence: Pact calls it a provider state.
package enum ProviderState: Sendable, Hashable {
    /// The customer may sign in; supplies `username` and `password`.
    case known(customer: String)
    /// The customer has signed in; supplies `token`, `refresh_token`, and for each owned table the key of one of their rows,
    /// by the table's name.
    case signedIn(customer: String)
    /// Revokes the newest access token and all that come from its sign-in.
    case tokenRevoked
    /// Expires the newest access token.
    case tokenExpired
    /// Removes a scope from the newest access token.
    case tokenLacks(scope: String)
    /// Nothing was paid with the key; supplies `key`.
    case keyNew(name: String)
    /// A payment was made with the key, by that operation or the first of role `pay`; supplies `key`.
    case keyUsed(name: String, operation: String?)
    /// The table has a row that an operation added; supplies its key by the table's name.
    case entry(table: String)

    /// The name of an idempotency key among the values supplied.
    package static let keyName = "key"

    /// The sentences, `{…}` standing for a word; parameters of that name replace it.
    package static let sentences = all.map(\.sentence)

    /// Each sentence, and the state that it describes, by the word in it.
    private static let all: [(sentence: String, state: @Sendable (_ word: String, _ parameters: JSONObject) -> ProviderState)] = [
        ("customer {customer} is known", { word, _ in .known(customer: word) }),
        ("customer {customer} is signed in", { word, _ in .signedIn(customer: word) }),
        ("the token is revoked", { _, _ in .tokenRevoked }),
        ("the token is expired", { _, _ in .tokenExpired }),
        ("the token lacks the scope {scope}", { word, _ in .tokenLacks(scope: word) }),
        ("the payment key {key} is new", { word, _ in .keyNew(name: word) }),
        ("the payment key {key} was used", { word, parameters in .keyUsed(name: word, operation: parameters["operation"]?.string) }),
        ("{table} has an entry", { word, _ in .entry(table: word) }),
    ]

    /// The state's sentence.
    package var name: String {
        let word = parameters.members.first?.value.plainText ?? ""
        let sentence = ProviderState.all.first { $0.state(word, parameters) == self }?.sentence ?? ""
        return sentence.replacing(/\{\w+\}/, with: word)
    }

    /// The words of the sentence, and the other parameters, by name.
    package var parameters: JSONObject {
        switch self {
        case .known(let customer), .signedIn(let customer): JSONObject([("customer", .string(customer))])
        case .tokenRevoked, .tokenExpired: JSONObject()
        case .tokenLacks(let scope): JSONObject([("scope", .string(scope))])
        case .keyNew(let name): JSONObject([("key", .string(name))])
        case .keyUsed(let name, nil): JSONObject([("key", .string(name))])
        case .keyUsed(let name, let operation?): JSONObject([("key", .string(name)), ("operation", .string(operation))])
        case .entry(let table): JSONObject([("table", .string(table))])
        }
    }

    /// Parses a sentence; nil for one that is not among ``sentences``.
    ///
    /// - Parameter parameters: `operation` is read from here; everything else is in the sentence.
    package init?(_ text: String, parameters: JSONObject = JSONObject()) {
        let words = text.split(separator: " ").map(String.init)
        guard
            let (sentence, state) = ProviderState.all.first(where: { sentence, _ in
                let pattern = sentence.split(separator: " ")
                return pattern.count == words.count && zip(pattern, words).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
            })
        else { return nil }
        let word = zip(sentence.split(separator: " "), words).first { $0.0.hasPrefix("{") }?.1 ?? ""
        self = state(word, parameters)
    }
}

/// The reason why a provider state cannot be established.
package enum ProviderStateError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknown(String)
    case token(TokenError)
    case noToken
    case unknownCustomer(String, known: [String])
    case unknownScope(String, known: [String])
    case unknownOperation(String, known: [String])
    case unknownTable(String, known: [String])
    case noPayment
    /// The operation that should establish it was rejected.
    case rejected(operation: String, status: Int)
    case sessionFull(SessionSize)

    package var description: String {
        switch self {
        case .unknown(let text): "found the state \"\(text)\", expected one of: \(ProviderState.sentences.joined(separator: "; "))"
        case .token(let error): error.description
        case .noToken: "found no token that was issued, expected `customer {customer} is signed in` before"
        case .unknownCustomer(let login, let known): "found the customer \"\(login)\", expected \(oneOf(known))"
        case .unknownScope(let scope, let known): "found the scope \"\(scope)\", expected \(oneOf(known))"
        case .unknownOperation(let name, let known): "found the operation \"\(name)\", expected \(oneOf(known))"
        case .unknownTable(let name, let known):
            "found the table \"\(name)\", expected \(oneOf(known)): those to which an operation adds rows"
        case .sessionFull(let limit): limit.rejection
        case .noPayment: "the bank has no operation with a key"
        case .rejected(let operation, let status):
            "no request for \(operation) succeeded; the last got \(status)"
        }
    }
}
