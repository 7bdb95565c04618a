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
    package static let sentences = [
        "customer {customer} is known", "customer {customer} is signed in", "the token is revoked", "the token is expired",
        "the token lacks the scope {scope}", "the payment key {key} is new", "the payment key {key} was used", "{table} has an entry",
    ]

    /// The state's sentence.
    package var name: String {
        switch self {
        case .known(let customer): "customer \(customer) is known"
        case .signedIn(let customer): "customer \(customer) is signed in"
        case .tokenRevoked: "the token is revoked"
        case .tokenExpired: "the token is expired"
        case .tokenLacks(let scope): "the token lacks the scope \(scope)"
        case .keyNew(let name): "the payment key \(name) is new"
        case .keyUsed(let name, _): "the payment key \(name) was used"
        case .entry(let table): "\(table) has an entry"
        }
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
            let sentence = ProviderState.sentences.first(where: { sentence in
                let pattern = sentence.split(separator: " ")
                return pattern.count == words.count && zip(pattern, words).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
            })
        else { return nil }
        let word = zip(sentence.split(separator: " "), words).first { $0.0.hasPrefix("{") }?.1 ?? ""
        switch sentence {
        case "customer {customer} is known": self = .known(customer: word)
        case "customer {customer} is signed in": self = .signedIn(customer: word)
        case "the token is revoked": self = .tokenRevoked
        case "the token is expired": self = .tokenExpired
        case "the token lacks the scope {scope}": self = .tokenLacks(scope: word)
        case "the payment key {key} is new": self = .keyNew(name: word)
        case "the payment key {key} was used": self = .keyUsed(name: word, operation: parameters["operation"]?.string)
        default: self = .entry(table: word)
        }
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
